#include <algorithm>
#include <utility>

#include "carom/io/scene.hpp"
#include "io/json/json_value.hpp"
#include "io/scene/scene_fields.hpp"
#include "io/scene_shapes.hpp"

namespace carom {
namespace {

JsonValue to_value(const Eigen::Vector3d& v) {
  return {JsonValue::Array{{v.x()}, {v.y()}, {v.z()}}};
}

/// Visitor of scene_fields.hpp that makes a document from a scene.
class SceneWriter {
 public:
  /// An object without its quiet fields that are at their default.
  template <class T>
  static JsonValue write(T& value) {
    SceneWriter writer;
    describe(writer, value);
    T untouched{};
    SceneWriter defaults;
    describe(defaults, untouched);
    writer.drop_quiet(defaults);
    return {std::move(writer.members_)};
  }

  void number(std::string_view name, double value, Presence presence, const Sign&) { add(name, {value}, presence); }
  void integer(std::string_view name, int value, Presence presence, const IntegerRange&) {
    add(name, {static_cast<double>(value)}, presence);
  }
  void bits(std::string_view name, std::uint32_t value, Presence presence) {
    add(name, {static_cast<double>(value)}, presence);
  }
  void flag(std::string_view name, bool value, Presence presence) { add(name, {value}, presence); }
  void flags(std::string_view name, const std::array<bool, 3>& value, Presence presence) {
    add(name, {JsonValue::Array{{value[0]}, {value[1]}, {value[2]}}}, presence);
  }
  void text(std::string_view name, const std::string& value, Presence presence) { add(name, {value}, presence); }
  void name(std::string_view name, const std::string& value) { add(name, {value}, Presence::shown); }
  void vector(std::string_view name, const Eigen::Vector3d& value, Presence presence, const Sign&) {
    add(name, to_value(value), presence);
  }
  void direction(std::string_view name, const Eigen::Vector3d& value, Presence presence) {
    add(name, to_value(value), presence);
  }
  void matrix(std::string_view name, const Eigen::Matrix3d& value, Presence presence) {
    add(name, {JsonValue::Array{to_value(value.row(0)), to_value(value.row(1)), to_value(value.row(2))}}, presence);
  }
  void points(std::string_view name, const std::vector<Eigen::Vector3d>& value) {
    JsonValue::Array items;
    for (const Eigen::Vector3d& point : value) items.push_back(to_value(point));
    add(name, {std::move(items)}, Presence::required);
  }
  void polygon(std::string_view name, const std::vector<Eigen::Vector2d>& value) {
    JsonValue::Array items;
    for (const Eigen::Vector2d& corner : value) items.push_back({JsonValue::Array{{corner.x()}, {corner.y()}}});
    add(name, {std::move(items)}, Presence::required);
  }
  template <class Enum>
  void choice(std::string_view name, Enum value, std::span<const std::string_view> choices, Presence presence) {
    add(name, {std::string(choices[static_cast<std::size_t>(value)])}, presence);
  }
  template <class Enum>
  void optional_choice(std::string_view name, std::optional<Enum> value, std::span<const std::string_view> choices) {
    if (value) choice(name, *value, choices, Presence::shown);
  }
  void name_of(std::string_view name, const std::string& value, std::span<const std::string_view>, Presence presence) {
    add(name, {value}, presence);
  }
  void indices(std::string_view name, const std::vector<Index>& value, Presence presence) {
    JsonValue::Array items;
    for (const Index index : value) items.emplace_back().data = static_cast<double>(index);
    add(name, {std::move(items)}, presence);
  }
  void body_pairs(std::string_view name, const std::vector<std::array<std::string, 2>>& value,
                  const std::vector<SceneBody>&, Presence presence) {
    JsonValue::Array pairs;
    for (const auto& [a, b] : value) pairs.push_back({JsonValue::Array{{a}, {b}}});
    add(name, {std::move(pairs)}, presence);
  }
  void ignored(std::string_view) {}

  template <class T>
  void object(std::string_view name, T& value, Presence presence) {
    add(name, write(value), presence);
  }
  template <class T>
  void optional_object(std::string_view name, std::optional<T>& value) {
    if (value) add(name, write(*value), Presence::shown);
  }
  void fabric(std::string_view name, const std::string& value, std::string_view properties_name,
              std::optional<Fabric>& properties) {
    properties ? optional_object(properties_name, properties) : add(name, {value}, Presence::shown);
  }
  void any_of(std::initializer_list<std::string_view>) {}
  void rotation(std::string_view name, const Eigen::Vector3d& axis, double degrees) {
    AxisRotation rotation{axis, degrees};
    add(name, write(rotation), Presence::quiet);
  }
  void scale(std::string_view name, const Eigen::Vector3d& value) { add(name, to_value(value), Presence::quiet); }
  void mass(std::string_view name, std::optional<MassOverride>& value) {
    if (value) add(name, value->inertia_from_shape ? JsonValue{value->mass} : write(*value), Presence::shown);
  }
  template <class T>
  void list(std::string_view name, std::vector<T>& value, Presence presence) {
    JsonValue::Array items;
    for (T& item : value) items.push_back(write(item));
    add(name, {std::move(items)}, presence);
  }

  template <class... Ts>
  void kind(std::string_view name, std::span<const std::string_view> names, std::variant<Ts...>& value) {
    add(name, {std::string(names[value.index()])}, Presence::shown);
    std::visit([this](auto& alternative) { splice(write(alternative)); }, value);
  }
  template <class... Ts>
  void body_kind(std::string_view name, std::variant<Ts...>& value) {
    add(name, {std::string(motion_names[kind_of(value)])}, Presence::shown);
    std::visit([this](auto& alternative) { splice(write(alternative)); }, value);
  }
  template <class... Ts>
  void shape(std::string_view generator_name, std::span<const std::string_view> generators, std::string_view file_name,
             std::variant<Ts...>& value) {
    if (auto* file = std::get_if<FileSource>(&value)) {
      add(file_name, {file->path.generic_string()}, Presence::shown);
      splice(write(*file));
    } else {
      kind(generator_name, generators, value);
    }
  }

 private:
  void add(std::string_view name, JsonValue value, Presence presence) {
    members_.push_back({std::string(name), std::move(value)});
    if (presence == Presence::quiet) quiet_.push_back(name);
  }

  void splice(JsonValue object) {
    for (JsonMember& member : std::get<JsonValue::Object>(object.data)) members_.push_back(std::move(member));
  }

  void drop_quiet(const SceneWriter& defaults) {
    std::erase_if(members_, [&](const JsonMember& member) {
      const bool quiet = std::find(quiet_.begin(), quiet_.end(), member.name) != quiet_.end();
      const auto& others = defaults.members_;
      return quiet && std::find(others.begin(), others.end(), member) != others.end();
    });
  }

  JsonValue::Object members_;
  std::vector<std::string_view> quiet_;
};

}  // namespace

std::string to_json(const ShapeSource& shape) {
  ShapeSource copy = shape;
  return print_json(SceneWriter::write(copy));
}

std::string to_json(const Scene& scene) {
  Scene copy = scene;  // the description of the fields is one for reading and writing, and reading changes them
  return print_json(SceneWriter::write(copy));
}

}  // namespace carom

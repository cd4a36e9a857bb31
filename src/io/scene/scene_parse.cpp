#include <fmt/format.h>

#include <algorithm>
#include <fstream>
#include <iterator>
#include <map>
#include <set>

#include "carom/io/scene.hpp"
#include "core/check.hpp"
#include "io/json/json_field.hpp"
#include "io/scene/scene_fields.hpp"
#include "io/scene/scene_mesh.hpp"

namespace carom {
namespace {

/// Visitor of scene_fields.hpp that fills a scene from a document.
class SceneReader {
 public:
  SceneReader(JsonObject& object, const std::filesystem::path& folder) : object_(object), folder_(folder) {}

  void number(std::string_view name, double& value, Presence presence, const Sign& sign) {
    if (const auto field = lookup(name, presence)) value = field->number(sign);
  }

  void integer(std::string_view name, int& value, Presence presence, const IntegerRange& range) {
    if (const auto field = lookup(name, presence)) value = field->integer(range);
  }

  void bits(std::string_view name, std::uint32_t& value, Presence presence) {
    if (const auto field = lookup(name, presence)) value = field->bits();
  }

  void flag(std::string_view name, bool& value, Presence presence) {
    if (const auto field = lookup(name, presence)) value = field->flag();
  }

  void flags(std::string_view name, std::array<bool, 3>& value, Presence presence) {
    constexpr std::string_view what = "a list of 3 times true or false";
    const auto field = lookup(name, presence);
    if (!field) return;
    const JsonValue::Array& items = field->array(what);
    if (items.size() != 3) field->expected(what);
    for (std::size_t i = 0; i < 3; ++i) value[i] = field->item(items, i).flag();
  }

  void text(std::string_view name, std::string& value, Presence presence) {
    if (const auto field = lookup(name, presence)) value = field->text();
  }

  /// Those that are not given are made up once all are known.
  void name(std::string_view name, std::string& value) { text(name, value, Presence::shown); }

  void vector(std::string_view name, Eigen::Vector3d& value, Presence presence, const Sign& sign) {
    if (const auto field = lookup(name, presence)) value = field->vector(sign);
  }

  void matrix(std::string_view name, Eigen::Matrix3d& value, Presence presence) {
    if (const auto field = lookup(name, presence)) value = field->matrix();
  }

  void points(std::string_view name, std::vector<Eigen::Vector3d>& value) {
    const JsonField field = object_.get(name);
    const JsonValue::Array& items = field.array("a list of points");
    if (items.empty()) field.expected("at least one point", ErrorCode::invalid_argument);
    for (std::size_t i = 0; i < items.size(); ++i) value.push_back(field.item(items, i).vector());
  }

  void polygon(std::string_view name, std::vector<Eigen::Vector2d>& value) {
    const JsonField field = object_.get(name);
    const JsonValue::Array& items = field.array("a list of corners");
    if (items.size() < 3) field.expected("at least 3 corners", ErrorCode::invalid_argument);
    for (std::size_t i = 0; i < items.size(); ++i) value.push_back(field.item(items, i).pair());
  }

  void direction(std::string_view name, Eigen::Vector3d& value, Presence presence) {
    if (const auto field = lookup(name, presence)) value = field->direction();
  }

  template <class Enum>
  void choice(std::string_view name, Enum& value, std::span<const std::string_view> choices, Presence presence) {
    if (const auto field = lookup(name, presence)) value = static_cast<Enum>(field->choice(choices));
  }

  template <class Enum>
  void optional_choice(std::string_view name, std::optional<Enum>& value, std::span<const std::string_view> choices) {
    if (const auto field = object_.find(name)) value = static_cast<Enum>(field->choice(choices));
  }

  void name_of(std::string_view name, std::string& value, std::span<const std::string_view> choices,
               Presence presence) {
    if (const auto field = lookup(name, presence)) value = choices[field->choice(choices)];
  }

  void indices(std::string_view name, std::vector<Index>& value, Presence presence) {
    const auto field = lookup(name, presence);
    if (!field) return;
    const JsonValue::Array& items = field->array("a list of vertices");
    for (std::size_t i = 0; i < items.size(); ++i) value.push_back(field->item(items, i).integer({.min = 0}));
  }

  void body_pairs(std::string_view name, std::vector<std::array<std::string, 2>>& value,
                  const std::vector<SceneBody>& bodies, Presence presence) {
    constexpr std::string_view pair_of_names = "a list of the names of 2 bodies";
    const auto field = lookup(name, presence);
    if (!field) return;
    const JsonValue::Array& pairs = field->array("a list");
    for (std::size_t i = 0; i < pairs.size(); ++i) {
      const JsonField pair = field->item(pairs, i);
      const JsonValue::Array& names = pair.array(pair_of_names);
      if (names.size() != 2) pair.expected(pair_of_names);
      auto& read = value.emplace_back();
      for (std::size_t k = 0; k < 2; ++k) {
        const JsonField item = pair.item(names, k);
        read[k] = item.text();
        const auto same = [&](const SceneBody& body) { return body.name() == read[k]; };
        if (std::none_of(bodies.begin(), bodies.end(), same))
          item.expected("the name of a body", ErrorCode::unknown_name);
      }
    }
  }

  void ignored(std::string_view name) {
    if (const auto field = object_.find(name)) field->text();
  }

  template <class T>
  void object(std::string_view name, T& value, Presence presence) {
    if (const auto field = lookup(name, presence)) read(*field, value);
  }

  template <class T>
  void optional_object(std::string_view name, std::optional<T>& value) {
    const auto field = object_.find(name);
    if (!field) return;
    read(*field, value.emplace());
    check(*field, *value);
  }

  /// By name, or with properties of its own.
  void fabric(std::string_view name, std::string& value, std::string_view properties_name,
              std::optional<Fabric>& properties) {
    if (object_.has(name) && object_.has(properties_name)) {
      object_.get(name).fail(ErrorCode::bad_format,
                             fmt::format("cloth has a \"{}\" or \"{}\", not both", name, properties_name));
    }
    name_of(name, value, fabric_names(), Presence::shown);
    optional_object(properties_name, properties);
  }

  /// At least one of them is given.
  void any_of(std::initializer_list<std::string_view> names) {
    if (std::none_of(names.begin(), names.end(), [&](std::string_view name) { return object_.has(name); }))
      object_.missing(names);
  }

  void rotation(std::string_view name, Eigen::Vector3d& axis, double& degrees) {
    const auto field = object_.find(name);
    if (!field) return;
    AxisRotation read_rotation;
    const JsonObject object(*field);
    if (object.has("quaternion")) {
      read_rotation = read_as<QuaternionRotation>(*field);
    } else if (object.has("euler_degrees")) {
      read_rotation = read_as<EulerRotation>(*field);
    } else if (object.has("axis") || object.has("degrees")) {
      read(*field, read_rotation);
    } else {
      object.missing({"axis", "quaternion", "euler_degrees"});
    }
    axis = read_rotation.axis;
    degrees = read_rotation.degrees;
  }

  void quaternion(std::string_view name, Eigen::Vector4d& value) { value = object_.get(name).quaternion(); }

  void scale(std::string_view name, Eigen::Vector3d& value) {
    const auto field = object_.find(name);
    if (!field) return;
    if (std::holds_alternative<double>(field->value().data)) {
      value = Eigen::Vector3d::Constant(field->number(Sign::positive));
    } else {
      field->array("a positive number or a list of 3");
      value = field->vector(Sign::positive);
    }
  }

  void mass(std::string_view name, std::optional<MassOverride>& value) {
    const auto field = object_.find(name);
    if (!field) return;
    value.emplace();
    if (std::holds_alternative<double>(field->value().data)) {
      value->mass = field->number(Sign::positive);
      value->inertia_from_shape = true;
    } else if (std::holds_alternative<JsonValue::Object>(field->value().data)) {
      read(*field, *value);
    } else {
      field->expected("a positive number or an object");
    }
  }

  template <class T>
  void list(std::string_view name, std::vector<T>& value, Presence presence) {
    const auto field = lookup(name, presence);
    if (!field) return;
    const JsonValue::Array& items = field->array("a list");
    for (std::size_t i = 0; i < items.size(); ++i) read(field->item(items, i), value.emplace_back());
    if constexpr (std::is_same_v<T, SceneBody>) name_bodies(*field, items, value);
    check(*field, items, value);
  }

  template <class... Ts>
  void kind(std::string_view name, std::span<const std::string_view> names, std::variant<Ts...>& value) {
    fill_alternative(value, object_.get(name).choice(names));
  }

  /// A fixed or scripted body has a mesh or a shape: the shape makes it a RigidSceneBody.
  template <class... Ts>
  void body_kind(std::string_view name, std::variant<Ts...>& value) {
    const JsonField field = object_.get(name);
    refuse_former_words(field);
    const std::size_t number = field.choice(motion_names);
    if (number > static_cast<std::size_t>(MotionModel::rigid)) return fill_alternative(value, number);
    const auto motion = static_cast<MotionModel>(number);
    const bool has_shape = object_.has("shape");
    if (motion == MotionModel::rigid && object_.has("mesh") && !has_shape) {
      field.fail(
          ErrorCode::invalid_argument,
          "a rigid body has a \"shape\" and no \"mesh\"; expected \"shape\": {\"kind\": \"mesh\", \"mesh\": ...}");
    }
    if (motion == MotionModel::rigid || (has_shape && motion != MotionModel::particles)) {
      auto& rigid = value.template emplace<RigidSceneBody>();
      rigid.motion = motion;
      fill(rigid);
    } else {
      fill_alternative(value, static_cast<std::size_t>(motion));
    }
  }

  template <class... Ts>
  void shape(std::string_view generator_name, std::span<const std::string_view> generators, std::string_view file_name,
             std::variant<Ts...>& value) {
    const auto file = object_.find(file_name);
    const auto generator = object_.find(generator_name);
    if (file && generator) {
      file->fail(ErrorCode::bad_format,
                 fmt::format("a mesh has a \"{}\" or a \"{}\", not both", generator_name, file_name));
    }
    if (generator) {
      fill_alternative(value, generator->choice(generators));
      if (const auto problem = too_many_triangles(value)) object_.field().fail(ErrorCode::invalid_argument, *problem);
      return;
    }
    if (!file) object_.missing({generator_name, file_name});
    const std::string& path = file->text();
    if (path.empty() || path.find('\0') != std::string::npos) file->expected("the name of a file");
    FileSource source{folder_ / path};
    fill(source);
    value = std::move(source);
  }

 private:
  /// Words of earlier scene files, each with the one that took its place.
  void refuse_former_words(const JsonField& kind) {
    if (object_.has("rigid_kind")) {
      object_.get("rigid_kind")
          .fail(ErrorCode::unknown_name, "unknown field; \"kind\" says \"fixed\", \"scripted\" or \"rigid\" instead");
    }
    constexpr std::array<std::array<std::string_view, 2>, 3> former{
        {{"static", "fixed"}, {"kinematic", "scripted"}, {"dynamic", "rigid"}}};
    const auto* text = std::get_if<std::string>(&kind.value().data);
    for (const auto& [old, now] : former) {
      if (text != nullptr && *text == old)
        kind.fail(ErrorCode::unknown_name, fmt::format("\"{}\" is called \"{}\"", old, now));
    }
  }

  template <class Rotation>
  AxisRotation read_as(const JsonField& field) {
    Rotation rotation;
    read(field, rotation);
    return to_axis_rotation(rotation);
  }

  std::optional<JsonField> lookup(std::string_view name, Presence presence) {
    return presence == Presence::required ? object_.get(name) : object_.find(name);
  }

  template <class T>
  void read(const JsonField& field, T& value) {
    JsonObject object(field);
    SceneReader reader(object, folder_);
    describe(reader, value);
    object.finish();
  }

  template <class... Ts>
  void fill_alternative(std::variant<Ts...>& value, std::size_t index) {
    std::size_t i = 0;
    ((i++ == index ? fill(value.template emplace<Ts>()) : void()), ...);
  }
  template <class T>
  void fill(T& value) {
    describe(*this, value);
  }

  /// Bodies without a name get that of their kind and the lowest number that makes it unique.
  static void name_bodies(const JsonField& list, const JsonValue::Array& items, std::vector<SceneBody>& bodies) {
    std::set<std::string, std::less<>> taken;
    for (const SceneBody& body : bodies) taken.insert(body.name());
    for (std::size_t i = 0; i < bodies.size(); ++i) {
      const JsonField body = list.item(items, i);
      if (JsonObject(body).has("name")) continue;
      const std::string_view kind = motion_names[kind_of(bodies[i].body)];
      std::size_t number = 1;
      while (!taken.insert(fmt::format("{} {}", kind, number)).second) ++number;
      bodies[i].name() = fmt::format("{} {}", kind, number);
    }
  }

  template <class T>
  static void check(const JsonField&, const JsonValue::Array&, const std::vector<T>&) {}

  template <class T>
  static void check(const JsonField&, const T&) {}

  static void check(const JsonField& field, const SceneBounds& box) {
    if ((box.min.array() < box.max.array()).all()) return;
    field.fail(ErrorCode::invalid_argument, "expected \"min\" below \"max\" along each axis");
  }

  static void check(const JsonField& list, const JsonValue::Array& items, const std::vector<PartSource>& parts) {
    if (items.empty() || parts.empty()) list.expected("at least one part", ErrorCode::invalid_argument);
  }

  static void check(const JsonField& list, const JsonValue::Array& items, const std::vector<Keyframe>& keys) {
    for (std::size_t i = 1; i < keys.size(); ++i) {
      if (keys[i].time > keys[i - 1].time) continue;
      const JsonField key = list.item(items, i);
      JsonObject(key).get("time").expected(fmt::format("a time after {}", keys[i - 1].time),
                                           ErrorCode::invalid_argument);
    }
  }

  /// Messages and recordings tell bodies apart by their names.
  static void check(const JsonField& list, const JsonValue::Array& items, const std::vector<SceneBody>& bodies) {
    std::map<std::string_view, std::size_t> first;
    for (std::size_t i = 0; i < bodies.size(); ++i) {
      const auto [found, is_new] = first.emplace(bodies[i].name(), i);
      if (is_new) continue;
      const JsonField body = list.item(items, i);
      JsonObject(body).get("name").fail(ErrorCode::invalid_argument,
                                        fmt::format("bodies[{}] has the same name", found->second));
    }
  }

  JsonObject& object_;
  const std::filesystem::path& folder_;
};

}  // namespace

Scene parse_scene(std::string_view json, const std::string& file_name, const std::filesystem::path& folder) {
  const JsonValue document = parse_json(json, file_name);
  const JsonField root(document, file_name);
  JsonObject object(root);
  SceneReader reader(object, folder);
  Scene scene;
  describe(reader, scene);
  object.finish();
  if (!object.has("name")) scene.name = std::filesystem::path(file_name).stem().string();
  scene.file = file_name;
  return scene;
}

Scene load_scene(const std::filesystem::path& path) {
  std::error_code ignored;
  require(!std::filesystem::is_directory(path, ignored), ErrorCode::io, "{}: cannot read a folder", path.string());
  std::ifstream file(path, std::ios::binary);
  require(file.is_open(), ErrorCode::io, "{}: cannot open the file", path.string());
  const std::string text{std::istreambuf_iterator<char>(file), std::istreambuf_iterator<char>()};
  require(!file.bad(), ErrorCode::io, "{}: cannot read the file", path.string());
  return parse_scene(text, path.string(), path.parent_path());
}

}  // namespace carom

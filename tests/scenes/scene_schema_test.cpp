#include <gtest/gtest.h>

#include <map>
#include <nlohmann/json.hpp>
#include <set>
#include <string>

#include "carom/scene.hpp"
#include "io/scene_fields.hpp"

namespace carom {
namespace {

using nlohmann::json;

struct Field {
  std::string name;
  bool required = false;
  json fallback;  ///< null if the schema states none

  friend bool operator==(const Field&, const Field&) = default;
  friend bool operator<(const Field& l, const Field& r) { return l.name < r.name; }
};

using Objects = std::map<std::string, std::set<Field>>;

json to_json_list(const Eigen::Vector3d& v) {
  return {v.x(), v.y(), v.z()};
}

/// Visitor of scene_fields.hpp that lists the fields of every object, under the name that the
/// object has in the schema.
class FieldLister {
 public:
  FieldLister(Objects& objects, std::string object) : objects_(objects), object_(std::move(object)) {
    objects_[object_];
  }

  void number(const char* name, double value, Presence presence, Sign) { add(name, presence, value); }
  void integer(const char* name, int value, Presence presence, const IntegerRange&) { add(name, presence, value); }
  void bits(const char* name, std::uint32_t value, Presence presence) { add(name, presence, value); }
  void flag(const char* name, bool value, Presence presence) { add(name, presence, value); }
  void flags(const char* name, const std::array<bool, 3>& value, Presence presence) { add(name, presence, value); }
  void text(const char* name, const std::string& value, Presence presence) { add(name, presence, value); }
  void matrix(const char* name, const Eigen::Matrix3d&, Presence presence) { add(name, presence, nullptr); }
  void points(const char* name, const std::vector<Eigen::Vector3d>&) { add(name, Presence::required, nullptr); }
  void vector(const char* name, const Eigen::Vector3d& value, Presence presence, Sign) {
    add(name, presence, to_json_list(value));
  }
  void direction(const char* name, const Eigen::Vector3d& value, Presence presence) {
    add(name, presence, to_json_list(value));
  }
  template <class Enum>
  void choice(const char* name, Enum value, std::span<const std::string_view> choices, Presence presence) {
    add(name, presence, choices[static_cast<std::size_t>(value)]);
  }
  template <class Enum>
  void optional_choice(const char* name, std::optional<Enum>, std::span<const std::string_view>) {
    add(name, Presence::quiet, nullptr);
  }
  void name_of(const char* name, const std::string& value, std::span<const std::string_view>, Presence presence) {
    add(name, presence, value);
  }
  void indices(const char* name, const std::vector<Index>& value, Presence presence) { add(name, presence, value); }
  void body_pairs(const char* name, const std::vector<std::array<std::string, 2>>& value, const std::vector<BodySpec>&,
                  Presence presence) {
    add(name, presence, value);
  }
  void ignored(const char* name) { add(name, Presence::quiet, nullptr); }

  template <class T>
  void object(const char* name, T& value, Presence presence) {
    add(name, presence, nullptr);
    FieldLister inner(objects_, name);
    describe(inner, value);
  }
  template <class T>
  void optional_object(const char* name, std::optional<T>&) {
    add(name, Presence::quiet, nullptr);
    if constexpr (!std::is_same_v<T, MeshSource>) {  // a mesh is listed where it must be given
      FieldLister inner(objects_, name);
      T value{};
      describe(inner, value);
    }
  }
  template <class Describe>
  void group(const char* name, Presence presence, const Describe& describe_group) {
    add(name, presence, json::parse(R"({"axis": [0, 1, 0], "degrees": 0})"));
    FieldLister inner(objects_, name);
    describe_group(inner);
  }
  template <class T>
  void list(const char* name, std::vector<T>&, Presence presence) {
    add(name, presence, json::array());
    const std::string items(name);
    FieldLister inner(objects_, items == "bodies" ? "body" : items.substr(0, items.size() - 1));
    T item{};
    describe(inner, item);
  }

  /// What an object has besides depends on its kind: each becomes an object of its own.
  template <class... Ts>
  void kind(const char* name, std::span<const std::string_view> names, std::variant<Ts...>&) {
    std::size_t i = 0;
    if constexpr ((std::is_same_v<Ts, RigidSpec> || ...)) {
      (list_kind<Ts>(name, std::string(names[i++]) + "_body"), ...);
    } else {
      (list_solid<Ts>(name, std::string(names[i++]) + "_shape"), ...);
    }
  }
  template <class... Ts>
  void shape(const char* generator, std::span<const std::string_view> names, const char* file, std::variant<Ts...>&) {
    std::size_t i = 0;
    const auto list_shape = [&](auto source) {
      const bool is_file = std::is_same_v<decltype(source), FileSource>;
      FieldLister inner(objects_, (is_file ? "file" : std::string(names[i++])) + "_mesh");
      inner.add(is_file ? file : generator, Presence::required, nullptr);
      inner.describe_shape(source);
      std::vector<Dent> no_dents;
      inner.list("dents", no_dents, Presence::quiet);
      Placement placement;
      describe(inner, placement);
    };
    (list_shape(Ts{}), ...);
  }

 private:
  template <class T>
  void list_kind(const char* kind_name, const std::string& object) {
    FieldLister inner(objects_, object);
    inner.add("name", Presence::required, nullptr);
    inner.add(kind_name, Presence::required, nullptr);
    const BodySpec common;
    inner.bits("group", common.group, Presence::quiet);
    inner.bits("mask", common.mask, Presence::quiet);
    if (!std::is_same_v<T, RigidSpec>) inner.optional_choice("detection", common.detection, detection_names);
    T body{};
    describe(inner, body);
  }

  template <class T>
  void list_solid(const char* kind_name, const std::string& object) {
    FieldLister inner(objects_, object);
    inner.add(kind_name, Presence::required, nullptr);
    inner.number("margin", ShapeSpec{}.margin, Presence::quiet, Sign::not_negative);
    T solid{};
    describe(inner, solid);
  }

  void describe_shape(FileSource&) {}
  template <class T>
  void describe_shape(T& source) {
    describe(*this, source);
  }

  void add(const char* name, Presence presence, json fallback) {
    const bool required = presence == Presence::required;
    if (required) fallback = nullptr;
    objects_[object_].insert({name, required, std::move(fallback)});
  }

  Objects& objects_;
  std::string object_;
};

std::set<Field> fields_of_schema(const json& object) {
  std::set<std::string> required;
  if (object.contains("required")) required = object["required"].get<std::set<std::string>>();
  std::set<Field> fields;
  for (const auto& [name, property] : object["properties"].items()) {
    fields.insert({name, required.contains(name), property.value("default", json())});
  }
  return fields;
}

Objects objects_of_schema(const json& schema) {
  Objects objects;
  objects["scene"] = fields_of_schema(schema);
  for (const auto& [name, definition] : schema["$defs"].items()) {
    if (definition.contains("properties")) objects[name] = fields_of_schema(definition);
  }
  return objects;
}

Objects objects_of_parser() {
  Objects objects;
  FieldLister lister(objects, "scene");
  Scene scene;
  describe(lister, scene);
  // What body and mesh have in every kind is repeated in each.
  objects.erase("body");
  objects.erase("mesh");
  objects.erase("shape");
  return objects;
}

std::string to_string(const std::set<Field>& fields) {
  std::string text;
  for (const Field& field : fields) text += field.name + (field.required ? "! " : " ") + field.fallback.dump() + "\n";
  return text;
}

TEST(SceneSchema, HasTheFieldsOfTheParserWithTheirDefaults) {
  const Objects expected = objects_of_parser();
  const Objects stated = objects_of_schema(json::parse(scene_schema()));
  for (const auto& [name, fields] : expected) {
    ASSERT_TRUE(stated.contains(name)) << name;
    EXPECT_TRUE(stated.at(name) == fields) << name << "\nin the schema:\n"
                                           << to_string(stated.at(name)) << "in the parser:\n"
                                           << to_string(fields);
  }
  EXPECT_EQ(stated.size(), expected.size());
}

TEST(SceneSchema, RefusesWhatItDoesNotKnow) {
  const json schema = json::parse(scene_schema());
  EXPECT_EQ(schema["additionalProperties"], false);
  for (const auto& [name, definition] : schema["$defs"].items()) {
    if (!definition.contains("properties")) continue;
    EXPECT_EQ(definition["additionalProperties"], false) << name;
  }
}

TEST(SceneSchema, NamesTheKindsAndChoices) {
  const json schema = json::parse(scene_schema());
  const json& defs = schema["$defs"];
  for (const std::string_view kind : body_kind_names) {
    EXPECT_EQ(defs[std::string(kind) + "_body"]["properties"]["kind"]["const"], kind);
  }
  for (const std::string_view generator : generator_names) {
    EXPECT_EQ(defs[std::string(generator) + "_mesh"]["properties"]["generator"]["const"], generator);
  }
  for (const std::string_view shape : shape_names) {
    EXPECT_EQ(defs[std::string(shape) + "_shape"]["properties"]["kind"]["const"], shape);
  }
  EXPECT_EQ(defs["rigid_body"]["properties"]["rigid_kind"]["enum"].get<std::vector<std::string_view>>(),
            std::vector<std::string_view>(rigid_kind_names.begin(), rigid_kind_names.end()));
  EXPECT_EQ(defs["contact"]["properties"]["pairs"]["enum"].get<std::vector<std::string_view>>().size(),
            pair_scope_names.size());
}

TEST(SceneSchema, EveryReferenceLeadsSomewhere) {
  const json schema = json::parse(scene_schema());
  const json flat = schema.flatten();
  for (const auto& [path, value] : flat.items()) {
    if (!path.ends_with("/$ref")) continue;
    const auto target = value.get<std::string>();
    ASSERT_TRUE(target.starts_with("#/")) << path;
    EXPECT_TRUE(schema.contains(json::json_pointer(target.substr(1)))) << path;
  }
}

}  // namespace
}  // namespace carom

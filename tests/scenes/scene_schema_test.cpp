#include <gtest/gtest.h>

#include <cmath>
#include <limits>
#include <map>
#include <nlohmann/json.hpp>
#include <set>
#include <string>

#include "carom/io/scene.hpp"
#include "io/scene/scene_fields.hpp"

namespace carom {
namespace {

using nlohmann::json;

struct Field {
  std::string name;
  bool required = false;
  json fallback;  ///< null if the schema states none
  json rule;      ///< what a value must be, in the words of the schema

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

  void number(const char* name, double value, Presence presence, const Sign& sign) {
    add(name, presence, value, rule_of(sign));
  }
  void integer(const char* name, int value, Presence presence, const IntegerRange& range) {
    json rule{{"type", "integer"}, {"minimum", range.min}, {"maximum", range.max}};
    if (range.multiple_of != 1) rule["multipleOf"] = range.multiple_of;
    add(name, presence, value, rule);
  }
  void bits(const char* name, std::uint32_t value, Presence presence) {
    add(name, presence, value, {{"type", "integer"}, {"minimum", 0}, {"maximum", 0xffffffff}});
  }
  void flag(const char* name, bool value, Presence presence) { add(name, presence, value, {{"type", "boolean"}}); }
  void flags(const char* name, const std::array<bool, 3>& value, Presence presence) {
    add(name, presence, value, list_of({{"type", "boolean"}}, 3, 3));
  }
  void text(const char* name, const std::string& value, Presence presence) {
    add(name, presence, value, {{"type", "string"}});
  }
  void name(const char* name, const std::string&) { add(name, Presence::quiet, nullptr, {{"type", "string"}}); }
  void matrix(const char* name, const Eigen::Matrix3d&, Presence presence) {
    add(name, presence, nullptr, list_of(reference("vector"), 3, 3));
  }
  void points(const char* name, const std::vector<Eigen::Vector3d>&) {
    add(name, Presence::required, nullptr, list_of(reference("vector"), 1));
  }
  void polygon(const char* name, const std::vector<Eigen::Vector2d>&) {
    add(name, Presence::required, nullptr, reference("polygon"));
  }
  void vector(const char* name, const Eigen::Vector3d& value, Presence presence, const Sign& sign) {
    add(name, presence, to_json_list(value), reference(sign.above ? "positive_vector" : "vector"));
  }
  void direction(const char* name, const Eigen::Vector3d& value, Presence presence) {
    add(name, presence, to_json_list(value), reference("direction"));
  }
  void quaternion(const char* name, const Eigen::Vector4d&) {
    json rule = list_of({{"type", "number"}}, 4, 4);
    rule["not"] = {{"const", {0, 0, 0, 0}}};
    add(name, Presence::required, nullptr, rule);
  }
  template <class Enum>
  void choice(const char* name, Enum value, std::span<const std::string_view> choices, Presence presence) {
    add(name, presence, choices[static_cast<std::size_t>(value)], one_of(choices));
  }
  template <class Enum>
  void optional_choice(const char* name, std::optional<Enum>, std::span<const std::string_view> choices) {
    add(name, Presence::quiet, nullptr, one_of(choices));
  }
  void name_of(const char* name, const std::string& value, std::span<const std::string_view> choices,
               Presence presence) {
    add(name, presence, value, one_of(choices));
  }
  void fabric(const char* name, const std::string& value, const char* properties_name,
              std::optional<Fabric>& properties) {
    name_of(name, value, fabric_names(), Presence::shown);
    optional_object(properties_name, properties);
  }
  void any_of(std::initializer_list<std::string_view>) {}
  void indices(const char* name, const std::vector<Index>& value, Presence presence) {
    const json index{{"type", "integer"}, {"minimum", 0}, {"maximum", std::numeric_limits<Index>::max()}};
    add(name, presence, value, list_of(index));
  }
  void body_pairs(const char* name, const std::vector<std::array<std::string, 2>>& value, const std::vector<SceneBody>&,
                  Presence presence) {
    add(name, presence, value, list_of(list_of({{"type", "string"}}, 2, 2)));
  }
  void ignored(const char* name) { add(name, Presence::quiet, nullptr, {{"type", "string"}}); }

  template <class T>
  void object(const char* name, T& value, Presence presence) {
    add(name, presence, nullptr, reference(std::is_same_v<T, ConvexSource> ? "convex_shape" : name));
    FieldLister inner(objects_, name);
    describe(inner, value);
  }
  template <class T>
  void optional_object(const char* name, std::optional<T>&) {
    if constexpr (std::is_same_v<T, MeshSource>) {  // listed where it must be given
      add(name, Presence::quiet, nullptr, reference("mesh"));
    } else {
      add(name, Presence::quiet, nullptr, reference(name));
      FieldLister inner(objects_, name);
      T value{};
      describe(inner, value);
    }
  }
  void rotation(const char* name, const Eigen::Vector3d& axis, double degrees) {
    add(name, Presence::quiet, {{"axis", to_json_list(axis)}, {"degrees", degrees}}, reference("rotation"));
    list_rotation<AxisRotation>("axis_rotation");
    list_rotation<QuaternionRotation>("quaternion_rotation");
    list_rotation<EulerRotation>("euler_rotation");
  }
  void scale(const char* name, const Eigen::Vector3d& value) {
    add(name, Presence::quiet, to_json_list(value), reference("scale"));
  }
  void mass(const char* name, const std::optional<MassOverride>&) {
    add(name, Presence::quiet, nullptr, {{"anyOf", {rule_of(Sign::positive), reference("mass")}}});
    FieldLister inner(objects_, "mass");
    MassOverride given;
    describe(inner, given);
  }
  template <class T>
  void list(const char* name, std::vector<T>&, Presence presence) {
    const std::string items(name);
    const std::string item_name = std::is_same_v<T, ActivationKey> ? "activation_key"
                                  : std::is_same_v<T, FixedRegion> ? "fixed_region"
                                  : std::is_same_v<T, SoftRegion>  ? "soft_region"
                                  : items == "bodies"              ? "body"
                                  : items == "moving_pins"         ? items
                                                                   : items.substr(0, items.size() - 1);
    add(name, presence, json::array(), list_of(reference(item_name), std::is_same_v<T, PartSource> ? 1 : 0));
    FieldLister inner(objects_, item_name);
    T item{};
    describe(inner, item);
  }

  /// What an object has besides depends on its kind: each becomes an object of its own.
  template <class... Ts>
  void kind(const char* name, std::span<const std::string_view> names, std::variant<Ts...>&) {
    std::size_t i = 0;
    (list_solid<Ts>(name, std::string(names[i++])), ...);
  }
  template <class... Ts>
  void body_kind(const char* name, std::variant<Ts...>&) {
    std::size_t i = 0;
    (list_kind<Ts>(name, std::string(motion_names[i++])), ...);
  }
  template <class... Ts>
  void shape(const char* generator, std::span<const std::string_view> names, const char* file, std::variant<Ts...>&) {
    std::size_t i = 0;
    const auto list_shape = [&](auto source) {
      const bool is_file = std::is_same_v<decltype(source), FileSource>;
      const std::string shape_name = is_file ? "file" : std::string(names[i++]);
      FieldLister inner(objects_, shape_name + "_mesh");
      const json path{{"type", "string"}, {"minLength", 1}};
      inner.add(is_file ? file : generator, Presence::required, nullptr, is_file ? path : json{{"const", shape_name}});
      describe(inner, source);
      std::vector<Dent> no_dents;
      inner.list("dents", no_dents, Presence::quiet);
      Placement placement;
      describe(inner, placement);
    };
    (list_shape(Ts{}), ...);
  }

 private:
  template <class T>
  void list_kind(const char* kind_name, const std::string& kind) {
    FieldLister inner(objects_, kind + "_body");
    inner.add("name", Presence::quiet, nullptr, {{"type", "string"}});
    const json with_shape{{"enum", {"fixed", "scripted", "rigid"}}};
    inner.add(kind_name, Presence::required, nullptr,
              std::is_same_v<T, RigidSceneBody> ? with_shape : json{{"const", kind}});
    const FixedSceneBody common;
    inner.bits("group", common.filter.group, Presence::quiet);
    inner.bits("mask", common.filter.mask, Presence::quiet);
    if (!std::is_same_v<T, RigidSceneBody>) inner.optional_choice("detection", common.detection, detection_names);
    T body{};
    describe(inner, body);
  }

  template <class T>
  void list_solid(const char* kind_name, const std::string& kind) {
    FieldLister inner(objects_, kind + "_shape");
    inner.add(kind_name, Presence::required, nullptr, {{"const", kind}});
    inner.number("margin", ShapeSource{}.margin, Presence::quiet, Sign::not_negative);
    T solid{};
    describe(inner, solid);
  }

  template <class Rotation>
  void list_rotation(const char* object) {
    FieldLister inner(objects_, object);
    Rotation rotation;
    describe(inner, rotation);
  }

  static json reference(const std::string& definition) { return {{"$ref", "#/$defs/" + definition}}; }

  static json rule_of(const Sign& sign) {
    json rule{{"type", "number"}};
    if (std::isfinite(sign.min)) rule[sign.above ? "exclusiveMinimum" : "minimum"] = sign.min;
    if (std::isfinite(sign.max)) rule["maximum"] = sign.max;
    return rule;
  }

  static json one_of(std::span<const std::string_view> choices) {
    return {{"enum", std::vector<std::string_view>(choices.begin(), choices.end())}};
  }

  static json list_of(const json& item, int min_items = 0, int max_items = 0) {
    json rule{{"type", "array"}, {"items", item}};
    if (min_items > 0) rule["minItems"] = min_items;
    if (max_items > 0) rule["maxItems"] = max_items;
    return rule;
  }

  void add(const char* name, Presence presence, json fallback, json rule) {
    const bool required = presence == Presence::required;
    if (required) fallback = nullptr;
    objects_[object_].insert({name, required, std::move(fallback), std::move(rule)});
  }

  Objects& objects_;
  std::string object_;
};

std::set<Field> fields_of_schema(const json& object) {
  std::set<std::string> required;
  if (object.contains("required")) required = object["required"].get<std::set<std::string>>();
  std::set<Field> fields;
  for (const auto& [name, property] : object["properties"].items()) {
    json rule = property;
    rule.erase("description");
    rule.erase("default");
    fields.insert({name, required.contains(name), property.value("default", json()), rule});
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
  for (const Field& field : fields) {
    text += field.name + (field.required ? "! " : " ") + field.fallback.dump() + " " + field.rule.dump() + "\n";
  }
  return text;
}

TEST(SceneSchema, HasTheFieldsOfTheParserWithTheirTypesBoundsAndDefaults) {
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

json alternatives(std::span<const std::string_view> names, const std::string& ending) {
  json list = json::array();
  for (const std::string_view name : names) list.push_back({{"$ref", "#/$defs/" + std::string(name) + ending}});
  return list;
}

TEST(SceneSchema, NamesTheKindsAndChoices) {
  const json schema = json::parse(scene_schema());
  const json& defs = schema["$defs"];
  std::vector<std::string_view> meshes(generator_names.begin(), generator_names.end());
  meshes.emplace_back("file");
  EXPECT_EQ(defs["body"]["oneOf"], alternatives(motion_names, "_body"));
  EXPECT_EQ(defs["mesh"]["oneOf"], alternatives(meshes, "_mesh"));
  EXPECT_EQ(defs["shape"]["oneOf"], alternatives(shape_names, "_shape"));
  EXPECT_EQ(defs["convex_shape"]["oneOf"], alternatives(convex_names, "_shape"));
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

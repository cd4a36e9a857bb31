#include "scenes/schema_validator.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>

namespace carom::test {
namespace {

using nlohmann::json;

bool has_type(const std::string& type, const json& value) {
  if (type == "object") return value.is_object();
  if (type == "array") return value.is_array();
  if (type == "string") return value.is_string();
  if (type == "boolean") return value.is_boolean();
  if (type == "number") return value.is_number();
  EXPECT_EQ(type, "integer");
  return value.is_number() && value.get<double>() == std::trunc(value.get<double>());
}

}  // namespace

bool SchemaValidator::accepts(const json& rule, const std::string& definition, const json& value) {
  for (const auto& [keyword, unused] : rule.items()) {
    if (!accepts_keyword(keyword, rule, definition, value)) return false;
  }
  return true;
}

bool SchemaValidator::accepts_object(const json& rule, const std::string& definition, const json& value) {
  if (!value.is_object()) return true;
  const json& properties = rule["properties"];
  for (const auto& [name, item] : value.items()) {
    if (!properties.contains(name)) {
      EXPECT_EQ(rule["additionalProperties"], false);
      return false;
    }
    if (!accepts(properties[name], definition, item)) return false;
  }
  for (const auto& [name, unused] : value.items()) seen_.insert(definition + "/" + name);
  return true;
}

bool SchemaValidator::accepts_keyword(const std::string& keyword, const json& rule, const std::string& definition,
                                      const json& value) {
  const json& argument = rule[keyword];
  const auto matches = [&](const json& alternative) { return accepts(alternative, definition, value); };
  if (keyword == "$ref") {
    const std::string target = argument.get<std::string>().substr(1);
    return accepts(schema_.at(json::json_pointer(target)), target.substr(target.rfind('/') + 1), value);
  }
  if (keyword == "type") return has_type(argument, value);
  if (keyword == "const") return value == argument;
  if (keyword == "enum") return std::find(argument.begin(), argument.end(), value) != argument.end();
  if (keyword == "allOf") return std::all_of(argument.begin(), argument.end(), matches);
  if (keyword == "anyOf") return std::any_of(argument.begin(), argument.end(), matches);
  if (keyword == "oneOf") return std::count_if(argument.begin(), argument.end(), matches) == 1;
  if (keyword == "not") return !matches(argument);
  if (keyword == "minimum") return !value.is_number() || value.get<double>() >= argument.get<double>();
  if (keyword == "exclusiveMinimum") return !value.is_number() || value.get<double>() > argument.get<double>();
  if (keyword == "maximum") return !value.is_number() || value.get<double>() <= argument.get<double>();
  if (keyword == "multipleOf") return !value.is_number() || std::fmod(value.get<double>(), argument.get<double>()) == 0;
  if (keyword == "minLength")
    return !value.is_string() || value.get<std::string>().size() >= argument.get<std::size_t>();
  if (keyword == "minItems") return !value.is_array() || value.size() >= argument.get<std::size_t>();
  if (keyword == "maxItems") return !value.is_array() || value.size() <= argument.get<std::size_t>();
  if (keyword == "items") {
    const auto fits = [&](const json& item) { return accepts(argument, definition, item); };
    return !value.is_array() || std::all_of(value.begin(), value.end(), fits);
  }
  if (keyword == "required") {
    const auto is_there = [&](const json& name) { return value.contains(name.get<std::string>()); };
    return !value.is_object() || std::all_of(argument.begin(), argument.end(), is_there);
  }
  if (keyword == "properties") return accepts_object(rule, definition, value);
  const bool is_note = keyword == "$schema" || keyword == "$defs" || keyword == "title" || keyword == "description" ||
                       keyword == "default" || keyword == "additionalProperties";
  EXPECT_TRUE(is_note) << keyword;
  return true;
}

}  // namespace carom::test

#pragma once

#include <nlohmann/json.hpp>
#include <set>
#include <string>

namespace carom::test {

/// As much of JSON Schema as the schema of scenes uses. A keyword that is not known is a failure of the test.
class SchemaValidator {
 public:
  explicit SchemaValidator(nlohmann::json schema) : schema_(std::move(schema)) {}

  bool accepts(const nlohmann::json& document) { return accepts(schema_, "scene", document); }

  /// "definition/field" of all fields that some document had.
  const std::set<std::string>& seen() const { return seen_; }

 private:
  bool accepts(const nlohmann::json& rule, const std::string& definition, const nlohmann::json& value);
  bool accepts_keyword(const std::string& keyword, const nlohmann::json& rule, const std::string& definition,
                       const nlohmann::json& value);
  bool accepts_object(const nlohmann::json& rule, const std::string& definition, const nlohmann::json& value);

  nlohmann::json schema_;
  std::set<std::string> seen_;
};

}  // namespace carom::test

#pragma once

#include <cstddef>
#include <string>
#include <string_view>
#include <variant>
#include <vector>

namespace carom {

/// A template so that JsonValue can hold members before it is complete.
template <class Value>
struct NamedValue {
  std::string name;
  Value value;

  friend bool operator==(const NamedValue& left, const NamedValue& right) {
    return left.name == right.name && left.value == right.value;
  }
};

/// A JSON document in memory. Members keep the order of the file, and every number is a double:
/// the integers of our formats are below 2^31.
struct JsonValue {
  using Array = std::vector<JsonValue>;
  using Object = std::vector<NamedValue<JsonValue>>;

  std::variant<std::nullptr_t, bool, double, std::string, Array, Object> data = nullptr;

  friend bool operator==(const JsonValue& left, const JsonValue& right) { return left.data == right.data; }
};

using JsonMember = NamedValue<JsonValue>;

/// JSON with comments, // and /* */. Stricter than JSON itself where a file could say one thing and mean another: a
/// name may occur once in an object, and values nest at most 64 deep, which also bounds our recursion over them. Throws
/// Error that names the file and the line and column, or the path of the value.
JsonValue parse_json(std::string_view text, const std::string& file_name);

/// Indented, except that what fits on a line stays on it. Numbers survive bit for bit.
/// Throws Error: not_finite, or bad_format for text that is not UTF-8.
std::string print_json(const JsonValue& value);

/// A string in quotes, with escapes; bytes that are not UTF-8 are replaced.
std::string quote_json(std::string_view text);

/// How a path goes on to a member: ".name", or ["odd name"] if it is not an identifier.
std::string path_step(std::string_view name);

}  // namespace carom

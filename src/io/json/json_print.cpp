#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <nlohmann/json.hpp>

#include "core/check.hpp"
#include "io/json/json_value.hpp"

namespace carom {
namespace {

constexpr std::size_t line_width = 100;

std::string print_number(double value) {
  require(std::isfinite(value), ErrorCode::not_finite, "JSON has no number for {}", value);
  // A reader would take "-0" for an integer and lose the sign.
  return value == 0 && std::signbit(value) ? "-0.0" : fmt::format("{}", value);
}

std::string print_text(const std::string& text) {
  try {
    return nlohmann::json(text).dump();
  } catch (const nlohmann::json::exception&) {
    fail(ErrorCode::bad_format, "the text {} is not UTF-8", quote_json(text));
  }
}

std::string indented(std::size_t depth) {
  return std::string(2 * depth, ' ');
}

std::string print(const JsonValue& value, std::size_t depth);

/// On one line if that is short or holds nothing nested, else one item a line.
std::string print_items(char open, const std::vector<std::string>& items, char close, bool nested, std::size_t depth) {
  const std::string line = fmt::format("{}{}{}", open, fmt::join(items, ", "), close);
  const bool one_line = line.find('\n') == std::string::npos && 2 * depth + line.size() <= line_width;
  if (items.empty() || one_line || (open == '[' && !nested)) return line;
  const std::string separator = ",\n" + indented(depth + 1);
  return fmt::format("{}\n{}{}\n{}{}", open, indented(depth + 1), fmt::join(items, separator), indented(depth), close);
}

std::string print_array(const JsonValue::Array& array, std::size_t depth) {
  std::vector<std::string> items;
  bool nested = false;
  for (const JsonValue& item : array) {
    items.push_back(print(item, depth + 1));
    nested |=
        std::holds_alternative<JsonValue::Array>(item.data) || std::holds_alternative<JsonValue::Object>(item.data);
  }
  return print_items('[', items, ']', nested, depth);
}

std::string print_object(const JsonValue::Object& object, std::size_t depth) {
  std::vector<std::string> items;
  for (const JsonMember& member : object) {
    items.push_back(fmt::format("{}: {}", print_text(member.name), print(member.value, depth + 1)));
  }
  return print_items('{', items, '}', true, depth);
}

std::string print(const JsonValue& value, std::size_t depth) {
  struct Printer {
    std::size_t depth;
    std::string operator()(std::nullptr_t) const { return "null"; }
    std::string operator()(bool flag) const { return flag ? "true" : "false"; }
    std::string operator()(double number) const { return print_number(number); }
    std::string operator()(const std::string& text) const { return print_text(text); }
    std::string operator()(const JsonValue::Array& array) const { return print_array(array, depth); }
    std::string operator()(const JsonValue::Object& object) const { return print_object(object, depth); }
  };
  return std::visit(Printer{depth}, value.data);
}

}  // namespace

std::string print_json(const JsonValue& value) {
  return print(value, 0) + "\n";
}

std::string quote_json(std::string_view text) {
  return nlohmann::json(text).dump(-1, ' ', false, nlohmann::json::error_handler_t::replace);
}

std::string path_step(std::string_view name) {
  const bool identifier = !name.empty() && std::all_of(name.begin(), name.end(), [](char c) {
    return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9') || c == '_' || c == '$';
  });
  constexpr std::size_t longest = 60;
  if (name.size() > longest) return fmt::format("[{}...]", quote_json(name.substr(0, longest)));
  return identifier ? fmt::format(".{}", name) : fmt::format("[{}]", quote_json(name));
}

}  // namespace carom

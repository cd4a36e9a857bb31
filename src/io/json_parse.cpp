#include <fmt/format.h>

#include <algorithm>
#include <nlohmann/json.hpp>
#include <optional>
#include <set>
#include <utility>

#include "core/check.hpp"
#include "io/json_value.hpp"

namespace carom {
namespace {

constexpr std::size_t max_depth = 64;

/// "line:column" of a byte, both from 1; the column counts bytes.
std::string line_and_column(std::string_view text, std::size_t offset) {
  const std::string_view before = text.substr(0, std::min(offset, text.size()));
  const auto line = 1 + std::count(before.begin(), before.end(), '\n');
  const std::size_t line_start = before.find_last_of('\n') + 1;  // npos + 1 == 0
  return fmt::format("{}:{}", line, before.size() - line_start + 1);
}

/// The parser's message without its own prefix and without the text it quotes, which may be long
/// and need not be UTF-8.
std::string tidy(std::string_view message) {
  for (const std::string_view start : {"syntax error", "number overflow"}) {
    const std::size_t at = message.find(start);
    if (at == std::string_view::npos) continue;
    message.remove_prefix(at);
    break;
  }
  const std::size_t quoted = std::min(message.find("; last read"), message.find(" parsing '"));
  if (quoted == std::string_view::npos) return std::string(message);
  const std::size_t expected = message.rfind("; expected ");
  const std::string_view tail =
      expected == std::string_view::npos || expected < quoted ? std::string_view() : message.substr(expected);
  return fmt::format("{}{}", message.substr(0, quoted), tail);
}

/// Receives the events of the parser, which does not recurse, and puts the document together.
class Builder : public nlohmann::json_sax<nlohmann::json> {
 public:
  Builder(std::string_view text, const std::string& file_name) : text_(text), file_name_(file_name) {}

  JsonValue take_root() { return std::move(*root_); }

  bool null() override { return add({nullptr}); }
  bool boolean(bool value) override { return add({value}); }
  bool number_integer(number_integer_t value) override { return add({static_cast<double>(value)}); }
  bool number_unsigned(number_unsigned_t value) override { return add({static_cast<double>(value)}); }
  bool number_float(number_float_t value, const string_t&) override { return add({value}); }
  bool string(string_t& value) override { return add({std::move(value)}); }
  bool binary(binary_t&) override { return false; }  // not in text

  bool start_object(std::size_t) override { return open({JsonValue::Object{}}); }
  bool start_array(std::size_t) override { return open({JsonValue::Array{}}); }
  bool end_object() override { return close(); }
  bool end_array() override { return close(); }

  bool key(string_t& name) override {
    Level& level = open_.back();
    const bool is_new = level.names.insert(name).second;
    level.key = std::move(name);
    require(is_new, ErrorCode::bad_format, "{}: {}: this field is given twice", file_name_, path());
    return true;
  }

  bool parse_error(std::size_t position, const std::string&, const nlohmann::detail::exception& error) override {
    const std::size_t offset = position > 0 ? position - 1 : 0;
    const bool overflow = dynamic_cast<const nlohmann::json::out_of_range*>(&error) != nullptr;
    fail(overflow ? ErrorCode::not_finite : ErrorCode::bad_format, "{}:{}: {}", file_name_,
         line_and_column(text_, offset), tidy(error.what()));
  }

 private:
  struct Level {
    JsonValue value;
    std::string key;              ///< of the member that comes next
    std::set<std::string> names;  ///< seen so far
  };

  bool open(JsonValue value) {
    require(open_.size() < max_depth, ErrorCode::bad_format, "{}: {}: values are nested more than {} deep", file_name_,
            path(), max_depth);
    open_.push_back({std::move(value), {}, {}});
    return true;
  }

  bool close() {
    JsonValue value = std::move(open_.back().value);
    open_.pop_back();
    return add(std::move(value));
  }

  bool add(JsonValue value) {
    if (open_.empty()) {
      root_ = std::move(value);
    } else if (auto* array = std::get_if<JsonValue::Array>(&open_.back().value.data)) {
      array->push_back(std::move(value));
    } else {
      std::get<JsonValue::Object>(open_.back().value.data).push_back({std::move(open_.back().key), std::move(value)});
    }
    return true;
  }

  std::string path() const {
    std::string result;
    for (const Level& level : open_) {
      if (const auto* array = std::get_if<JsonValue::Array>(&level.value.data)) {
        result += fmt::format("[{}]", array->size());
      } else {
        result += path_step(level.key);
      }
    }
    return result.starts_with('.') ? result.substr(1) : result;
  }

  std::string_view text_;
  const std::string& file_name_;
  std::vector<Level> open_;
  std::optional<JsonValue> root_;
};

}  // namespace

JsonValue parse_json(std::string_view text, const std::string& file_name) {
  Builder builder(text, file_name);
  nlohmann::json::sax_parse(text.begin(), text.end(), &builder);
  return builder.take_root();
}

}  // namespace carom

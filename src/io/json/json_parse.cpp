#include <fmt/format.h>

#include <algorithm>
#include <nlohmann/json.hpp>
#include <optional>
#include <set>
#include <utility>

#include "core/check.hpp"
#include "io/json/json_syntax.hpp"
#include "io/json/json_value.hpp"

namespace carom {
namespace {

constexpr std::size_t max_depth = 64;

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
    const JsonSyntaxError problem = explain_syntax(text_, position > 0 ? position - 1 : 0, error.what());
    const bool overflow = dynamic_cast<const nlohmann::json::out_of_range*>(&error) != nullptr;
    fail(overflow ? ErrorCode::not_finite : ErrorCode::bad_format, "{}:{}: {}", file_name_,
         line_and_column(text_, problem.offset), problem.what);
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
  constexpr bool whole_text = true;
  constexpr bool comments_allowed = true;
  nlohmann::json::sax_parse(text.begin(), text.end(), &builder, nlohmann::json::input_format_t::json, whole_text,
                            comments_allowed);
  return builder.take_root();
}

}  // namespace carom

#include "io/json/json_field.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "core/check.hpp"

namespace carom {
namespace {

/// Description of a value, short enough for a message.
std::string describe_value(const JsonValue& value) {
  struct Describer {
    std::string operator()(std::nullptr_t) const { return "null"; }
    std::string operator()(bool flag) const { return flag ? "true" : "false"; }
    std::string operator()(double number) const { return fmt::format("{}", number); }
    std::string operator()(const std::string& text) const {
      constexpr std::size_t longest = 40;
      return text.size() > longest ? quote_json(text.substr(0, longest)) + "..." : quote_json(text);
    }
    std::string operator()(const JsonValue::Array& array) const {
      return fmt::format("a list of {} item{}", array.size(), array.size() == 1 ? "" : "s");
    }
    std::string operator()(const JsonValue::Object&) const { return "an object"; }
  };
  return std::visit(Describer{}, value.data);
}

std::string describe(const Sign& sign) {
  if (std::isfinite(sign.max)) return fmt::format("a number from {} to {}", sign.min, sign.max);
  if (sign.above) return "a positive number";
  return std::isfinite(sign.min) ? fmt::format("a number of at least {}", sign.min) : "a number";
}

std::string describe(const IntegerRange& range) {
  const std::string_view integer = range.multiple_of == 2 ? "an even integer" : "an integer";
  if (range.max != IntegerRange{}.max) return fmt::format("{} from {} to {}", integer, range.min, range.max);
  if (range.min != IntegerRange{}.min) return fmt::format("{} of at least {}", integer, range.min);
  return std::string(integer);
}

/// Whether a name is so near another that it is likely to be a slip of the pen.
bool looks_like(std::string_view name, std::string_view other) {
  constexpr std::size_t longest = 40;
  return name.size() <= longest && edit_distance(name, other) <= (std::min(name.size(), other.size()) <= 4 ? 1U : 2U);
}

}  // namespace

std::string JsonField::path() const {
  if (parent_ == nullptr) return {};
  std::string result = parent_->path();
  result += index_ ? fmt::format("[{}]", *index_) : path_step(name_);
  return result.starts_with('.') ? result.substr(1) : result;
}

void JsonField::fail(ErrorCode code, std::string_view what) const {
  const std::string where = path();
  throw Error(code, fmt::format("{}: {}{}{}", file_name_, where, where.empty() ? "" : ": ", what));
}

void JsonField::expected(std::string_view what, ErrorCode code) const {
  fail(code, fmt::format("expected {}, got {}", what, describe_value(value_)));
}

double JsonField::number(const Sign& sign) const {
  const auto* number = std::get_if<double>(&value_.data);
  if (number == nullptr) expected(describe(sign));
  if (!sign.allows(*number)) expected(describe(sign), ErrorCode::invalid_argument);
  return *number;
}

int JsonField::integer(const IntegerRange& range) const {
  const auto* number = std::get_if<double>(&value_.data);
  if (number == nullptr || *number != std::trunc(*number)) expected(describe(range));
  if (*number < range.min) expected(describe(range), ErrorCode::invalid_argument);
  if (*number > range.max) {
    expected(fmt::format("an integer of at most {}", range.max), ErrorCode::invalid_argument);
  }
  const int value = static_cast<int>(*number);
  if (value % range.multiple_of != 0) expected(describe(range), ErrorCode::invalid_argument);
  return value;
}

std::uint32_t JsonField::bits() const {
  constexpr double largest = std::numeric_limits<std::uint32_t>::max();
  constexpr std::string_view what = "an integer of 0 to 4294967295";
  const auto* number = std::get_if<double>(&value_.data);
  if (number == nullptr || *number != std::trunc(*number)) expected(what);
  if (*number < 0 || *number > largest) expected(what, ErrorCode::invalid_argument);
  return static_cast<std::uint32_t>(*number);
}

bool JsonField::flag() const {
  const auto* flag = std::get_if<bool>(&value_.data);
  if (flag == nullptr) expected("true or false");
  return *flag;
}

const std::string& JsonField::text() const {
  const auto* text = std::get_if<std::string>(&value_.data);
  if (text == nullptr) expected("a text");
  return *text;
}

std::size_t JsonField::choice(std::span<const std::string_view> choices) const {
  const auto* text = std::get_if<std::string>(&value_.data);
  const auto found = text == nullptr ? choices.end() : std::find(choices.begin(), choices.end(), *text);
  if (found == choices.end()) {
    expected(fmt::format("one of \"{}\"", fmt::join(choices, "\", \"")), ErrorCode::unknown_name);
  }
  return static_cast<std::size_t>(found - choices.begin());
}

Eigen::Vector3d JsonField::vector(const Sign& sign) const {
  const JsonValue::Array& items = array("a list of 3 numbers");
  if (items.size() != 3) expected("a list of 3 numbers");
  return {item(items, 0).number(sign), item(items, 1).number(sign), item(items, 2).number(sign)};
}

Eigen::Vector2d JsonField::pair() const {
  const JsonValue::Array& items = array("a list of 2 numbers");
  if (items.size() != 2) expected("a list of 2 numbers");
  return {item(items, 0).number(), item(items, 1).number()};
}

Eigen::Vector4d JsonField::quaternion() const {
  constexpr std::string_view what = "a list of 4 numbers w, x, y, z";
  const JsonValue::Array& items = array(what);
  if (items.size() != 4) expected(what);
  Eigen::Vector4d result;
  for (std::size_t i = 0; i < 4; ++i) result[static_cast<Eigen::Index>(i)] = item(items, i).number();
  if (result.isZero(0)) fail(ErrorCode::invalid_argument, "expected a quaternion, got one of length 0");
  return result;
}

Eigen::Matrix3d JsonField::matrix() const {
  constexpr std::string_view what = "a list of 3 rows of 3 numbers";
  const JsonValue::Array& rows = array(what);
  if (rows.size() != 3) expected(what);
  Eigen::Matrix3d result;
  for (std::size_t i = 0; i < 3; ++i) result.row(static_cast<Eigen::Index>(i)) = item(rows, i).vector();
  return result;
}

Eigen::Vector3d JsonField::direction() const {
  const Eigen::Vector3d result = vector();
  if (result.isZero(0)) fail(ErrorCode::invalid_argument, "expected a direction, got a vector of length 0");
  return result;
}

const JsonValue::Array& JsonField::array(std::string_view what) const {
  const auto* items = std::get_if<JsonValue::Array>(&value_.data);
  if (items == nullptr) expected(what);
  return *items;
}

JsonField JsonField::item(const JsonValue::Array& array, std::size_t index) const {
  return {*this, array[index], index};
}

JsonObject::JsonObject(const JsonField& field)
    : field_(field), members_(std::get_if<JsonValue::Object>(&field.value().data)) {
  if (members_ == nullptr) field.expected("an object");
}

std::optional<JsonField> JsonObject::find(std::string_view name) {
  known_.push_back(name);
  for (const JsonMember& member : *members_) {
    if (member.name == name) return JsonField(field_, member.value, member.name);
  }
  return std::nullopt;
}

JsonField JsonObject::get(std::string_view name) {
  const std::optional<JsonField> found = find(name);
  if (!found) missing({name});
  return *found;
}

bool JsonObject::has(std::string_view name) const {
  return std::any_of(members_->begin(), members_->end(), [&](const JsonMember& member) { return member.name == name; });
}

void JsonObject::missing(std::initializer_list<std::string_view> names) const {
  for (const JsonMember& member : *members_) {
    // A field that was asked for is itself, not another one misspelled.
    const auto asked_for = [&](std::string_view known) { return known == member.name; };
    if (std::any_of(known_.begin(), known_.end(), asked_for)) continue;
    for (const std::string_view name : names) {
      if (looks_like(member.name, name)) unknown(member, name);
    }
  }
  field_.fail(ErrorCode::bad_format, fmt::format("missing field \"{}\"", fmt::join(names, "\" or \"")));
}

void JsonObject::finish() const {
  for (const JsonMember& member : *members_) {
    if (std::find(known_.begin(), known_.end(), member.name) != known_.end()) continue;
    std::string_view nearest;
    for (const std::string_view name : known_) {
      const bool nearer = nearest.empty() || edit_distance(member.name, name) < edit_distance(member.name, nearest);
      if (looks_like(member.name, name) && nearer) nearest = name;
    }
    unknown(member, nearest);
  }
}

void JsonObject::unknown(const JsonMember& member, std::string_view nearest) const {
  const std::string hint = nearest.empty() ? fmt::format("the fields here are \"{}\"", fmt::join(known_, "\", \""))
                                           : fmt::format("did you mean \"{}\"?", nearest);
  JsonField(field_, member.value, member.name).fail(ErrorCode::unknown_name, "unknown field; " + hint);
}

std::size_t edit_distance(std::string_view left, std::string_view right) {
  // Rows of the table of optimal string alignment: before[j], last[j], now[j] are the distances
  // of the first i - 2, i - 1, i letters of left to the first j of right.
  std::vector<std::size_t> before;
  std::vector<std::size_t> last(right.size() + 1);
  std::vector<std::size_t> now(right.size() + 1);
  for (std::size_t j = 0; j <= right.size(); ++j) now[j] = j;
  for (std::size_t i = 1; i <= left.size(); ++i) {
    before = last;
    last = now;
    now[0] = i;
    for (std::size_t j = 1; j <= right.size(); ++j) {
      const std::size_t change = left[i - 1] == right[j - 1] ? 0 : 1;
      now[j] = std::min({last[j] + 1, now[j - 1] + 1, last[j - 1] + change});
      const bool swapped = i > 1 && j > 1 && left[i - 1] == right[j - 2] && left[i - 2] == right[j - 1];
      if (swapped) now[j] = std::min(now[j], before[j - 2] + 1);
    }
  }
  return now[right.size()];
}

}  // namespace carom

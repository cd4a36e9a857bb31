#include "query_file.hpp"

#include <charconv>
#include <cmath>
#include <filesystem>
#include <string_view>

#include "core/check.hpp"
#include "io/file_bytes.hpp"

namespace carom::app {

namespace {

constexpr std::size_t rows_a_query = 8;
constexpr std::size_t longest_quote = 40;

ContactKind kind_of(const std::string& path, const std::string& kind) {
  if (kind == "vf") return ContactKind::vertex_face;
  if (kind == "ee") return ContactKind::edge_edge;
  require(kind.empty(), ErrorCode::invalid_argument, "--kind is '{}'; expected vf or ee", kind);
  const std::string name = std::filesystem::path(path).filename().string();
  if (name.find("vertex-face") != std::string::npos) return ContactKind::vertex_face;
  if (name.find("edge-edge") != std::string::npos) return ContactKind::edge_edge;
  fail(ErrorCode::invalid_argument,
       "{}: the name says neither vertex-face nor edge-edge; say which it is with --kind vf or --kind ee", path);
}

/// One row, from left to right.
class Row {
 public:
  Row(std::string_view text, const std::string& path, std::size_t line) : left_(text), path_(path), line_(line) {}

  double coordinate(const char* axis) {
    const long double numerator = integer(axis, "numerator");
    const long double denominator = integer(axis, "denominator");
    if (denominator == 0) fail(ErrorCode::bad_format, "{}, line {}: the denominator of {} is 0", path_, line_, axis);
    const auto value = static_cast<double>(numerator / denominator);
    if (!std::isfinite(value))
      fail(ErrorCode::not_finite, "{}, line {}: {} is too large for a double", path_, line_, axis);
    return value;
  }

  bool answer() {
    const std::string_view text = next("whether the pair collides, 0 or 1");
    if (text != "0" && text != "1") expected("0 or 1 as the last of seven columns", text);
    if (!done_) fail(ErrorCode::bad_format, "{}, line {}: more than seven columns", path_, line_);
    return text == "1";
  }

 private:
  [[noreturn]] void expected(std::string_view what, std::string_view found) const {
    fail(ErrorCode::bad_format, "{}, line {}: expected {}, found \"{}\"", path_, line_, what,
         found.substr(0, longest_quote));
  }

  std::string_view next(std::string_view what) {
    if (done_) fail(ErrorCode::bad_format, "{}, line {}: the row ends before {}", path_, line_, what);
    const std::size_t comma = left_.find(',');
    std::string_view text = left_.substr(0, comma);
    done_ = comma == std::string_view::npos;
    left_.remove_prefix(done_ ? left_.size() : comma + 1);
    while (!text.empty() && (text.front() == ' ' || text.front() == '\t')) text.remove_prefix(1);
    while (!text.empty() && (text.back() == ' ' || text.back() == '\t')) text.remove_suffix(1);
    return text;
  }

  // A long double holds the mantissa of every double, and a denominator of up to 2^1074.
  long double integer(const char* axis, const char* part) {
    const std::string what = fmt::format("the {} of {}, an integer", part, axis);
    const std::string_view text = next(what);
    const std::string_view digits = text.substr(!text.empty() && text.front() == '-' ? 1 : 0);
    if (digits.empty() || digits.find_first_not_of("0123456789") != std::string_view::npos) expected(what, text);
    long double value = 0;
    const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), value);
    if (error != std::errc() || end != text.data() + text.size()) expected(what, text);
    return value;
  }

  std::string_view left_;
  const std::string& path_;
  std::size_t line_;
  bool done_ = false;
};

}  // namespace

QueryFile read_query_file(const std::string& path, const std::string& kind) {
  QueryFile file{.path = path, .kind = kind_of(path, kind), .queries = {}, .collides = {}};
  const std::vector<std::uint8_t> bytes = io::read_file(path);
  std::string_view left(reinterpret_cast<const char*>(bytes.data()), bytes.size());
  std::size_t row_of_query = 0;
  FeatureMotion motion;
  bool collides = false;
  std::size_t line = 0;
  while (!left.empty()) {
    ++line;
    const std::size_t length = left.find('\n');
    std::string_view text = left.substr(0, length);
    left.remove_prefix(length == std::string_view::npos ? left.size() : length + 1);
    if (!text.empty() && text.back() == '\r') text.remove_suffix(1);
    if (text.find_first_not_of(" \t") == std::string_view::npos) continue;
    Row row(text, path, line);
    const double x = row.coordinate("x");
    const double y = row.coordinate("y");
    const double z = row.coordinate("z");
    const bool answer = row.answer();
    require(row_of_query == 0 || answer == collides, ErrorCode::bad_format,
            "{}, line {}: the answer is {}, but {} in the rows of the same query before", path, line, answer ? 1 : 0,
            collides ? 1 : 0);
    collides = answer;
    (row_of_query < 4 ? motion.start : motion.end)[row_of_query % 4] = {x, y, z};
    if (++row_of_query == rows_a_query) {
      file.queries.push_back(motion);
      file.collides.push_back(collides);
      row_of_query = 0;
    }
  }
  require(row_of_query == 0, ErrorCode::truncated, "{}, line {}: the file ends after {} of the {} rows of a query",
          path, line, row_of_query, rows_a_query);
  return file;
}

}  // namespace carom::app

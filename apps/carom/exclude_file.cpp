#include "exclude_file.hpp"

#include <charconv>
#include <string_view>

#include "core/check.hpp"
#include "io/file_bytes.hpp"

namespace carom::app {

namespace {

std::string_view trimmed(std::string_view text) {
  constexpr std::string_view blanks = " \t\r";
  const std::size_t begin = text.find_first_not_of(blanks);
  if (begin == std::string_view::npos) return {};
  return text.substr(begin, text.find_last_not_of(blanks) - begin + 1);
}

bool read_vertex(std::string_view text, Index& vertex) {
  const std::string_view digits = trimmed(text);
  const auto [end, error] = std::from_chars(digits.data(), digits.data() + digits.size(), vertex);
  return error == std::errc() && end == digits.data() + digits.size() && vertex >= 0;
}

}  // namespace

std::vector<std::array<Index, 2>> read_vertex_pairs(const std::string& path) {
  const std::vector<std::uint8_t> bytes = io::read_file(path);
  std::string_view left(reinterpret_cast<const char*>(bytes.data()), bytes.size());
  std::vector<std::array<Index, 2>> pairs;
  for (std::size_t line = 1; !left.empty(); ++line) {
    const std::size_t length = left.find('\n');
    const std::string_view text = left.substr(0, length);
    left.remove_prefix(length == std::string_view::npos ? left.size() : length + 1);
    const std::string_view entry = trimmed(text.substr(0, text.find('#')));
    if (entry.empty() || (line == 1 && entry == "a,b")) continue;
    const std::size_t comma = entry.find(',');
    std::array<Index, 2> pair{none, none};
    constexpr std::size_t longest = 40;
    require(comma != std::string_view::npos && read_vertex(entry.substr(0, comma), pair[0]) &&
                read_vertex(entry.substr(comma + 1), pair[1]),
            ErrorCode::bad_format, "{}, line {}: expected two vertices, such as \"3,17\", found \"{}\"", path, line,
            entry.substr(0, longest));
    pairs.push_back(pair);
  }
  return pairs;
}

}  // namespace carom::app

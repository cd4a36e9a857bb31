#include <algorithm>
#include <limits>

#include "io/byte_reader.hpp"
#include "io/mesh/mesh_builder.hpp"
#include "io/mesh/mesh_parse.hpp"
#include "io/mesh/text_scanner.hpp"

namespace carom::io {

namespace {

constexpr std::size_t stl_head_size = 84;   ///< 80 bytes of anything and the number of triangles
constexpr std::size_t stl_facet_size = 50;  ///< normal, three corners, two bytes of attributes
constexpr std::uint64_t any_number = std::numeric_limits<std::uint64_t>::max();

char lower(char c) {
  return c >= 'A' && c <= 'Z' ? static_cast<char>(c - 'A' + 'a') : c;
}

bool is_word(std::string_view token, std::string_view word) {
  return std::equal(token.begin(), token.end(), word.begin(), word.end(),
                    [](char left, char right) { return lower(left) == right; });
}

/// Words of text STL, one after the other: where its lines end means nothing but for the name of a solid.
class StlText {
 public:
  StlText(std::string_view text, const std::string& name)
      : scan_(text, name, '\0'), name_(name), builder_(name, any_number) {}

  MeshFile parse() {
    while (scan_.skip_empty_lines()) {
      expect("solid");
      solid_ = scan_.rest_of_line();
      builder_.begin_object(solid_.empty() ? default_object_name(name_) : solid_);
      while (!is_word(peek("facet or endsolid"), "endsolid")) facet();
      scan_.rest_of_line();
    }
    return builder_.take();
  }

 private:
  void facet() {
    expect("facet");
    while (!is_word(peek("outer loop"), "outer")) scan_.token();  // the normal follows from the corners
    scan_.token();
    expect("loop");
    corners_.clear();
    while (is_word(peek("vertex or endloop"), "vertex")) {
      scan_.token();
      const double x = number("the x coordinate of a vertex");
      const double y = number("the y coordinate of a vertex");
      const double z = number("the z coordinate of a vertex");
      corners_.push_back(builder_.vertex({x, y, z}));
    }
    expect("endloop");
    if (corners_.size() < 3) {
      fail(ErrorCode::bad_format, "{}: expected a facet of 3 or more corners, found {}", scan_.where(),
           corners_.size());
    }
    triangles_.clear();
    add_fan(corners_, triangles_);
    for (const Triangle& triangle : triangles_) builder_.triangle(triangle);
    expect("endfacet");
  }

  std::string_view peek(std::string_view wanted) {
    if (!scan_.skip_empty_lines()) {
      fail(ErrorCode::truncated, "{}: the file ends within solid \"{}\"; expected {}", scan_.where(), solid_, wanted);
    }
    return scan_.peek_token();
  }

  void expect(std::string_view word) {
    if (!is_word(peek(word), word)) scan_.expected(word);
    scan_.token();
  }

  double number(std::string_view what) {
    peek(what);
    return scan_.number(what);
  }

  TextScanner scan_;
  const std::string& name_;
  MeshBuilder builder_;
  std::string solid_;
  std::vector<Index> corners_;
  std::vector<Triangle> triangles_;
};

MeshFile parse_binary_stl(std::span<const std::uint8_t> bytes, const std::string& name) {
  const auto count = load_little<std::uint32_t>(bytes.data() + 80);
  const std::uint64_t size = stl_head_size + std::uint64_t{stl_facet_size} * count;
  require(bytes.size() >= size, ErrorCode::truncated,
          "{}: says that it has {} triangles, which take {} bytes, but it has {} bytes; it was cut short after {} "
          "triangles, or is not STL",
          name, count, size, bytes.size(), (bytes.size() - stl_head_size) / stl_facet_size);
  require(bytes.size() == size, ErrorCode::bad_format,
          "{}: says that it has {} triangles, which take {} bytes, but it has {} bytes; the number is wrong, or it is "
          "not STL",
          name, count, size, bytes.size());
  MeshBuilder builder(name, any_number);
  builder.begin_object(default_object_name(name));
  for (std::size_t i = 0; i < count; ++i) {
    const std::uint8_t* at = bytes.data() + stl_head_size + i * stl_facet_size + 12;
    Triangle triangle;
    for (std::size_t k = 0; k < 3; ++k, at += 12) {
      triangle[k] =
          builder.vertex(Eigen::Vector3f(load_little<float>(at), load_little<float>(at + 4), load_little<float>(at + 8))
                             .cast<double>());
    }
    builder.triangle(triangle);
  }
  return builder.take();
}

/// Text begins with "solid", as do some binary files; these have a count after 80 bytes, and the number of bytes that
/// goes with it, or at least a zero byte in it.
bool is_stl_text(std::span<const std::uint8_t> bytes) {
  const std::string_view text(reinterpret_cast<const char*>(bytes.data()), bytes.size());
  const std::size_t first = text.find_first_not_of(" \t\r\n\v\f");
  if (first == std::string_view::npos || !is_word(text.substr(first, 5), "solid")) return false;
  if (bytes.size() < stl_head_size) return true;
  const std::uint64_t count = load_little<std::uint32_t>(bytes.data() + 80);
  if (bytes.size() == stl_head_size + stl_facet_size * count) return false;
  return text.substr(0, stl_head_size).find('\0') == std::string_view::npos;
}

}  // namespace

MeshFile parse_stl(std::span<const std::uint8_t> bytes, const std::string& name) {
  if (is_stl_text(bytes)) {
    return StlText({reinterpret_cast<const char*>(bytes.data()), bytes.size()}, name).parse();
  }
  require(bytes.size() >= stl_head_size, ErrorCode::truncated,
          "{}: has {} bytes; binary STL has at least {}, and text STL begins with \"solid\"", name, bytes.size(),
          stl_head_size);
  return parse_binary_stl(bytes, name);
}

}  // namespace carom::io

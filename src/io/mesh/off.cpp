#include <algorithm>
#include <array>
#include <limits>

#include "core/check.hpp"
#include "io/mesh/mesh_parse.hpp"
#include "io/mesh/text_scanner.hpp"

namespace carom::io {

namespace {

constexpr std::size_t max_counted = std::numeric_limits<Index>::max();

/// `OFF`, with C, N, ST or several of them in front: colours, normals, texture coordinates, which
/// all come after the three coordinates.
void header(TextScanner& scan, const std::string& name) {
  if (!scan.skip_empty_lines()) scan.expected("the keyword OFF");
  const std::string_view keyword = scan.peek_token();
  std::string_view prefix = keyword;
  if (!prefix.ends_with("OFF")) scan.expected("the keyword OFF");
  prefix.remove_suffix(3);
  if (prefix.starts_with("ST")) prefix.remove_prefix(2);
  if (prefix.starts_with('C')) prefix.remove_prefix(1);
  if (prefix.starts_with('N')) prefix.remove_prefix(1);
  require(prefix.empty(), ErrorCode::unsupported, "{}, line {}: {} (vertices of another dimension) is not supported",
          name, scan.line(), keyword);
  scan.token();
  require(scan.peek_token() != "BINARY", ErrorCode::unsupported, "{}, line {}: binary OFF is not supported", name,
          scan.line());
}

std::size_t count(TextScanner& scan, const char* what, const std::string& name) {
  const auto value = scan.integer<std::uint64_t>(what);
  require(value <= max_counted, ErrorCode::unsupported, "{}, line {}: {} is {}, more than an index can count", name,
          scan.line(), what, value);
  return value;
}

void to_next(TextScanner& scan, const char* what) {
  if (!scan.skip_empty_lines()) scan.expected(what);
}

}  // namespace

MeshFile parse_off(std::string_view text, const std::string& name) {
  TextScanner scan(text, name, '#');
  header(scan, name);
  to_next(scan, "the number of vertices");
  const std::size_t vertices = count(scan, "the number of vertices", name);
  const std::size_t faces = count(scan, "the number of faces", name);
  scan.next_line();  // and the number of edges, which nobody needs and some leave out

  MeshFile file;
  // Each takes at least two bytes: a count that lies allocates nothing.
  file.mesh.positions.reserve(std::min(vertices, scan.bytes_left() / 2));
  file.mesh.triangles.reserve(std::min(faces, scan.bytes_left() / 2));
  for (std::size_t i = 0; i < vertices; ++i) {
    to_next(scan, "a vertex");
    Eigen::Vector3d& position = file.mesh.positions.emplace_back();
    constexpr std::array<const char*, 3> what{"the x coordinate of a vertex", "the y coordinate of a vertex",
                                              "the z coordinate of a vertex"};
    for (int axis = 0; axis < 3; ++axis) {
      to_next(scan, what[static_cast<std::size_t>(axis)]);
      position[axis] = scan.number(what[static_cast<std::size_t>(axis)]);
    }
    scan.next_line();
  }
  std::vector<Index> corners;
  for (std::size_t i = 0; i < faces; ++i) {
    to_next(scan, "a face");
    const std::size_t line = scan.line();
    const std::size_t size = count(scan, "the number of corners of a face", name);
    require(size >= 3, ErrorCode::bad_format, "{}, line {}: expected a face of 3 or more corners, found {}", name, line,
            size);
    corners.clear();
    for (std::size_t k = 0; k < size; ++k) {
      to_next(scan, "the number of a vertex");  // a face may go on in the next line
      const auto index = scan.integer<std::int64_t>("the number of a vertex");
      require(index >= 0 && static_cast<std::size_t>(index) < vertices, ErrorCode::bad_index,
              "{}, line {}: there is no vertex {}; the file has {}", name, line, index, vertices);
      corners.push_back(static_cast<Index>(index));
    }
    add_fan(corners, file.mesh.triangles);
    scan.next_line();
  }
  file.object_of_triangle.assign(file.mesh.triangles.size(), 0);
  file.object_names.push_back(default_object_name(name));
  return file;
}

}  // namespace carom::io

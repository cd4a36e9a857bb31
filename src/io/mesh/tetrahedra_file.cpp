#include "carom/io/tetrahedra_file.hpp"

#include <algorithm>
#include <array>
#include <cctype>
#include <limits>
#include <unordered_map>

#include "core/check.hpp"
#include "io/file_bytes.hpp"
#include "io/mesh/mesh_extension.hpp"
#include "io/mesh/tetrahedra_parse.hpp"
#include "io/mesh/text_scanner.hpp"

namespace carom {
namespace {

using io::TextScanner;

constexpr std::array<std::string_view, 5> endings{".msh", ".vtk", ".mesh", ".node", ".ele"};
// Tetrahedra of the first order, and of the second, whose corners come first.
constexpr int gmsh_tetrahedron = 4;
constexpr int gmsh_tetrahedron_2 = 11;
constexpr int vtk_tetrahedron = 10;
constexpr int vtk_tetrahedron_2 = 24;
constexpr std::size_t corners_of_second_order = 10;

/// Vertices by the numbers that a file gives them, and tetrahedra in these numbers.
class NumberedMesh {
 public:
  explicit NumberedMesh(std::string name) : name_(std::move(name)) {}

  void add_vertex(std::int64_t number, const Eigen::Vector3d& position, const TextScanner& scan) {
    const bool fresh = place_.emplace(number, static_cast<Index>(positions_.size())).second;
    require(fresh, ErrorCode::bad_format, "{}: vertex {} is there twice", scan.where(), number);
    require(positions_.size() < static_cast<std::size_t>(std::numeric_limits<Index>::max()) / 12,
            ErrorCode::unsupported, "{}: more vertices than can be numbered", scan.where());
    positions_.push_back(position);
  }

  void add_tetrahedron(const std::array<std::int64_t, 4>& corners, const TextScanner& scan) {
    Tetrahedron t{};
    for (std::size_t k = 0; k < 4; ++k) {
      const auto found = place_.find(corners[k]);
      require(found != place_.end(), ErrorCode::bad_index, "{}: a tetrahedron uses vertex {}, which is not in the file",
              scan.where(), corners[k]);
      t[k] = found->second;
    }
    tetrahedra_.push_back(t);
  }

  /// Vertices that are in a tetrahedron, in the order of the file.
  TetrahedralMesh finish() {
    require(!tetrahedra_.empty(), ErrorCode::bad_mesh, "{}: there are no tetrahedra in it", name_);
    std::vector<Index> next(positions_.size(), none);
    for (const Tetrahedron& t : tetrahedra_) {
      for (const Index v : t) next[static_cast<std::size_t>(v)] = 0;
    }
    TetrahedralMesh mesh;
    for (std::size_t v = 0; v < next.size(); ++v) {
      if (next[v] == none) continue;
      next[v] = static_cast<Index>(mesh.positions.size());
      mesh.positions.push_back(positions_[v]);
    }
    for (Tetrahedron& t : tetrahedra_) {
      for (Index& v : t) v = next[static_cast<std::size_t>(v)];
    }
    mesh.tetrahedra = std::move(tetrahedra_);
    orient(name_, mesh);
    return mesh;
  }

 private:
  std::string name_;
  std::unordered_map<std::int64_t, Index> place_;
  std::vector<Eigen::Vector3d> positions_;
  std::vector<Tetrahedron> tetrahedra_;
};

void to_next(TextScanner& scan, const char* what) {
  if (!scan.skip_empty_lines()) scan.expected(what);
}

std::int64_t next_integer(TextScanner& scan, const char* what) {
  to_next(scan, what);
  return scan.integer<std::int64_t>(what);
}

/// A number of things that follow, each of which takes two bytes at least.
std::size_t next_count(TextScanner& scan, const char* what) {
  const std::int64_t count = next_integer(scan, what);
  require(count >= 0 && static_cast<std::size_t>(count) <= scan.bytes_left(), ErrorCode::bad_format,
          "{}: {} is {}, more than the rest of the file can hold", scan.where(), what, count);
  return static_cast<std::size_t>(count);
}

Eigen::Vector3d next_position(TextScanner& scan) {
  Eigen::Vector3d p;
  for (Eigen::Index k = 0; k < 3; ++k) {
    to_next(scan, "a coordinate of a vertex");
    p[k] = scan.number("a coordinate of a vertex");
  }
  return p;
}

std::array<std::int64_t, 4> next_corners(TextScanner& scan) {
  std::array<std::int64_t, 4> corners{};
  for (std::int64_t& corner : corners) corner = next_integer(scan, "a vertex of a tetrahedron");
  return corners;
}

void skip_integers(TextScanner& scan, std::size_t count) {
  for (std::size_t i = 0; i < count; ++i) next_integer(scan, "a number");
}

void expect_word(TextScanner& scan, std::string_view word) {
  to_next(scan, "a keyword");
  if (scan.peek_token() != word) scan.expected("the keyword " + std::string(word));
  scan.token();
}

/// Nodes of an element of Gmsh; 0 for kinds that are not known.
std::size_t gmsh_nodes(std::int64_t kind) {
  constexpr std::array<std::size_t, 20> nodes{0, 2, 3, 4, 4, 8, 6, 5, 3, 6, 9, 10, 27, 18, 14, 1, 8, 20, 15, 13};
  return kind > 0 && kind < static_cast<std::int64_t>(nodes.size()) ? nodes[static_cast<std::size_t>(kind)] : 0;
}

void read_gmsh_element(TextScanner& scan, std::int64_t kind, NumberedMesh& mesh) {
  if (kind == gmsh_tetrahedron || kind == gmsh_tetrahedron_2) {
    const auto corners = next_corners(scan);
    if (kind == gmsh_tetrahedron_2) skip_integers(scan, corners_of_second_order - corners.size());
    return mesh.add_tetrahedron(corners, scan);
  }
  const std::size_t nodes = gmsh_nodes(kind);
  require(nodes > 0, ErrorCode::unsupported, "{}: an element is of kind {}; expected 1 to 19", scan.where(), kind);
  skip_integers(scan, nodes);
}

void read_gmsh_2(TextScanner& scan, std::string_view section, NumberedMesh& mesh) {
  if (section == "$Nodes") {
    const std::size_t count = next_count(scan, "the number of nodes");
    for (std::size_t i = 0; i < count; ++i) {
      const std::int64_t number = next_integer(scan, "the number of a node");
      mesh.add_vertex(number, next_position(scan), scan);
    }
  } else {
    const std::size_t count = next_count(scan, "the number of elements");
    for (std::size_t i = 0; i < count; ++i) {
      next_integer(scan, "the number of an element");
      const std::int64_t kind = next_integer(scan, "the kind of an element");
      skip_integers(scan, next_count(scan, "the number of tags"));
      read_gmsh_element(scan, kind, mesh);
    }
  }
}

void read_gmsh_4(TextScanner& scan, std::string_view section, NumberedMesh& mesh) {
  const std::size_t blocks = next_count(scan, "the number of blocks");
  skip_integers(scan, 3);  // how many there are, and the least and the largest number
  for (std::size_t b = 0; b < blocks; ++b) {
    skip_integers(scan, 2);  // dimension and number of the entity
    if (section == "$Nodes") {
      const std::int64_t parametric = next_integer(scan, "0 or 1");
      require(parametric == 0, ErrorCode::unsupported, "{}: parametric nodes are not supported", scan.where());
      const std::size_t count = next_count(scan, "the number of nodes of a block");
      std::vector<std::int64_t> numbers;
      for (std::size_t i = 0; i < count; ++i) numbers.push_back(next_integer(scan, "the number of a node"));
      for (const std::int64_t number : numbers) mesh.add_vertex(number, next_position(scan), scan);
    } else {
      const std::int64_t kind = next_integer(scan, "the kind of elements");
      const std::size_t count = next_count(scan, "the number of elements of a block");
      for (std::size_t i = 0; i < count; ++i) {
        next_integer(scan, "the number of an element");
        read_gmsh_element(scan, kind, mesh);
      }
    }
  }
}

/// The cells of a file, whose offsets are told beside their corners.
std::vector<std::vector<std::int64_t>> read_vtk_offsets(TextScanner& scan, std::size_t offset_count,
                                                        std::size_t corner_count) {
  expect_word(scan, "OFFSETS");
  scan.next_line();  // type of the numbers
  std::vector<std::int64_t> offsets;
  for (std::size_t i = 0; i < offset_count; ++i) {
    const std::int64_t least = offsets.empty() ? 0 : offsets.back();
    offsets.push_back(next_integer(scan, "an offset"));
    require(offsets.back() >= least && static_cast<std::size_t>(offsets.back()) <= corner_count, ErrorCode::bad_format,
            "{}: an offset is {}; expected {} to {}", scan.where(), offsets.back(), least, corner_count);
  }
  expect_word(scan, "CONNECTIVITY");
  scan.next_line();
  std::vector<std::vector<std::int64_t>> cells;
  for (std::size_t i = 1; i < offsets.size(); ++i) {
    std::vector<std::int64_t>& cell = cells.emplace_back();
    for (std::int64_t k = offsets[i - 1]; k < offsets[i]; ++k) cell.push_back(next_integer(scan, "a corner of a cell"));
  }
  return cells;
}

/// The cells of a file, each after the number of its corners.
std::vector<std::vector<std::int64_t>> read_vtk_cells(TextScanner& scan, std::size_t count) {
  std::vector<std::vector<std::int64_t>> cells;
  for (std::size_t i = 0; i < count; ++i) {
    const std::size_t size = next_count(scan, "the number of corners of a cell");
    std::vector<std::int64_t>& cell = cells.emplace_back();
    for (std::size_t k = 0; k < size; ++k) cell.push_back(next_integer(scan, "a corner of a cell"));
  }
  return cells;
}

/// Corners of a section of tetrahedra of Medit, and the label that follows.
void read_medit_tetrahedra(TextScanner& scan, std::size_t nodes, NumberedMesh& mesh) {
  const std::size_t count = next_count(scan, "the number of tetrahedra");
  for (std::size_t i = 0; i < count; ++i) {
    const auto corners = next_corners(scan);
    skip_integers(scan, nodes - corners.size());
    next_integer(scan, "the label of a tetrahedron");
    mesh.add_tetrahedron(corners, scan);
  }
}

std::string text_of(const std::filesystem::path& path) {
  const std::vector<std::uint8_t> bytes = io::read_file(path);
  return {bytes.begin(), bytes.end()};
}

}  // namespace

namespace io {

TetrahedralMesh parse_gmsh(std::string_view text, const std::string& name) {
  TextScanner scan(text, name, 0);
  NumberedMesh mesh(name);
  expect_word(scan, "$MeshFormat");
  to_next(scan, "the version of the format");
  const double version = scan.number("the version of the format");
  const bool four = version >= 4.1 && version < 5;
  require(four || (version >= 2 && version < 3), ErrorCode::unsupported,
          "{}: version {} of Gmsh's format; expected 2 to 2.2 or 4.1", scan.where(), version);
  require(next_integer(scan, "0 for text") == 0, ErrorCode::unsupported,
          "{}: a binary file; expected one of text (gmsh -format msh2 -ascii)", scan.where());
  while (scan.skip_empty_lines()) {
    const std::string_view section = scan.token();
    if (section == "$Nodes" || section == "$Elements")
      four ? read_gmsh_4(scan, section, mesh) : read_gmsh_2(scan, section, mesh);
    scan.next_line();
  }
  return mesh.finish();
}

TetrahedralMesh parse_vtk(std::string_view text, const std::string& name) {
  TextScanner scan(text, name, 0);
  require(text.starts_with("# vtk DataFile"), ErrorCode::bad_format, "{}: expected '# vtk DataFile' first", name);
  scan.next_line();
  scan.next_line();  // title
  to_next(scan, "ASCII");
  require(scan.token() == "ASCII", ErrorCode::unsupported, "{}: a binary file; expected one of text", scan.where());
  expect_word(scan, "DATASET");
  require(scan.token() == "UNSTRUCTURED_GRID", ErrorCode::unsupported, "{}: expected an UNSTRUCTURED_GRID",
          scan.where());
  NumberedMesh mesh(name);
  std::vector<std::vector<std::int64_t>> cells;
  while (scan.skip_empty_lines()) {
    const std::string_view section = scan.token();
    if (section == "POINTS") {
      const std::size_t count = next_count(scan, "the number of points");
      scan.next_line();  // type of the numbers
      for (std::size_t i = 0; i < count; ++i) mesh.add_vertex(static_cast<std::int64_t>(i), next_position(scan), scan);
    } else if (section == "CELLS") {
      const std::size_t count = next_count(scan, "the number of cells");
      const std::size_t numbers = next_count(scan, "how many numbers the cells have");
      scan.next_line();
      to_next(scan, "a cell");
      // From version 5 on the first number is that of offsets, one more than cells.
      cells = scan.peek_token() == "OFFSETS" ? read_vtk_offsets(scan, count, numbers) : read_vtk_cells(scan, count);
    } else if (section == "CELL_TYPES") {
      const std::size_t count = next_count(scan, "the number of kinds of cells");
      require(count == cells.size(), ErrorCode::bad_format, "{}: {} kinds for {} cells", scan.where(), count,
              cells.size());
      for (std::size_t i = 0; i < count; ++i) {
        const std::int64_t kind = next_integer(scan, "the kind of a cell");
        if (kind != vtk_tetrahedron && kind != vtk_tetrahedron_2) continue;
        const std::size_t nodes = kind == vtk_tetrahedron ? 4 : corners_of_second_order;
        require(cells[i].size() == nodes, ErrorCode::bad_format,
                "{}: cell {} is a tetrahedron of {} nodes; expected {}", scan.where(), i, cells[i].size(), nodes);
        mesh.add_tetrahedron({cells[i][0], cells[i][1], cells[i][2], cells[i][3]}, scan);
      }
    }
    scan.next_line();
  }
  return mesh.finish();
}

TetrahedralMesh parse_medit(std::string_view text, const std::string& name) {
  TextScanner scan(text, name, '#');
  NumberedMesh mesh(name);
  expect_word(scan, "MeshVersionFormatted");
  next_integer(scan, "the version of the format");
  while (scan.skip_empty_lines()) {
    const std::string_view section = scan.token();
    if (section == "End") break;
    if (section == "Dimension") {
      require(next_integer(scan, "3") == 3, ErrorCode::unsupported, "{}: expected a mesh of dimension 3", scan.where());
    } else if (section == "Vertices") {
      const std::size_t count = next_count(scan, "the number of vertices");
      for (std::size_t i = 0; i < count; ++i) {
        mesh.add_vertex(static_cast<std::int64_t>(i) + 1, next_position(scan), scan);
        next_integer(scan, "the label of a vertex");
      }
    } else if (section == "Tetrahedra") {
      read_medit_tetrahedra(scan, 4, mesh);
    } else if (section == "TetrahedraP2") {
      read_medit_tetrahedra(scan, corners_of_second_order, mesh);
    }
    // Other sections begin with a letter, their lines with a number.
    while (scan.skip_empty_lines()) {
      const std::string_view token = scan.peek_token();
      if (std::isalpha(static_cast<unsigned char>(token.front())) != 0) break;
      scan.next_line();
    }
  }
  return mesh.finish();
}

TetrahedralMesh parse_tetgen(std::string_view nodes, const std::string& node_name, std::string_view elements,
                             const std::string& element_name) {
  NumberedMesh mesh(element_name);
  TextScanner scan(nodes, node_name, '#');
  const std::size_t count = next_count(scan, "the number of nodes");
  require(next_integer(scan, "3") == 3, ErrorCode::unsupported, "{}: expected nodes of dimension 3", scan.where());
  scan.next_line();
  for (std::size_t i = 0; i < count; ++i) {
    const std::int64_t number = next_integer(scan, "the number of a node");
    mesh.add_vertex(number, next_position(scan), scan);
    scan.next_line();
  }
  TextScanner cells(elements, element_name, '#');
  const std::size_t cell_count = next_count(cells, "the number of tetrahedra");
  const std::int64_t size = next_integer(cells, "4 or 10");
  require(size == 4 || size == 10, ErrorCode::unsupported, "{}: tetrahedra of {} nodes; expected 4 or 10",
          cells.where(), size);
  cells.next_line();
  for (std::size_t i = 0; i < cell_count; ++i) {
    next_integer(cells, "the number of a tetrahedron");
    const auto corners = next_corners(cells);
    mesh.add_tetrahedron(corners, cells);
    cells.next_line();
  }
  return mesh.finish();
}

}  // namespace io

bool is_tetrahedra_file(const std::filesystem::path& path) {
  return std::find(endings.begin(), endings.end(), io::lower_extension(path)) != endings.end();
}

TetrahedralMesh read_tetrahedra(const std::filesystem::path& path) {
  const std::string ending = io::lower_extension(path);
  require(is_tetrahedra_file(path), ErrorCode::unsupported,
          "{}: no file of tetrahedra is called so; expected .msh, .vtk, .mesh, .node or .ele", path.string());
  if (ending == ".node" || ending == ".ele") {
    std::filesystem::path node_path = path;
    std::filesystem::path element_path = path;
    node_path.replace_extension(".node");
    element_path.replace_extension(".ele");
    return io::parse_tetgen(text_of(node_path), node_path.string(), text_of(element_path), element_path.string());
  }
  const std::string text = text_of(path);
  if (ending == ".msh") return io::parse_gmsh(text, path.string());
  if (ending == ".vtk") return io::parse_vtk(text, path.string());
  return io::parse_medit(text, path.string());
}

}  // namespace carom

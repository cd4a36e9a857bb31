#include <limits>

#include "core/check.hpp"
#include "io/mesh/mesh_parse.hpp"
#include "io/mesh/text_scanner.hpp"

namespace carom::io {

namespace {

class ObjParser {
 public:
  ObjParser(std::string_view text, const std::string& name) : scan_(text, name, '#'), name_(name) {}

  MeshFile parse() {
    objects_.push_back(default_object_name(name_));
    while (scan_.skip_empty_lines()) {
      const std::string_view keyword = scan_.token();
      if (keyword == "v") {
        vertex();
      } else if (keyword == "f") {
        face();
      } else if (keyword == "o") {
        object();
      }  // normals, materials, groups, curves: not about where the triangles are
      scan_.next_line();
    }
    check_forward_references();
    file_.object_names = std::move(objects_);
    join_objects(file_);
    return std::move(file_);
  }

 private:
  /// A face may name a vertex that comes later; whether it does is known at the end.
  struct ForwardReference {
    std::size_t line;
    Index vertex;
  };

  void vertex() {
    const double x = scan_.number("the x coordinate of a vertex");
    const double y = scan_.number("the y coordinate of a vertex");
    const double z = scan_.number("the z coordinate of a vertex");
    require(file_.mesh.positions.size() < max_vertices, ErrorCode::unsupported,
            "{}: more vertices than an index can count", name_);
    file_.mesh.positions.emplace_back(x, y, z);
  }

  void face() {
    corners_.clear();
    const std::size_t line = scan_.line();
    while (!scan_.at_line_end()) {
      corners_.push_back(corner());
      scan_.skip_token_rest();  // texture and normal: /vt, //vn, /vt/vn
    }
    require(corners_.size() >= 3, ErrorCode::bad_format, "{}, line {}: expected a face of 3 or more corners, found {}",
            name_, line, corners_.size());
    add_fan(corners_, file_.mesh.triangles);
    file_.object_of_triangle.resize(file_.mesh.triangles.size(), static_cast<Index>(objects_.size() - 1));
  }

  Index corner() {
    const std::size_t line = scan_.line();
    const auto number = scan_.leading_integer<std::int64_t>("the number of a vertex");
    if (!scan_.at_token_end() && *scan_.position() != '/')
      scan_.expected("a slash or a blank after the number of a vertex");
    const auto count = static_cast<std::int64_t>(file_.mesh.positions.size());
    // From 1 up over the whole file, or from -1 down over what came before.
    const std::int64_t index = number > 0 ? number - 1 : count + number;
    if (number == 0 || index < 0 || index >= static_cast<std::int64_t>(max_vertices)) refuse(line, number);
    if (index >= count) forward_.push_back({line, static_cast<Index>(index)});
    return static_cast<Index>(index);
  }

  void object() {
    std::string object_name(scan_.rest_of_line());
    if (object_name.empty()) object_name = default_object_name(name_);
    if (file_.object_of_triangle.empty() || file_.object_of_triangle.back() + 1 < static_cast<Index>(objects_.size())) {
      objects_.back() = std::move(object_name);  // the one before stayed empty
    } else {
      objects_.push_back(std::move(object_name));
    }
  }

  void check_forward_references() const {
    for (const ForwardReference& reference : forward_) {
      if (static_cast<std::size_t>(reference.vertex) >= file_.mesh.positions.size()) {
        refuse(reference.line, std::int64_t{reference.vertex} + 1);
      }
    }
  }

  [[noreturn]] void refuse(std::size_t line, std::int64_t number) const {
    fail(ErrorCode::bad_index, "{}, line {}: there is no vertex {}; the file has {}", name_, line, number,
         file_.mesh.positions.size());
  }

  static constexpr std::size_t max_vertices = std::numeric_limits<Index>::max();

  TextScanner scan_;
  const std::string& name_;
  MeshFile file_;
  std::vector<std::string> objects_;  ///< before they are joined
  std::vector<Index> corners_;
  std::vector<ForwardReference> forward_;
};

}  // namespace

MeshFile parse_obj(std::string_view text, const std::string& name) {
  return ObjParser(text, name).parse();
}

}  // namespace carom::io

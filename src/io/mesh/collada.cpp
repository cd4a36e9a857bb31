#include <Eigen/Geometry>
#include <numbers>

#include "core/check.hpp"
#include "io/mesh/collada_mesh.hpp"
#include "io/mesh/mesh_builder.hpp"
#include "io/mesh/mesh_parse.hpp"

namespace carom::io {

namespace {

/// A <node> or <visual_scene>.
struct ColladaNode {
  Eigen::Matrix4d matrix = Eigen::Matrix4d::Identity();
  std::string name;
  std::vector<const XmlElement*> geometries;
  std::vector<const XmlElement*> nodes;  ///< children and instances, in order
};

/// Eye, point of interest and up direction: -z of the node points from the first to the second.
Eigen::Matrix4d lookat_matrix(const std::vector<double>& v) {
  const Eigen::Vector3d eye(v[0], v[1], v[2]);
  const Eigen::Vector3d back = (eye - Eigen::Vector3d(v[3], v[4], v[5])).stableNormalized();
  const Eigen::Vector3d right = Eigen::Vector3d(v[6], v[7], v[8]).cross(back).stableNormalized();
  Eigen::Matrix4d matrix = Eigen::Matrix4d::Identity();
  matrix.block<3, 4>(0, 0) << right, back.cross(right), back, eye;
  return matrix;
}

class ColladaReader {
 public:
  ColladaReader(std::string_view text, const std::string& name, std::uint64_t max_triangles)
      : file_(text, name), meshes_(file_), builder_(name, max_triangles), max_nodes_(max_triangles) {}

  MeshFile parse() {
    add_nodes(scene());
    MeshFile file = builder_.take();
    tell_asset(file);
    return file;
  }

 private:
  const XmlElement& scene() const {
    const XmlDocument& xml = file_.xml();
    if (const XmlElement* scene = xml.child(xml.root(), "scene")) {
      if (const XmlElement* instance = xml.child(*scene, "instance_visual_scene"))
        return file_.referred(*instance, "url", "visual_scene");
    }
    const XmlElement* library = xml.child(xml.root(), "library_visual_scenes");
    const XmlElement* first = library == nullptr ? nullptr : xml.child(*library, "visual_scene");
    require(first != nullptr, ErrorCode::bad_mesh, "{}: has no visual scene", file_.name());
    return *first;
  }

  void tell_asset(MeshFile& file) const {
    const XmlDocument& xml = file_.xml();
    file.up = std::string("y");
    file.up_told_by = file.unit_told_by = ToldBy::format;
    const XmlElement* asset = xml.child(xml.root(), "asset");
    if (asset == nullptr) return;
    if (const XmlElement* up = xml.child(*asset, "up_axis")) {
      const std::size_t at = up->text.find_first_not_of(" \t\r\n");
      const std::string_view axis = at == std::string_view::npos ? std::string_view() : up->text.substr(at, 4);
      if (axis != "X_UP" && axis != "Y_UP" && axis != "Z_UP") file_.fail_at(*up, "expected X_UP, Y_UP or Z_UP");
      file.up = std::string(1, static_cast<char>(axis[0] - 'X' + 'x'));
      file.up_told_by = ToldBy::file;
    }
    const XmlElement* unit = xml.child(*asset, "unit");
    if (unit == nullptr || !unit->attribute("meter")) return;
    XmlElement meter;
    meter.text = *unit->attribute("meter");
    meter.line = unit->line;
    const std::vector<double> lengths = file_.numbers(meter);
    if (lengths.size() != 1 || !(lengths[0] > 0) || !std::isfinite(lengths[0]))
      file_.fail_at(*unit, fmt::format("meter is \"{}\"; expected a positive number", meter.text.substr(0, 40)));
    file.unit = lengths[0];
    file.unit_told_by = ToldBy::file;
  }

  /// Depth first. Instances may unfold into any number of nodes, or into themselves: both are bounded.
  void add_nodes(const XmlElement& root) {
    struct Visit {
      const ColladaNode* node;
      Eigen::Matrix4d to_world;
      std::size_t next = 0;
    };
    constexpr std::size_t max_depth = 1000;
    std::uint64_t visited = 0;
    std::vector<Visit> open;
    const auto enter = [&](const XmlElement& element, const Eigen::Matrix4d& parent) {
      require(++visited <= max_nodes_, ErrorCode::unsupported,
              "{}: unfolds into more than {} nodes; if that is meant, raise max_triangles (--max-triangles)",
              file_.name(), max_nodes_);
      require(open.size() < max_depth, ErrorCode::bad_format,
              "{}: nodes are nested more than {} deep, or a node is an instance of itself", file_.name(), max_depth);
      const ColladaNode& entered = node(element);
      open.push_back({&entered, parent * entered.matrix});
      add_object(entered, open.back().to_world);
    };
    enter(root, Eigen::Matrix4d::Identity());
    while (!open.empty()) {
      Visit& visit = open.back();
      if (visit.next == visit.node->nodes.size()) {
        open.pop_back();
      } else {
        const XmlElement& child = *visit.node->nodes[visit.next++];
        enter(child, Eigen::Matrix4d(visit.to_world));
      }
    }
  }

  void add_object(const ColladaNode& node, const Eigen::Matrix4d& to_world) {
    if (node.geometries.empty()) return;
    builder_.begin_object(node.name);
    for (const XmlElement* geometry : node.geometries) {
      const TriangleMesh& mesh = meshes_.mesh(*geometry);
      std::vector<Index> vertex(mesh.positions.size(), none);
      for (const Triangle& triangle : mesh.triangles) {
        Triangle placed;
        for (std::size_t k = 0; k < 3; ++k) {
          const auto corner = static_cast<std::size_t>(triangle[k]);
          if (vertex[corner] == none)
            vertex[corner] = builder_.vertex((to_world * mesh.positions[corner].homogeneous()).head<3>());
          placed[k] = vertex[corner];
        }
        builder_.triangle(placed);
      }
    }
  }

  const ColladaNode& node(const XmlElement& element) {
    const auto found = nodes_.find(&element);
    if (found != nodes_.end()) return found->second;
    ColladaNode node;
    for (const std::size_t child : element.children) add_child(file_.xml()[child], node);
    node.name = element.attribute("name").value_or("");
    if (node.name.empty()) node.name = element.attribute("id").value_or("");
    if (node.name.empty() && !node.geometries.empty()) node.name = node.geometries[0]->attribute("name").value_or("");
    if (node.name.empty()) node.name = default_object_name(file_.name());
    return nodes_.emplace(&element, std::move(node)).first->second;
  }

  void add_child(const XmlElement& child, ColladaNode& node) {
    if (child.name == "node") {
      node.nodes.push_back(&child);
    } else if (child.name == "instance_node") {
      node.nodes.push_back(&file_.referred(child, "url", "node"));
    } else if (child.name == "instance_geometry") {
      node.geometries.push_back(&file_.referred(child, "url", "geometry"));
    } else if (child.name == "instance_controller") {
      node.geometries.push_back(&controlled(child));
    } else if (child.name == "translate") {
      const auto v = exactly(child, 3);
      node.matrix *= Eigen::Affine3d(Eigen::Translation3d(v[0], v[1], v[2])).matrix();
    } else if (child.name == "scale") {
      const auto v = exactly(child, 3);
      node.matrix *= Eigen::Affine3d(Eigen::Scaling(v[0], v[1], v[2])).matrix();
    } else if (child.name == "rotate") {
      const auto v = exactly(child, 4);
      const Eigen::Vector3d axis(v[0], v[1], v[2]);
      if (!axis.isZero(0)) {
        const Eigen::AngleAxisd turn(v[3] * std::numbers::pi / 180, axis.stableNormalized());
        node.matrix *= Eigen::Affine3d(turn).matrix();
      }
    } else if (child.name == "matrix") {
      node.matrix *= Eigen::Map<const Eigen::Matrix<double, 4, 4, Eigen::RowMajor>>(exactly(child, 16).data()).eval();
    } else if (child.name == "lookat") {
      node.matrix *= lookat_matrix(exactly(child, 9));
    } else if (child.name == "skew") {
      fail(ErrorCode::unsupported, "{}, line {}: <skew> is not supported", file_.name(), child.line);
    }  // lights, cameras, extras: not about where the triangles are
  }

  /// The geometry that skins and morphs begin with: bodies are read at rest.
  const XmlElement& controlled(const XmlElement& instance) const {
    const XmlElement* at = &file_.referred(instance, "url", "controller");
    constexpr int max_chain = 16;
    for (int i = 0; i < max_chain; ++i) {
      const XmlElement* skin = file_.xml().child(*at, "skin");
      if (skin == nullptr) skin = file_.xml().child(*at, "morph");
      if (skin == nullptr) file_.fail_at(*at, "has neither a skin nor a morph");
      at = &file_.referred(*skin, "source", "");
      if (at->name == "geometry") return *at;
      if (at->name != "controller") file_.fail_at(*skin, "its source is no geometry");
    }
    file_.fail_at(instance, fmt::format("more than {} controllers of each other", max_chain));
  }

  std::vector<double> exactly(const XmlElement& element, std::size_t count) const {
    std::vector<double> values = file_.numbers(element);
    if (values.size() != count)
      file_.fail_at(element, fmt::format("expected {} numbers, found {}", count, values.size()));
    return values;
  }

  ColladaFile file_;
  ColladaMeshes meshes_;
  MeshBuilder builder_;
  std::uint64_t max_nodes_;
  std::unordered_map<const XmlElement*, ColladaNode> nodes_;
};

}  // namespace

MeshFile parse_collada(std::string_view text, const std::string& name, std::uint64_t max_triangles) {
  return ColladaReader(text, name, triangle_limit(max_triangles, text.size())).parse();
}

}  // namespace carom::io

#include <charconv>
#include <map>

#include "core/check.hpp"
#include "io/mesh/mesh_builder.hpp"
#include "io/mesh/mesh_parse.hpp"
#include "io/mesh/xml.hpp"
#include "io/mesh/zip.hpp"

namespace carom::io {
namespace {

/// Levels of components of components.
constexpr int max_levels_3mf = 32;

using Transform = Eigen::Matrix<double, 3, 4>;

struct ModelObject {
  const XmlDocument* document = nullptr;
  const XmlElement* element = nullptr;
  std::string name;
};

class ThreeMf {
 public:
  ThreeMf(std::span<const std::uint8_t> bytes, const std::string& name, std::uint64_t max_triangles)
      : archive_(bytes, name), name_(name), builder_(name, triangle_limit(max_triangles, bytes.size())) {}

  MeshFile run() {
    const std::string main = path_of_model();
    const XmlDocument& document = load(main);
    const XmlElement* build = document.child(document.root(), "build");
    require(build != nullptr, ErrorCode::bad_format, "{}: {}: has no build", name_, main);
    for (const std::size_t i : build->children) {
      const XmlElement& item = document[i];
      if (item.name != "item") continue;
      add(path_of(item, main), id_of(item, "objectid"), transform_of(item), "", 0);
    }
    MeshFile file = builder_.take();
    file.unit = unit_of(document);
    file.unit_told_by = ToldBy::file;
    file.up = std::string("z");  // GCC 12 warns of an assignment of characters
    file.up_told_by = ToldBy::format;
    return file;
  }

 private:
  std::string path_of_model() {
    const std::string rels = "_rels/.rels";
    if (archive_.has(rels)) {
      const std::string text = archive_.read(rels);
      const XmlDocument document(text, name_ + ": " + rels);
      for (const std::size_t i : document.root().children) {
        const std::string_view type = document[i].attribute("Type").value_or("");
        const std::string_view target = document[i].attribute("Target").value_or("");
        if (type.ends_with("/3dmodel") && !target.empty())
          return std::string(target.substr(target.starts_with('/') ? 1 : 0));
      }
    }
    return "3D/3dmodel.model";
  }

  const XmlDocument& load(const std::string& path) {
    const auto known = documents_.find(path);
    if (known != documents_.end()) return *known->second;
    const std::string& text = texts_[path] = archive_.read(path);
    auto& document = documents_[path] = std::make_unique<XmlDocument>(text, name_ + ": " + path);
    if (const XmlElement* resources = document->child(document->root(), "resources")) {
      for (const std::size_t i : resources->children) {
        const XmlElement& element = (*document)[i];
        if (element.name != "object") continue;
        objects_[{path, std::string(element.attribute("id").value_or(""))}] = {
            document.get(), &element, std::string(element.attribute("name").value_or(""))};
      }
    }
    return *document;
  }

  /// Model file of an item or a component, of the production extension.
  static std::string path_of(const XmlElement& element, const std::string& here) {
    for (const auto& [key, value] : element.attributes) {
      if (key == "path" || key.ends_with(":path")) return std::string(value.substr(value.starts_with('/') ? 1 : 0));
    }
    return here;
  }

  std::string id_of(const XmlElement& element, std::string_view name) const {
    const auto id = element.attribute(name);
    require(id.has_value(), ErrorCode::bad_format, "{}: line {}: \"{}\" is missing", name_, element.line, name);
    return std::string(*id);
  }

  double number(const XmlElement& element, std::string_view text) const {
    double value = 0;
    const char* first = text.data() + (text.starts_with('+') ? 1 : 0);
    const auto [end, error] = std::from_chars(first, text.data() + text.size(), value);
    require(error == std::errc() && end == text.data() + text.size(), ErrorCode::bad_format,
            "{}: line {}: '{}' is not a number", name_, element.line, text);
    return value;
  }

  Transform transform_of(const XmlElement& element) const {
    Transform t = Transform::Identity();
    const auto text = element.attribute("transform");
    if (!text) return t;
    std::string_view rest = *text;
    for (int row = 0; row < 4; ++row) {  // by rows of a matrix that is multiplied from the right
      for (int column = 0; column < 3; ++column) {
        while (!rest.empty() && rest.front() == ' ') rest.remove_prefix(1);
        const std::string_view word = rest.substr(0, rest.find(' '));
        require(!word.empty(), ErrorCode::bad_format, "{}: line {}: a transform has 12 numbers", name_, element.line);
        t(column, row) = number(element, word);
        rest.remove_prefix(word.size());
      }
    }
    return t;
  }

  static double unit_of(const XmlDocument& document) {
    const std::string_view unit = document.root().attribute("unit").value_or("millimeter");
    if (unit == "micron") return 1e-6;
    if (unit == "centimeter") return 1e-2;
    if (unit == "inch") return 0.0254;
    if (unit == "foot") return 0.3048;
    if (unit == "meter") return 1;
    return 1e-3;
  }

  void add(const std::string& path, const std::string& id, const Transform& transform, const std::string& parent,
           int level) {
    require(level < max_levels_3mf, ErrorCode::unsupported, "{}: components are nested more than {} levels deep", name_,
            max_levels_3mf);
    load(path);
    const auto found = objects_.find({path, id});
    require(found != objects_.end(), ErrorCode::bad_format, "{}: {}: has no object {}", name_, path, id);
    const ModelObject& object = found->second;
    const std::string own = object.name.empty() ? "object " + id : object.name;
    const std::string full = parent.empty() ? own : parent + "/" + own;
    if (const XmlElement* mesh = object.document->child(*object.element, "mesh"))
      add_mesh(*object.document, *mesh, transform, full);
    const XmlElement* components = object.document->child(*object.element, "components");
    if (components == nullptr) return;
    for (const std::size_t i : components->children) {
      const XmlElement& component = (*object.document)[i];
      if (component.name != "component") continue;
      // Components that hold nothing but components could unfold without a triangle.
      require(++visits_ < max_visits, ErrorCode::unsupported, "{}: unfolds into more than {} components", name_,
              max_visits);
      const Transform inner = transform_of(component);
      Transform both;
      both.leftCols<3>() = transform.leftCols<3>() * inner.leftCols<3>();
      both.col(3) = transform.leftCols<3>() * inner.col(3) + transform.col(3);
      add(path_of(component, path), id_of(component, "objectid"), both, full, level + 1);
    }
  }

  void add_mesh(const XmlDocument& document, const XmlElement& mesh, const Transform& transform,
                const std::string& name) {
    const int again = ++seen_[name];
    builder_.begin_object(again > 1 ? fmt::format("{} ({})", name, again) : name);
    const XmlElement* vertices = document.child(mesh, "vertices");
    const XmlElement* triangles = document.child(mesh, "triangles");
    require(vertices != nullptr && triangles != nullptr, ErrorCode::bad_format,
            "{}: line {}: a mesh has vertices and triangles", name_, mesh.line);
    std::vector<Eigen::Vector3d> points;
    for (const std::size_t i : vertices->children) {
      const XmlElement& v = document[i];
      const Eigen::Vector3d p(number(v, v.attribute("x").value_or("")), number(v, v.attribute("y").value_or("")),
                              number(v, v.attribute("z").value_or("")));
      points.emplace_back(transform.leftCols<3>() * p + transform.col(3));
    }
    const bool mirrored = transform.leftCols<3>().determinant() < 0;
    for (const std::size_t i : triangles->children) {
      const XmlElement& t = document[i];
      const auto corner = [&](std::string_view key) {
        const double value = number(t, t.attribute(key).value_or(""));
        require(value >= 0 && value < static_cast<double>(points.size()), ErrorCode::bad_index,
                "{}: line {}: vertex {} of {} vertices", name_, t.line, value, points.size());
        return builder_.vertex(points[static_cast<std::size_t>(value)]);
      };
      const Triangle corners{corner("v1"), corner(mirrored ? "v3" : "v2"), corner(mirrored ? "v2" : "v3")};
      if (corners[0] != corners[1] && corners[1] != corners[2] && corners[2] != corners[0]) builder_.triangle(corners);
    }
  }

  static constexpr std::size_t max_visits = 1'000'000;
  ZipArchive archive_;
  const std::string& name_;
  MeshBuilder builder_;
  std::map<std::string, std::string> texts_;
  std::map<std::string, std::unique_ptr<XmlDocument>> documents_;
  std::map<std::pair<std::string, std::string>, ModelObject> objects_;
  std::map<std::string, int> seen_;
  std::size_t visits_ = 0;
};

}  // namespace

MeshFile parse_3mf(std::span<const std::uint8_t> bytes, const std::string& name, std::uint64_t max_triangles) {
  return ThreeMf(bytes, name, max_triangles).run();
}

}  // namespace carom::io

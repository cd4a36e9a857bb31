#include "io/mesh/collada_mesh.hpp"

#include <algorithm>
#include <limits>

#include "core/check.hpp"
#include "io/mesh/mesh_parse.hpp"
#include "io/mesh/text_scanner.hpp"

namespace carom::io {

ColladaFile::ColladaFile(std::string_view text, const std::string& name) : name_(name), xml_(text, name) {
  if (xml_.root().name != "COLLADA") fail_at(xml_.root(), "expected COLLADA");
  for (std::size_t i = 0; i < xml_.size(); ++i) {
    if (const auto id = xml_[i].attribute("id")) by_id_.try_emplace(*id, i);
  }
}

void ColladaFile::fail_at(const XmlElement& element, std::string_view what) const {
  fail(ErrorCode::bad_format, "{}, line {}: <{}>: {}", name_, element.line, element.name, what);
}

const XmlElement& ColladaFile::referred(const XmlElement& element, std::string_view attribute,
                                        std::string_view kind) const {
  const auto value = element.attribute(attribute);
  if (!value) fail_at(element, fmt::format("has no {}", attribute));
  require(value->starts_with('#'), ErrorCode::unsupported, "{}, line {}: <{}> refers to another file, {}", name_,
          element.line, element.name, *value);
  const auto found = by_id_.find(value->substr(1));
  if (found == by_id_.end() || (!kind.empty() && xml_[found->second].name != kind)) {
    fail_at(element,
            fmt::format("there is no {} with the id \"{}\"", kind.empty() ? "element" : kind, value->substr(1, 80)));
  }
  return xml_[found->second];
}

std::vector<double> ColladaFile::numbers(const XmlElement& element) const {
  TextScanner scan(element.text, name_, '\0', element.line);
  std::vector<double> values;
  while (scan.skip_empty_lines()) values.push_back(scan.number("a number"));
  return values;
}

std::vector<std::int64_t> ColladaFile::integers(const XmlElement& element) const {
  TextScanner scan(element.text, name_, '\0', element.line);
  std::vector<std::int64_t> values;
  while (scan.skip_empty_lines()) values.push_back(scan.integer<std::int64_t>("an integer"));
  return values;
}

std::uint64_t ColladaFile::count(const XmlElement& element, std::string_view attribute, std::uint64_t otherwise) const {
  const auto text = element.attribute(attribute);
  if (!text) return otherwise;
  TextScanner scan(*text, name_, '\0', element.line);
  const auto value = scan.integer<std::uint64_t>(attribute);
  // Sums and products of two of these stay within 64 bits.
  if (value > std::numeric_limits<std::uint32_t>::max()) fail_at(element, fmt::format("{} is {}", attribute, value));
  return value;
}

Eigen::Vector3d ColladaMeshes::Positions::operator[](std::uint64_t i) const {
  const double* at = numbers->data() + offset + i * stride;
  return {at[axes[0]], at[axes[1]], at[axes[2]]};
}

const std::vector<double>& ColladaMeshes::array(const XmlElement& element) {
  const auto found = arrays_.find(&element);
  if (found != arrays_.end()) return found->second;
  std::vector<double> values = file_.numbers(element);
  const std::uint64_t told = file_.count(element, "count", values.size());
  if (told > values.size()) {
    fail(ErrorCode::truncated, "{}, line {}: <float_array>: count is {}, but there are {} numbers", file_.name(),
         element.line, told, values.size());
  }
  values.resize(told);
  return arrays_.emplace(&element, std::move(values)).first->second;
}

ColladaMeshes::Positions ColladaMeshes::positions(const XmlElement& source) {
  const XmlDocument& xml = file_.xml();
  const XmlElement* technique = xml.child(source, "technique_common");
  const XmlElement* accessor = technique == nullptr ? nullptr : xml.child(*technique, "accessor");
  if (accessor == nullptr) file_.fail_at(source, "has no accessor");
  Positions result;
  result.numbers = &array(file_.referred(*accessor, "source", "float_array"));
  result.offset = file_.count(*accessor, "offset", 0);
  result.stride = file_.count(*accessor, "stride", 1);
  result.count = file_.count(*accessor, "count", 0);
  std::uint64_t param = 0;
  for (const std::size_t child : accessor->children) {
    if (xml[child].name != "param") continue;
    const std::string_view axis = xml[child].attribute("name").value_or("");
    if (axis == "X" || axis == "Y" || axis == "Z") result.axes[static_cast<std::size_t>(axis[0] - 'X')] = param;
    ++param;
  }
  const std::uint64_t last = *std::max_element(result.axes.begin(), result.axes.end());
  if (result.stride <= last) file_.fail_at(*accessor, fmt::format("stride is {}; expected 3 or more", result.stride));
  if (result.count > 0 && result.offset + (result.count - 1) * result.stride + last >= result.numbers->size()) {
    file_.fail_at(*accessor, fmt::format("{} positions of {} numbers from number {} on are beyond the {} of its array",
                                         result.count, result.stride, result.offset, result.numbers->size()));
  }
  return result;
}

ColladaMeshes::Corners ColladaMeshes::corners(const XmlElement& primitive) {
  const XmlDocument& xml = file_.xml();
  Corners result;
  const XmlElement* source = nullptr;
  for (const std::size_t child : primitive.children) {
    const XmlElement& input = xml[child];
    if (input.name != "input") continue;
    const std::uint64_t offset = file_.count(input, "offset", 0);
    result.stride = std::max(result.stride, offset + 1);
    const std::string_view semantic = input.attribute("semantic").value_or("");
    if (source != nullptr || (semantic != "VERTEX" && semantic != "POSITION")) continue;
    result.offset = offset;
    if (semantic == "POSITION") {
      source = &file_.referred(input, "source", "source");
      continue;
    }
    const XmlElement& vertices = file_.referred(input, "source", "vertices");
    for (const std::size_t of_vertex : vertices.children) {
      if (xml[of_vertex].name == "input" && xml[of_vertex].attribute("semantic") == "POSITION")
        source = &file_.referred(xml[of_vertex], "source", "source");
    }
    if (source == nullptr) file_.fail_at(vertices, "has no input POSITION");
  }
  if (source == nullptr) file_.fail_at(primitive, "has no input VERTEX");
  result.positions = positions(*source);
  return result;
}

void ColladaMeshes::add_primitive(const XmlElement& primitive, TriangleMesh& mesh) {
  const XmlDocument& xml = file_.xml();
  const Corners layout = corners(primitive);
  std::unordered_map<std::int64_t, Index> used;  // position of the source to vertex of the mesh
  std::vector<std::int64_t> sizes;
  std::uint64_t polygons = 0;
  for (const std::size_t child : primitive.children) {
    const XmlElement& element = xml[child];
    require(element.name != "ph", ErrorCode::unsupported, "{}, line {}: polygons with holes are not supported",
            file_.name(), element.line);
    if (element.name == "vcount") sizes = file_.integers(element);
    if (element.name != "p") continue;
    const std::vector<std::int64_t> indices = file_.integers(element);
    if (indices.size() % layout.stride != 0) {
      file_.fail_at(element, fmt::format("has {} indices, no multiple of {}", indices.size(), layout.stride));
    }
    std::vector<Index> corner;
    for (std::size_t i = layout.offset; i < indices.size(); i += layout.stride) {
      const std::int64_t index = indices[i];
      if (index < 0 || static_cast<std::uint64_t>(index) >= layout.positions.count) {
        fail(ErrorCode::bad_index, "{}, line {}: there is no vertex {}; the source has {}", file_.name(), element.line,
             index, layout.positions.count);
      }
      const auto [at, is_new] = used.try_emplace(index, static_cast<Index>(mesh.positions.size()));
      if (is_new) mesh.positions.push_back(layout.positions[static_cast<std::uint64_t>(index)]);
      corner.push_back(at->second);
    }
    if (primitive.name == "polygons" || primitive.name == "tristrips" || primitive.name == "trifans") {
      primitive.name == "tristrips" ? add_strip(corner, mesh.triangles) : add_fan(corner, mesh.triangles);
      ++polygons;
      continue;
    }
    if (primitive.name == "triangles") sizes.assign(corner.size() / 3, 3);
    std::size_t begin = 0;
    for (const std::int64_t size : sizes) {
      if (size < 0 || static_cast<std::uint64_t>(size) > corner.size() - begin) break;
      add_fan(std::span(corner).subspan(begin, static_cast<std::size_t>(size)), mesh.triangles);
      begin += static_cast<std::size_t>(size);
    }
    if (begin != corner.size()) {
      file_.fail_at(element,
                    fmt::format("has {} corners, which are not those of {} polygons", corner.size(), sizes.size()));
    }
    polygons += sizes.size();
  }
  if (file_.count(primitive, "count", polygons) != polygons) {
    file_.fail_at(primitive, fmt::format("count is {}, but there are {}", *primitive.attribute("count"), polygons));
  }
}

TriangleMesh ColladaMeshes::read(const XmlElement& geometry) {
  constexpr std::array<std::string_view, 5> with_triangles{"triangles", "polylist", "polygons", "tristrips", "trifans"};
  TriangleMesh mesh;
  const XmlElement* element = file_.xml().child(geometry, "mesh");
  if (element == nullptr) return mesh;  // splines and convex hulls of other geometry
  for (const std::size_t child : element->children) {
    const XmlElement& primitive = file_.xml()[child];
    if (std::find(with_triangles.begin(), with_triangles.end(), primitive.name) != with_triangles.end())
      add_primitive(primitive, mesh);
  }
  return mesh;
}

const TriangleMesh& ColladaMeshes::mesh(const XmlElement& geometry) {
  const auto found = meshes_.find(&geometry);
  if (found != meshes_.end()) return found->second;
  return meshes_.emplace(&geometry, read(geometry)).first->second;
}

}  // namespace carom::io

#include <cmath>
#include <limits>
#include <utility>

#include "core/check.hpp"
#include "io/base64.hpp"
#include "io/json/json_value.hpp"
#include "io/mesh/mesh_encode.hpp"

namespace carom::io {

namespace {

constexpr int component_uint = 5125;
constexpr int component_float = 5126;

/// The JSON of a glTF file and the bytes that it speaks of.
struct GltfDocument {
  std::string nodes, meshes, accessors, views;
  std::string roots;
  ByteWriter bytes;

  std::string json(std::string_view uri) const {
    return fmt::format(
        R"({{"asset":{{"version":"2.0","generator":"carom"}},"scene":0,"scenes":[{{"nodes":[{}]}}],"nodes":[{}],)"
        R"("meshes":[{}],"accessors":[{}],"bufferViews":[{}],"buffers":[{{"byteLength":{}{}}}]}})",
        roots, nodes, meshes, accessors, views, bytes.bytes().size(), uri);
  }
};

void append_item(std::string& list, std::string_view item) {
  if (!list.empty()) list += ',';
  list += item;
}

/// A view of the bytes from `begin` on, for positions (ARRAY_BUFFER) or indices (ELEMENT_ARRAY_BUFFER).
void append_view(GltfDocument& document, std::size_t begin, int target) {
  append_item(document.views, fmt::format(R"({{"buffer":0,"byteOffset":{},"byteLength":{},"target":{}}})", begin,
                                          document.bytes.bytes().size() - begin, target));
}

void append_gltf_object(const WrittenMesh& written, std::size_t object, const std::string& file,
                        std::vector<Index>& renamed, GltfDocument& document) {
  constexpr int array_buffer = 34962, element_array_buffer = 34963;
  std::vector<Index> used;
  const std::size_t indices_begin = document.bytes.bytes().size();
  const std::size_t first = written.object_begin[object], last = written.object_begin[object + 1];
  for (std::size_t i = first; i < last; ++i) {
    for (const Index corner : written.mesh.triangles[i]) {
      Index& name = renamed[static_cast<std::size_t>(corner)];
      if (name == none) {
        name = static_cast<Index>(used.size());
        used.push_back(corner);
      }
      document.bytes.put(static_cast<std::uint32_t>(name));
    }
  }
  append_view(document, indices_begin, element_array_buffer);
  const std::size_t positions_begin = document.bytes.bytes().size();
  Eigen::Vector3f box_min = Eigen::Vector3f::Constant(std::numeric_limits<float>::infinity());
  Eigen::Vector3f box_max = -box_min;
  for (const Index v : used) {
    renamed[static_cast<std::size_t>(v)] = none;
    const Eigen::Vector3f position = written.mesh.positions[static_cast<std::size_t>(v)].cast<float>();
    require(position.allFinite(), ErrorCode::unsupported,
            "{}: vertex {} is beyond the range of single precision, in which glTF stores positions", file, v);
    box_min = box_min.cwiseMin(position);
    box_max = box_max.cwiseMax(position);
    for (const float x : position) document.bytes.put(x);
  }
  append_view(document, positions_begin, array_buffer);
  append_item(document.roots, std::to_string(object));
  append_item(document.nodes, fmt::format(R"({{"name":{},"mesh":{}}})", quote_json(written.name(object)), object));
  append_item(document.meshes,
              fmt::format(R"({{"name":{},"primitives":[{{"attributes":{{"POSITION":{}}},"indices":{}}}]}})",
                          quote_json(written.name(object)), 2 * object + 1, 2 * object));
  append_item(document.accessors, fmt::format(R"({{"bufferView":{},"componentType":{},"count":{},"type":"SCALAR"}})",
                                              2 * object, component_uint, 3 * (last - first)));
  append_item(document.accessors,
              fmt::format(R"({{"bufferView":{},"componentType":{},"count":{},"type":"VEC3","min":[{},{},{}],)"
                          R"("max":[{},{},{}]}})",
                          2 * object + 1, component_float, used.size(), box_min.x(), box_min.y(), box_min.z(),
                          box_max.x(), box_max.y(), box_max.z()));
}

GltfDocument make_gltf(const WrittenMesh& written, const std::string& file) {
  GltfDocument document;
  std::vector<Index> renamed(written.mesh.positions.size(), none);
  for (std::size_t i = 0; i < written.objects(); ++i) append_gltf_object(written, i, file, renamed, document);
  return document;
}

}  // namespace

ByteWriter encode_gltf(const WrittenMesh& written, const std::string& file) {
  const GltfDocument document = make_gltf(written, file);
  std::string uri = R"(,"uri":"data:application/octet-stream;base64,)";
  append_base64(document.bytes.bytes(), uri);
  uri += '"';
  ByteWriter out;
  out.put(std::string_view(document.json(uri)));
  return out;
}

ByteWriter encode_glb(const WrittenMesh& written, const std::string& file) {
  const GltfDocument document = make_gltf(written, file);
  std::string json = document.json("");
  while (json.size() % 4 != 0) json += ' ';
  const std::uint64_t size = 12 + 8 + json.size() + 8 + document.bytes.bytes().size();
  require(size <= std::numeric_limits<std::uint32_t>::max(), ErrorCode::unsupported,
          "{}: {} bytes are more than binary glTF can count", file, size);
  ByteWriter out;
  out.put(std::string_view("glTF"));
  for (const std::uint64_t value : {std::uint64_t{2}, size, std::uint64_t{json.size()}})
    out.put(static_cast<std::uint32_t>(value));
  out.put(std::string_view("JSON"));
  out.put(std::string_view(json));
  out.put(static_cast<std::uint32_t>(document.bytes.bytes().size()));
  out.put(std::string_view("BIN\0", 4));
  out.put(document.bytes.bytes());
  return out;
}

}  // namespace carom::io

#include <gtest/gtest.h>

#include <random>

#include "carom/io/mesh_file.hpp"
#include "collada_text.hpp"
#include "gltf_text.hpp"
#include "temp_folder.hpp"

namespace carom::test {
namespace {

/// Two boxes' worth of numbers is enough for every field of a format to be hit.
MeshFile two_triangles() {
  MeshFile file;
  file.mesh.positions = {{0, 0, 0}, {1, 0, 0}, {0, 1, 0}, {0, 0, 1}, {1, 0, 1}, {0, 1, 1}};
  file.mesh.triangles = {{0, 1, 2}, {3, 4, 5}};
  file.object_of_triangle = {0, 1};
  file.object_names = {"a", "b"};
  return file;
}

std::string bytes_of(const std::filesystem::path& path) {
  std::ifstream in(path, std::ios::binary);
  return {std::istreambuf_iterator<char>(in), {}};
}

/// Changes bytes at random, with those that make numbers large among them, and reads each result: it is a mesh within
/// the limits, or an Error that names the file.
void read_damaged(const std::string& name, const std::string& good, int tries) {
  const TempFolder folder;
  std::mt19937 random(1);
  const auto pick = [&](std::size_t count) { return static_cast<std::size_t>(random() % count); };
  constexpr std::string_view likely = "0123456789-#<>/\"[]{},. eE";
  EXPECT_NO_THROW(read_mesh_file(folder.file(name, good)));
  for (int i = 0; i < tries; ++i) {
    std::string bad = good;
    for (std::size_t changes = 1 + pick(3); changes > 0; --changes) {
      const std::size_t at = pick(bad.size());
      switch (pick(4)) {
        case 0:
          bad[at] = static_cast<char>(random());
          break;
        case 1:
          bad[at] = likely[pick(likely.size())];
          break;
        case 2:
          bad.insert(at, std::string(1 + pick(9), likely[pick(10)]));
          break;
        default:
          bad.erase(at, 1 + pick(30));
          if (bad.empty()) bad = " ";
      }
    }
    try {
      const MeshFile file = read_mesh_file(folder.file(name, bad));
      EXPECT_LE(file.mesh.triangles.size(), 1000u);
      EXPECT_LE(file.mesh.positions.size(), bad.size());
      EXPECT_EQ(file.object_of_triangle.size(), file.mesh.triangles.size());
    } catch (const Error& error) {
      EXPECT_NE(std::string_view(error.what()).find(folder.path().string()), std::string_view::npos) << error.what();
    }
  }
}

TEST(MeshDamage, EveryFormatWeWrite) {
  const TempFolder folder;
  for (const std::string name : {"a.obj", "a.ply", "a.stl", "a.gltf", "a.glb"}) {
    write_mesh_file(folder / name, two_triangles());
    read_damaged(name, bytes_of(folder / name), 300);
  }
}

TEST(MeshDamage, Off) {
  read_damaged("a.off", "OFF\n4 2 0\n0 0 0\n1 0 0\n1 1 0\n0 1 0\n3 0 1 2\n4 0 1 2 3\n", 300);
}

TEST(MeshDamage, Collada) {
  read_damaged("a.dae",
               collada_text(R"(<unit name="millimeter" meter="0.001"/><up_axis>Z_UP</up_axis>)",
                            "<node id='m'><matrix>1 0 0 0 0 1 0 0 0 0 1 0 0 0 0 1</matrix><instance_node url='#l'/>" +
                                collada_node + "</node>",
                            "<library_nodes><node id='l'><instance_geometry url='#g'/></node></library_nodes>"),
               1000);
}

TEST(MeshDamage, InstancedGltf) {
  io::ByteWriter buffer = buffer_of(small_triangle);
  for (const float x : {0.F, 0.F, 0.F, 5.F, 0.F, 0.F}) buffer.put(x);
  read_damaged("a.gltf",
               gltf_text(R"(
      "nodes": [{"mesh": 0, "children": [1]}, {"mesh": 0, "extensions": {"EXT_mesh_gpu_instancing":
         {"attributes": {"TRANSLATION": 1}}}}], "scenes": [{"nodes": [0]}],
      "meshes": [{"primitives": [{"attributes": {"POSITION": 0}}]}],
      "accessors": [{"bufferView": 0, "componentType": 5126, "count": 3, "type": "VEC3"},
                    {"bufferView": 0, "byteOffset": 36, "componentType": 5126, "count": 2, "type": "VEC3",
                     "sparse": {"count": 1, "indices": {"bufferView": 0, "componentType": 5121},
                                "values": {"bufferView": 0}}}],
      "bufferViews": [{"buffer": 0, "byteLength": 60}])",
                         buffer),
               500);
}

}  // namespace
}  // namespace carom::test

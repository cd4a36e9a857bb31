#include <gtest/gtest.h>

#include "carom/io/mesh_file.hpp"
#include "gltf_text.hpp"
#include "temp_folder.hpp"

namespace carom::test {
namespace {

using Names = std::vector<std::string>;
using Triangles = std::vector<Triangle>;

TEST(Gltf, QuantizedPositionsAreScaledByTheirNode) {
  const TempFolder folder;
  // Unsigned shorts as they are, 8 bytes apart; the node makes millimetres of them.
  const auto shorts = buffer_of<std::uint16_t>({0, 0, 0, 0, 1000, 0, 0, 0, 0, 2000, 65535, 0});
  const MeshFile plain = read_mesh_file(folder.file("a.gltf", gltf_text(R"(
      "extensionsUsed": ["KHR_mesh_quantization"], "extensionsRequired": ["KHR_mesh_quantization"],
      "nodes": [{"mesh": 0, "scale": [0.001, 0.001, 0.001], "translation": [1, 0, 0]}],
      "meshes": [{"primitives": [{"attributes": {"POSITION": 0}}]}],
      "accessors": [{"bufferView": 0, "componentType": 5123, "count": 3, "type": "VEC3"}],
      "bufferViews": [{"buffer": 0, "byteLength": 24, "byteStride": 8}])",
                                                                        shorts)));
  ASSERT_EQ(plain.mesh.positions.size(), 3u);
  EXPECT_TRUE(plain.mesh.positions[0].isApprox(Eigen::Vector3d(1, 0, 0), 1e-15));
  EXPECT_TRUE(plain.mesh.positions[1].isApprox(Eigen::Vector3d(2, 0, 0), 1e-15));
  EXPECT_TRUE(plain.mesh.positions[2].isApprox(Eigen::Vector3d(1, 2, 65.535), 1e-15));

  // Normalized bytes are fractions of 127, and -128 is -1 as well.
  const auto bytes = buffer_of<std::int8_t>({0, 0, 0, 0, 127, -127, -128, 0, 0, 127, 0, 0});
  const MeshFile normalized = read_mesh_file(folder.file("b.glb", glb_bytes(R"(
      "extensionsRequired": ["KHR_mesh_quantization"], "nodes": [{"mesh": 0}],
      "meshes": [{"primitives": [{"attributes": {"POSITION": 0}}]}],
      "accessors": [{"bufferView": 0, "componentType": 5120, "normalized": true, "count": 3, "type": "VEC3"}],
      "bufferViews": [{"buffer": 0, "byteLength": 12, "byteStride": 4}])",
                                                                            bytes)));
  ASSERT_EQ(normalized.mesh.positions.size(), 3u);
  EXPECT_EQ(normalized.mesh.positions[1], Eigen::Vector3d(1, -1, -1));
  EXPECT_EQ(normalized.mesh.positions[2], Eigen::Vector3d(0, 1, 0));
}

TEST(Gltf, InstancesAreObjects) {
  const TempFolder folder;
  std::vector<float> values = small_triangle;
  for (const float x : {0.F, 0.F, 0.F, 10.F, 0.F, 0.F, 0.F, 20.F, 0.F}) values.push_back(x);  // translations
  for (const float s : {1.F, 1.F, 1.F, 2.F, 2.F, 2.F, 3.F, 1.F, 1.F}) values.push_back(s);    // scales
  for (const float q : {0.F, 0.F, 0.F, 1.F, 0.F, 0.F, 1.F, 0.F, 0.F, 0.F, 0.F, 1.F}) values.push_back(q);  // rotations
  const std::string members = R"(
      "extensionsUsed": ["EXT_mesh_gpu_instancing"],
      "nodes": [{"name": "tree", "mesh": 0, "translation": [0, 0, 5], "extensions": {"EXT_mesh_gpu_instancing":
         {"attributes": {"TRANSLATION": 1, "SCALE": 2, "ROTATION": 3, "_ID": 7}}}}],
      "meshes": [{"primitives": [{"attributes": {"POSITION": 0}}]}],
      "accessors": [{"bufferView": 0, "componentType": 5126, "count": 3, "type": "VEC3"},
                    {"bufferView": 0, "byteOffset": 36, "componentType": 5126, "count": 3, "type": "VEC3"},
                    {"bufferView": 0, "byteOffset": 72, "componentType": 5126, "count": 3, "type": "VEC3"},
                    {"bufferView": 0, "byteOffset": 108, "componentType": 5126, "count": 3, "type": "VEC4"}],
      "bufferViews": [{"buffer": 0, "byteLength": 156}])";
  const MeshFile file = read_mesh_file(folder.file("a.glb", glb_bytes(members, buffer_of(values))));
  EXPECT_EQ(file.object_names, (Names{"tree[0]", "tree[1]", "tree[2]"}));
  EXPECT_EQ(file.object_of_triangle, (std::vector<Index>{0, 1, 2}));
  ASSERT_EQ(file.mesh.positions.size(), 9u);
  EXPECT_EQ(file.mesh.positions[1], Eigen::Vector3d(1, 0, 5));
  EXPECT_EQ(file.mesh.positions[4], Eigen::Vector3d(8, 0, 5)) << "half a turn about z";
  EXPECT_EQ(file.mesh.positions[5], Eigen::Vector3d(10, -2, 5));
  EXPECT_EQ(file.mesh.positions[7], Eigen::Vector3d(3, 20, 5));

  std::string uneven = members;
  uneven.replace(uneven.find("\"count\": 3, \"type\": \"VEC4\""), 10, "\"count\": 2");
  expect_error(ErrorCode::bad_format, {"b.gltf", "ROTATION"},
               [&] { read_mesh_file(folder.file("b.gltf", gltf_text(uneven, buffer_of(values)))); });
}

TEST(Gltf, ExtensionsThatHoldGeometryAndAreNotKnownAreRefusedByName) {
  const TempFolder folder;
  const auto with = [&](const std::string& extensions) {
    return folder.file("a.gltf", gltf_text(extensions + small_triangle_members + R"("nodes": [{"mesh": 0}])",
                                           buffer_of(small_triangle)));
  };
  expect_error(ErrorCode::unsupported, {"a.gltf", "EXT_meshopt_compression"},
               [&] { read_mesh_file(with(R"("extensionsRequired": ["EXT_meshopt_compression"], )")); });
  expect_error(ErrorCode::unsupported, {"a.gltf", "ACME_warp"},
               [&] { read_mesh_file(with(R"("extensionsRequired": ["KHR_materials_unlit", "ACME_warp"], )")); });
  // assimp would leave the instances out, and read shorts as floats.
  expect_error(ErrorCode::unsupported, {"a.gltf", "EXT_mesh_gpu_instancing"}, [&] {
    read_mesh_file(with(R"("extensionsUsed": ["EXT_mesh_gpu_instancing", "KHR_draco_mesh_compression"], )"));
  });
  expect_error(ErrorCode::unsupported, {"a.gltf", "KHR_mesh_quantization"}, [&] {
    read_mesh_file(with(R"("extensionsRequired": ["KHR_mesh_quantization", "KHR_draco_mesh_compression"], )"));
  });
  // Appearance does not matter, nor do extensions that can be left out.
  for (const char* fine : {R"("extensionsRequired": ["KHR_materials_unlit", "KHR_texture_transform"], )",
                           R"("extensionsUsed": ["ACME_warp"], )", ""}) {
    EXPECT_EQ(read_mesh_file(with(fine)).mesh.triangles.size(), 1u) << fine;
  }
}

TEST(Gltf, StripsFansIndicesAndZeros) {
  const TempFolder folder;
  // A square of 4 corners, and indices of 1 byte: a strip with a triangle that only joins, then a fan.
  io::ByteWriter buffer = buffer_of<float>({0, 0, 0, 1, 0, 0, 0, 1, 0, 1, 1, 0});
  for (const int index : {0, 1, 2, 3, 3, 0, 1, 3, 2}) buffer.put(static_cast<std::uint8_t>(index));
  const std::string views = R"("bufferViews": [{"buffer": 0, "byteLength": 57}], "nodes": [{"mesh": 0}],
      "accessors": [{"bufferView": 0, "componentType": 5126, "count": 4, "type": "VEC3"},
                    {"bufferView": 0, "byteOffset": 48, "componentType": 5121, "count": 5, "type": "SCALAR"},
                    {"bufferView": 0, "byteOffset": 53, "componentType": 5121, "count": 4, "type": "SCALAR"},
                    {"componentType": 5126, "count": 3, "type": "VEC3", "sparse": {"count": 1,
                      "indices": {"bufferView": 0, "byteOffset": 49, "componentType": 5121},
                      "values": {"bufferView": 0, "byteOffset": 36}}}], )";
  const auto read = [&](const std::string& primitive) {
    return read_mesh_file(
               folder.file("a.gltf", gltf_text(views + R"("meshes": [{"primitives": [)" + primitive + "]}]", buffer)))
        .mesh;
  };
  EXPECT_EQ(read(R"({"attributes": {"POSITION": 0}, "indices": 1, "mode": 5})").triangles,
            (Triangles{{0, 1, 2}, {2, 1, 3}}));
  EXPECT_EQ(read(R"({"attributes": {"POSITION": 0}, "indices": 2, "mode": 6})").triangles,
            (Triangles{{0, 1, 2}, {0, 2, 3}}));
  // Zeros but for element 1, which is (1, 1, 0); joined, they are two vertices.
  EXPECT_EQ(read(R"({"attributes": {"POSITION": 3}})").positions, (std::vector<Eigen::Vector3d>{{0, 0, 0}, {1, 1, 0}}));
  expect_error(ErrorCode::bad_mesh, {"a.gltf", "no triangles"},
               [&] { read(R"({"attributes": {"POSITION": 0}, "mode": 1})"); });
}

TEST(Gltf, BuffersBesideTheFile) {
  const TempFolder folder;
  const auto bytes = buffer_of(small_triangle);
  folder.file("my data.bin", bytes.bytes());
  const auto with = [&](int length, const std::string& uri) {
    return folder.file("a.gltf", R"({"asset": {"version": "2.0"}, "buffers": [{"byteLength": )" +
                                     std::to_string(length) + R"(, "uri": ")" + uri + R"("}], )" +
                                     small_triangle_members + R"("scenes": [{"nodes": [0]}], "nodes": [{"mesh": 0}]})");
  };
  const MeshFile file = read_mesh_file(with(36, "my%20data.bin"));
  EXPECT_EQ(file.mesh.positions[2], Eigen::Vector3d(0, 1, 0));
  EXPECT_EQ(file.up, "y");
  EXPECT_EQ(file.up_told_by, ToldBy::format);
  EXPECT_EQ(file.unit_told_by, ToldBy::format);
  expect_error(ErrorCode::truncated, {"a.gltf", "40", "36"}, [&] { read_mesh_file(with(40, "my%20data.bin")); });
  expect_error(ErrorCode::io, {"none.bin", "No such file"}, [&] { read_mesh_file(with(36, "none.bin")); });
}

TEST(Gltf, WhatLiesIsRefused) {
  const TempFolder folder;
  const auto refuse = [&](ErrorCode code, const std::vector<std::string>& parts, const std::string& members) {
    expect_error(code, parts,
                 [&] { read_mesh_file(folder.file("a.gltf", gltf_text(members, buffer_of(small_triangle)))); });
  };
  const std::string node = R"("nodes": [{"mesh": 0}])";
  std::string more = small_triangle_members;
  more.replace(more.find("\"count\": 3"), 10, "\"count\": 4");
  refuse(ErrorCode::truncated, {"accessors[0]", "48", "36"}, more + node);
  std::string longer = small_triangle_members;
  longer.replace(longer.find("\"byteLength\": 36"), 16, "\"byteLength\": 44");
  refuse(ErrorCode::truncated, {"bufferViews[0]", "44", "36"}, longer + node);
  refuse(ErrorCode::bad_index, {"nodes[0].mesh", "meshes[7]"}, small_triangle_members + R"("nodes": [{"mesh": 7}])");
  refuse(ErrorCode::bad_format, {"nodes[0]", "own children"},
         small_triangle_members + R"("scenes": [{"nodes": [0]}], "nodes": [{"children": [1]}, {"children": [0]}])");
  // Zeros without bytes, and a few bytes that many nodes share.
  refuse(ErrorCode::unsupported, {"accessors[0]", "4000000000", "max_triangles"},
         R"("accessors": [{"componentType": 5126, "count": 4000000000, "type": "VEC3"}],
            "meshes": [{"primitives": [{"attributes": {"POSITION": 0}}]}], )" +
             node);
  std::string nodes = R"("nodes": [)";
  for (int i = 0; i < 50; ++i) nodes += R"({"mesh": 0},)";
  nodes.back() = ']';
  const auto path = folder.file("many.gltf", gltf_text(small_triangle_members + nodes, buffer_of(small_triangle)));
  EXPECT_EQ(read_mesh_file(path, {.max_triangles = 50}).object_names.size(), 50u);
  expect_error(ErrorCode::unsupported, {"many.gltf", "49", "--max-triangles"},
               [&] { read_mesh_file(path, {.max_triangles = 49}); });
}

}  // namespace
}  // namespace carom::test

#include "carom/io/mesh_file.hpp"

#include <gtest/gtest.h>

#include <cstring>
#include <limits>

#include "io/endian.hpp"
#include "temp_folder.hpp"

namespace carom::test {
namespace {

using Triangles = std::vector<Triangle>;

const TriangleMesh awkward{
    {{0.1, -0.0, 1.0 / 3}, {5e-324, 1e308, -1e-17}, {0.1 + 0.2, 123456789.123456789, 3}, {1, 1, 1}},
    {{0, 1, 2}, {3, 2, 1}, {0, 0, 0}}};

void expect_same(const TriangleMesh& left, const TriangleMesh& right) {
  EXPECT_EQ(left.triangles, right.triangles);
  ASSERT_EQ(left.positions.size(), right.positions.size());
  EXPECT_EQ(std::memcmp(left.positions.data(), right.positions.data(), 24 * left.positions.size()), 0);
}

TEST(MeshFiles, ObjAndPlyReadBackBitForBit) {
  const TempFolder folder;
  for (const std::string name : {"a.obj", "a.ply", "B.OBJ", "B.Ply"}) {
    write_mesh_file(folder / name, awkward);
    expect_same(read_mesh_file(folder / name).mesh, awkward);
  }
  const auto files = std::distance(std::filesystem::directory_iterator(folder.path()), {});
  EXPECT_EQ(files, 4) << "a temporary file was left behind";
}

TEST(MeshFiles, VtkIsLegacyBinaryPolydata) {
  const TempFolder folder;
  write_mesh_file(folder / "a.vtk", awkward);
  std::ifstream in(folder / "a.vtk", std::ios::binary);
  const std::string text{std::istreambuf_iterator<char>(in), {}};
  const std::string head = "# vtk DataFile Version 3.0\ncarom\nBINARY\nDATASET POLYDATA\nPOINTS 4 double\n";
  ASSERT_EQ(text.substr(0, head.size()), head);
  const auto* at = reinterpret_cast<const std::uint8_t*>(text.data()) + head.size();
  for (const Eigen::Vector3d& position : awkward.positions) {
    for (const double x : position) {
      EXPECT_EQ(io::load_big<double>(at), x);
      at += 8;
    }
  }
  const std::string middle = "\nPOLYGONS 3 12\n";
  ASSERT_EQ(text.substr(head.size() + 96, middle.size()), middle);
  at += middle.size();
  for (const Triangle& triangle : awkward.triangles) {
    for (const Index value : {3, triangle[0], triangle[1], triangle[2]}) {
      EXPECT_EQ(io::load_big<Index>(at), value);
      at += 4;
    }
  }
  EXPECT_EQ(text.size(), head.size() + 96 + middle.size() + 48 + 1);
}

TEST(MeshFiles, WritingRefusesWhatCannotBeReadBack) {
  const TempFolder folder;
  TriangleMesh mesh = awkward;
  mesh.triangles[1][0] = 4;
  expect_error(ErrorCode::bad_index, {"a.obj", "triangle 1"}, [&] { write_mesh_file(folder / "a.obj", mesh); });
  mesh = awkward;
  mesh.positions[2].y() = std::numeric_limits<double>::infinity();
  expect_error(ErrorCode::not_finite, {"a.ply", "vertex 2"}, [&] { write_mesh_file(folder / "a.ply", mesh); });
  expect_error(ErrorCode::unknown_name, {"a.off", ".obj .ply .vtk .stl .gltf .glb"},
               [&] { write_mesh_file(folder / "a.off", awkward); });
  expect_error(ErrorCode::io, {"none/a.obj:", "No such file"},
               [&] { write_mesh_file(folder / "none/a.obj", awkward); });
  EXPECT_TRUE(std::filesystem::is_empty(folder.path()));
}

TEST(MeshFiles, AFailedRenameLeavesNothing) {
  const TempFolder folder;
  std::filesystem::create_directories(folder / "a.obj/inside");
  expect_error(ErrorCode::io, {"a.obj"}, [&] { write_mesh_file(folder / "a.obj", awkward); });
  EXPECT_EQ(std::distance(std::filesystem::directory_iterator(folder.path()), {}), 1);
}

TEST(MeshFiles, ReadingNamesTheFile) {
  const TempFolder folder;
  for (const std::string name : {"none.obj", "none.ply", "none.off", "none.stl"}) {
    expect_error(ErrorCode::io, {name, "No such file"}, [&] { read_mesh_file(folder / name); });
  }
  std::filesystem::create_directory(folder / "dir.stl");
  expect_error(ErrorCode::io, {"dir.stl", "directory"}, [&] { read_mesh_file(folder / "dir.stl"); });
  folder.file("a.txt", "v 0 0 0");
  expect_error(ErrorCode::unknown_name, {"a.txt", ".obj .ply .off .stl .gltf .glb .dae .fbx"},
               [&] { read_mesh_file(folder / "a.txt"); });
  folder.file("empty.obj", "# nothing\n");
  expect_error(ErrorCode::bad_mesh, {"empty.obj"}, [&] { read_mesh_file(folder / "empty.obj"); });
}

TEST(MeshFiles, KnownExtensions) {
  for (const char* name : {"a.obj", "a.PLY", "a.off", "a.stl", "a.gltf", "a.glb", "a.dae", "a.fbx"}) {
    EXPECT_TRUE(is_mesh_file(name)) << name;
  }
  for (const char* name : {"a.vtk", "a.carom", "obj", "a"}) EXPECT_FALSE(is_mesh_file(name)) << name;
}

const std::string stl =
    "solid plate\n"
    "facet normal 0 0 1\nouter loop\nvertex 0 0 0\nvertex 1 0 0\nvertex 1 1 0.5\nendloop\nendfacet\n"
    "facet normal 0 0 1\nouter loop\nvertex 1 1 0.5\nvertex -0 1 0\nvertex -0 0 0\nendloop\nendfacet\n"
    "endsolid plate\n";

TEST(MeshFiles, StlHasItsVerticesJoinedInOrderOfFirstUse) {
  const TempFolder folder;
  const MeshFile file = read_mesh_file(folder.file("a.stl", stl));
  ASSERT_EQ(file.mesh.positions.size(), 4u);
  EXPECT_EQ(file.mesh.positions[2], Eigen::Vector3d(1, 1, 0.5));
  EXPECT_EQ(file.mesh.positions[3], Eigen::Vector3d(0, 1, 0));
  EXPECT_EQ(file.mesh.triangles, (Triangles{{0, 1, 2}, {2, 3, 0}}));
  EXPECT_EQ(file.object_of_triangle, (std::vector<Index>{0, 0}));
  EXPECT_EQ(file.object_names.size(), 1u);
}

TEST(MeshFiles, GarbageForAssimpIsRefused) {
  const TempFolder folder;
  for (const char* name : {"a.stl", "a.gltf", "a.glb", "a.dae", "a.fbx"}) {
    folder.file(name, "this is no mesh at all, whatever its name says");
    EXPECT_THROW(read_mesh_file(folder / name), Error) << name;
  }
}

/// One triangle used by two nodes, the second moved and made twice as large.
const std::string gltf = R"({
  "asset": {"version": "2.0"}, "scene": 0, "scenes": [{"nodes": [0]}],
  "nodes": [{"name": "first", "mesh": 0, "children": [1]},
            {"name": "second", "mesh": 0, "translation": [10, 0, 0], "scale": [2, 2, 2]}],
  "meshes": [{"primitives": [{"attributes": {"POSITION": 0}}]}],
  "accessors": [{"bufferView": 0, "componentType": 5126, "count": 3, "type": "VEC3", "min": [0, 0, 0], "max": [1, 1, 0]}],
  "bufferViews": [{"buffer": 0, "byteLength": 36}],
  "buffers": [{"byteLength": 36, "uri": "data:application/octet-stream;base64,AAAAAAAAAAAAAAAAAACAPwAAAAAAAAAAAAAAAAAAgD8AAAAA"}]
})";

TEST(MeshFiles, GltfNodesAreObjectsInTheirPlace) {
  const TempFolder folder;
  const MeshFile file = read_mesh_file(folder.file("a.gltf", gltf));
  EXPECT_EQ(file.object_names, (std::vector<std::string>{"first", "second"}));
  EXPECT_EQ(file.object_of_triangle, (std::vector<Index>{0, 1}));
  EXPECT_EQ(file.mesh.triangles, (Triangles{{0, 1, 2}, {3, 4, 5}}));
  ASSERT_EQ(file.mesh.positions.size(), 6u);
  EXPECT_EQ(file.mesh.positions[1], Eigen::Vector3d(1, 0, 0));
  EXPECT_EQ(file.mesh.positions[4], Eigen::Vector3d(12, 0, 0));
  EXPECT_EQ(file.mesh.positions[5], Eigen::Vector3d(10, 2, 0));
}

/// In centimetres, and moved by one metre.
const std::string collada = R"(<?xml version="1.0" encoding="utf-8"?>
<COLLADA xmlns="http://www.collada.org/2005/11/COLLADASchema" version="1.4.1">
<asset><unit name="centimeter" meter="0.01"/><up_axis>Y_UP</up_axis></asset>
<library_geometries><geometry id="g"><mesh>
<source id="p"><float_array id="pa" count="9">0 0 0 100 0 0 0 100 0</float_array><technique_common><accessor source="#pa" count="3" stride="3"><param name="X" type="float"/><param name="Y" type="float"/><param name="Z" type="float"/></accessor></technique_common></source>
<vertices id="v"><input semantic="POSITION" source="#p"/></vertices>
<triangles count="1"><input semantic="VERTEX" source="#v" offset="0"/><p>0 1 2</p></triangles>
</mesh></geometry></library_geometries>
<library_visual_scenes><visual_scene id="s"><node id="n" name="tri"><translate>100 0 0</translate><instance_geometry url="#g"/></node></visual_scene></library_visual_scenes>
<scene><instance_visual_scene url="#s"/></scene></COLLADA>
)";

TEST(MeshFiles, ColladaComesInMetres) {
  const TempFolder folder;
  const MeshFile file = read_mesh_file(folder.file("a.dae", collada));
  ASSERT_EQ(file.mesh.positions.size(), 3u);
  EXPECT_TRUE(file.mesh.positions[0].isApprox(Eigen::Vector3d(1, 0, 0), 1e-6));
  EXPECT_TRUE(file.mesh.positions[1].isApprox(Eigen::Vector3d(2, 0, 0), 1e-6));
  EXPECT_TRUE(file.mesh.positions[2].isApprox(Eigen::Vector3d(1, 1, 0), 1e-6));
}

/// In inches, z up, and moved by ten of them.
const std::string fbx = R"(; FBX 7.4.0 project file
FBXHeaderExtension:  {
  FBXHeaderVersion: 1003
  FBXVersion: 7400
}
GlobalSettings:  {
  Version: 1000
  Properties70:  {
    P: "UpAxis", "int", "Integer", "",2
    P: "UpAxisSign", "int", "Integer", "",1
    P: "UnitScaleFactor", "double", "Number", "",2.54
  }
}
Definitions:  {
  Version: 100
  Count: 2
  ObjectType: "Model" {
    Count: 1
  }
  ObjectType: "Geometry" {
    Count: 1
  }
}
Objects:  {
  Geometry: 100, "Geometry::g", "Mesh" {
    Vertices: *9 {
      a: 0,0,0,1,2,3,0,1,0
    }
    PolygonVertexIndex: *3 {
      a: 0,1,-3
    }
    GeometryVersion: 124
  }
  Model: 200, "Model::part", "Mesh" {
    Version: 232
    Properties70:  {
      P: "Lcl Translation", "Lcl Translation", "", "A",10,0,0
    }
    Shading: T
    Culling: "CullingOff"
  }
}
Connections:  {
  C: "OO",200,0
  C: "OO",100,200
}
)";

TEST(MeshFiles, FbxTellsUpAxisAndUnit) {
  const TempFolder folder;
  const MeshFile file = read_mesh_file(folder.file("a.fbx", fbx));
  EXPECT_EQ(file.object_names, std::vector<std::string>{"part"});
  EXPECT_EQ(file.up, "z");
  EXPECT_EQ(file.up_told_by, ToldBy::file);
  EXPECT_NEAR(file.unit, 0.0254, 1e-9);
  EXPECT_EQ(file.unit_told_by, ToldBy::file);
  ASSERT_EQ(file.mesh.positions.size(), 3u);
  EXPECT_TRUE(file.mesh.positions[1].isApprox(0.0254 * Eigen::Vector3d(11, 2, 3), 1e-6));
  EXPECT_TRUE(read_mesh_file(folder / "a.fbx", {.up = "file", .unit = "cm"})
                  .mesh.positions[1]
                  .isApprox(Eigen::Vector3d(0.11, 0.03, -0.02), 1e-6));
}

}  // namespace
}  // namespace carom::test

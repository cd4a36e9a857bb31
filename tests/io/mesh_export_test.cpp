#include <gtest/gtest.h>

#include <limits>

#include "carom/io/mesh_file.hpp"
#include "io/endian.hpp"
#include "temp_folder.hpp"

namespace carom::test {
namespace {

using Names = std::vector<std::string>;
using Triangles = std::vector<Triangle>;

/// Two tetrahedra whose triangles alternate, a vertex that nothing uses and an object without triangles.
MeshFile two_bodies() {
  MeshFile file;
  file.mesh.positions = {{0, 0, 0},   {1, 0, 0},   {0, 0.1, 0},   {0, 0, 1},  {9, 9, 9},
                         {5.5, 0, 0}, {6.5, 0, 0}, {5.5, 0.5, 0}, {5.5, 0, 1}};
  file.mesh.triangles = {{0, 2, 1}, {5, 7, 6}, {0, 1, 3}, {5, 6, 8}, {1, 2, 3}, {6, 7, 8}, {2, 0, 3}, {7, 5, 8}};
  file.object_of_triangle = {2, 0, 2, 0, 2, 0, 2, 0};
  file.object_names = {"left wheel", "nothing", "rad/über \"1\""};
  return file;
}

std::string text_of(const std::filesystem::path& path) {
  std::ifstream in(path, std::ios::binary);
  return {std::istreambuf_iterator<char>(in), {}};
}

TEST(MeshExport, ObjectsAndTheirNamesReadBack) {
  const TempFolder folder;
  const MeshFile file = two_bodies();
  for (const std::string name : {"a.obj", "a.ply", "a.stl", "a.gltf", "a.glb"}) {
    write_mesh_file(folder / name, file);
    const MeshFile read = read_mesh_file(folder / name);
    EXPECT_EQ(read.object_names, (Names{"left wheel", "rad/über \"1\""})) << name;
    EXPECT_EQ(read.object_of_triangle, (std::vector<Index>{0, 0, 0, 0, 1, 1, 1, 1})) << name;
    ASSERT_EQ(read.mesh.triangles.size(), 8u) << name;
    // Corner by corner: formats number vertices as they like. 0.1 is no float, the other coordinates are.
    const double precision = name.starts_with("a.gl") ? 1e-8 : 0;
    const std::vector<std::size_t> order{1, 3, 5, 7, 0, 2, 4, 6};
    for (std::size_t i = 0; i < 8; ++i) {
      for (std::size_t k = 0; k < 3; ++k) {
        const auto expected = file.mesh.positions[static_cast<std::size_t>(file.mesh.triangles[order[i]][k])];
        const auto found = read.mesh.positions[static_cast<std::size_t>(read.mesh.triangles[i][k])];
        EXPECT_LE((expected - found).cwiseAbs().maxCoeff(), precision) << name << " " << i << " " << k;
      }
    }
  }
}

TEST(MeshExport, NamesThatFormatsCannotHoldAreChanged) {
  const TempFolder folder;
  MeshFile file = two_bodies();
  file.object_of_triangle = {0, 1, 0, 1, 0, 1, 0, 1};
  const std::vector<std::pair<Names, Names>> cases{{{"a\nf 1 2 3", " b\t\x7f "}, {"a_f 1 2 3", "b__"}},
                                                   {{"same", "same"}, {"same", "same (2)"}},
                                                   {{"", "   "}, {"object", "object (2)"}},
                                                   {{"C:\\dir\\", "# no comment"}, {"C:\\dir_", "# no comment"}}};
  for (const auto& [given, expected] : cases) {
    file.object_names = given;
    for (const std::string name : {"a.obj", "a.ply", "a.stl", "a.gltf", "a.glb"}) {
      write_mesh_file(folder / name, file);
      EXPECT_EQ(read_mesh_file(folder / name).object_names, expected) << name;
    }
  }
  file.object_names = {"x", "x (2)", "x"};
  file.object_of_triangle = {0, 1, 2, 1, 0, 1, 2, 1};
  write_mesh_file(folder / "a.stl", file);
  EXPECT_EQ(read_mesh_file(folder / "a.stl").object_names, (Names{"x", "x (2)", "x (3)"}));
}

TEST(MeshExport, VtkHasNamesAndTheObjectOfEachTriangle) {
  const TempFolder folder;
  MeshFile file = two_bodies();
  file.object_names[2] = std::string(100, 'n');
  write_mesh_file(folder / "a.vtk", file);
  const std::string text = text_of(folder / "a.vtk");
  // Lengths of strings: one byte that begins with the bits 11, or two that begin with 10.
  const std::string names = "FIELD FieldData 1\nobject_names 1 2 string\n\xcaleft wheel\x80\x64" +
                            file.object_names[2] + "\nPOINTS 9 double\n";
  EXPECT_NE(text.find("DATASET POLYDATA\n" + names), std::string::npos);
  const std::string cells = "\nCELL_DATA 8\nSCALARS object int 1\nLOOKUP_TABLE default\n";
  const std::size_t at = text.find(cells);
  ASSERT_NE(at, std::string::npos);
  ASSERT_EQ(text.size(), at + cells.size() + 32 + 1);
  for (std::size_t i = 0; i < 8; ++i) {
    const auto* value = reinterpret_cast<const std::uint8_t*>(text.data()) + at + cells.size() + 4 * i;
    EXPECT_EQ(io::load_big<Index>(value), i < 4 ? 0 : 1);
  }
}

TEST(MeshExport, PlainMeshesHaveTheNameOfTheirFile) {
  const TempFolder folder;
  for (const std::string name : {"part.obj", "part.ply", "part.stl", "part.gltf", "part.glb"}) {
    write_mesh_file(folder / name, two_bodies().mesh);
    EXPECT_EQ(read_mesh_file(folder / name).object_names, Names{"part"}) << name;
  }
}

TEST(MeshExport, WithoutTrianglesThereIsNoObject) {
  const TempFolder folder;
  for (const std::string name : {"a.obj", "a.ply", "a.stl", "a.gltf", "a.glb"}) {
    for (const bool with_objects : {false, true}) {
      with_objects ? write_mesh_file(folder / name, MeshFile{}) : write_mesh_file(folder / name, TriangleMesh{});
      if (name == "a.stl") {
        EXPECT_EQ(text_of(folder / name), "");
      } else {
        expect_error(ErrorCode::bad_mesh, {name, "no triangles"}, [&] { read_mesh_file(folder / name); });
      }
    }
  }
}

TEST(MeshExport, RefusesWhatCannotBeWritten) {
  const TempFolder folder;
  MeshFile file = two_bodies();
  file.object_of_triangle[3] = 3;
  expect_error(ErrorCode::bad_index, {"a.obj", "triangle 3", "object 3", "3 names"},
               [&] { write_mesh_file(folder / "a.obj", file); });
  file.object_of_triangle.pop_back();
  expect_error(ErrorCode::invalid_argument, {"a.obj", "8 triangles", "7"},
               [&] { write_mesh_file(folder / "a.obj", file); });
  file = two_bodies();
  file.mesh.positions[8].x() = 1e300;
  expect_error(ErrorCode::unsupported, {"a.glb", "vertex 8", "single precision"},
               [&] { write_mesh_file(folder / "a.glb", file); });
  EXPECT_TRUE(std::filesystem::is_empty(folder.path()));
}

}  // namespace
}  // namespace carom::test

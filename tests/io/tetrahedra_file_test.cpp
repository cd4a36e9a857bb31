#include "carom/io/tetrahedra_file.hpp"

#include <gtest/gtest.h>

#include <filesystem>
#include <fstream>
#include <sstream>

#include "carom/core/error.hpp"

namespace carom {
namespace {

/// Files of a test, in a folder of their own that goes with it.
class TetrahedraFile : public testing::Test {
 protected:
  void SetUp() override {
    folder_ = std::filesystem::temp_directory_path() /
              ("carom-tetrahedra-" + std::string(testing::UnitTest::GetInstance()->current_test_info()->name()));
    std::filesystem::create_directories(folder_);
  }
  void TearDown() override { std::filesystem::remove_all(folder_); }

  std::filesystem::path write(const std::string& name, const std::string& text) const {
    std::ofstream(folder_ / name) << text;
    return folder_ / name;
  }

  /// What is wrong with a file, without the folder.
  std::string error_of(const std::filesystem::path& path) const {
    try {
      read_tetrahedra(path);
    } catch (const Error& error) {
      std::string text = error.what();
      const std::string prefix = folder_.string() + "/";
      for (std::size_t at = text.find(prefix); at != std::string::npos; at = text.find(prefix))
        text.erase(at, prefix.size());
      return text;
    }
    return "accepted";
  }

  std::filesystem::path folder_;
};

/// Two tetrahedra on both sides of one triangle; the second is inside out in the files.
void expect_two(const TetrahedralMesh& mesh) {
  ASSERT_EQ(mesh.positions.size(), 5U);
  ASSERT_EQ(mesh.tetrahedra.size(), 2U);
  EXPECT_EQ(mesh.positions[1], Eigen::Vector3d(1, 0, 0));
  EXPECT_EQ(mesh.positions[4], Eigen::Vector3d(0, 0, -1));
  EXPECT_NEAR(volume_of(mesh, 0), 1.0 / 6, 1e-15);
  EXPECT_NEAR(volume_of(mesh, 1), 1.0 / 6, 1e-15);
  EXPECT_EQ(boundary_triangles(mesh).size(), 6U);
}

TEST_F(TetrahedraFile, GmshTwo) {
  expect_two(read_tetrahedra(write("two.msh",
                                   "$MeshFormat\n2.2 0 8\n$EndMeshFormat\n"
                                   "$Nodes\n6\n1 0 0 0\n2 1 0 0\n3 0 1 0\n4 0 0 1\n7 0 0 -1\n9 5 5 5\n$EndNodes\n"
                                   "$Elements\n3\n1 2 2 0 1 1 2 3\n2 4 2 0 1 1 2 3 4\n3 4 0 1 2 3 7\n$EndElements\n")));
}

TEST_F(TetrahedraFile, GmshFour) {
  expect_two(read_tetrahedra(
      write("four.msh",
            "$MeshFormat\n4.1 0 8\n$EndMeshFormat\n$Entities\n0 0 0 1\n1 0 0 0 1 1 1 0 0\n$EndEntities\n"
            "$Nodes\n2 5 1 7\n3 1 0 3\n1\n2\n3\n0 0 0\n1 0 0\n0 1 0\n3 2 0 2\n4\n7\n0 0 1\n0 0 -1\n$EndNodes\n"
            "$Elements\n2 3 1 3\n2 1 2 1\n1 1 2 3\n3 1 4 2\n2 1 2 3 4\n3 1 2 3 7\n$EndElements\n")));
}

TEST_F(TetrahedraFile, Vtk) {
  expect_two(
      read_tetrahedra(write("two.vtk",
                            "# vtk DataFile Version 3.0\ntwo\nASCII\nDATASET UNSTRUCTURED_GRID\nPOINTS 5 double\n"
                            "0 0 0 1 0 0 0 1 0\n0 0 1 0 0 -1\nCELLS 3 14\n3 0 1 2\n4 0 1 2 3\n4 0 1 2 4\n"
                            "CELL_TYPES 3\n5\n10\n10\n")));
}

TEST_F(TetrahedraFile, VtkFive) {
  const std::string head =
      "# vtk DataFile Version 5.1\ntwo\nASCII\nDATASET UNSTRUCTURED_GRID\nPOINTS 5 double\n"
      "0 0 0 1 0 0 0 1 0\n0 0 1 0 0 -1\nCELLS 4 11\n";
  const std::string types = "CELL_TYPES 3\n5\n10\n10\n";
  expect_two(read_tetrahedra(write("five.vtk", head +
                                                   "OFFSETS vtktypeint64\n0 3 7\n11\nCONNECTIVITY vtktypeint64\n"
                                                   "0 1 2 0 1 2 3\n0 1 2 4\n" +
                                                   types)));
  EXPECT_EQ(error_of(write("less.vtk", head + "OFFSETS vtktypeint64\n0 3 2 11\nCONNECTIVITY vtktypeint64\n" + types)),
            "less.vtk, line 10: an offset is 2; expected 3 to 11");
  EXPECT_EQ(error_of(write("more.vtk", head + "OFFSETS vtktypeint64\n0 3 7 12\nCONNECTIVITY vtktypeint64\n" + types)),
            "more.vtk, line 10: an offset is 12; expected 7 to 11");
}

/// The corners of tetrahedra of the second order come first; the middles of their edges are left out.
TEST_F(TetrahedraFile, SecondOrder) {
  const std::string nodes =
      "0 0 0\n1 0 0\n0 1 0\n0 0 1\n0 0 -1\n0.5 0 0\n0.5 0.5 0\n0 0.5 0\n0 0 0.5\n0 0.5 0.5\n0.5 0 0.5\n"
      "0 0 -0.5\n0 0.5 -0.5\n0.5 0 -0.5\n";
  const auto numbered = [&](const std::string& before, const std::string& after) {
    std::string text;
    std::istringstream lines(nodes);
    std::string line;
    for (int i = 1; std::getline(lines, line); ++i)
      text += (before.empty() ? "" : std::to_string(i) + before) + line + after + "\n";
    return text;
  };
  const std::string one = "1 2 3 4 6 7 8 9 11 10";
  const std::string two = "1 2 3 5 6 7 8 12 14 13";
  expect_two(read_tetrahedra(write("two.msh", "$MeshFormat\n2.2 0 8\n$EndMeshFormat\n$Nodes\n14\n" + numbered(" ", "") +
                                                  "$EndNodes\n$Elements\n2\n1 11 0 " + one + "\n2 11 0 " + two +
                                                  "\n$EndElements\n")));
  expect_two(
      read_tetrahedra(write("two.mesh", "MeshVersionFormatted 2\nDimension 3\nVertices\n14\n" + numbered("", " 0") +
                                            "TetrahedraP2\n2\n" + one + " 0\n" + two + " 0\nEnd\n")));
  expect_two(read_tetrahedra(write("two.vtk",
                                   "# vtk DataFile Version 3.0\ntwo\nASCII\nDATASET UNSTRUCTURED_GRID\n"
                                   "POINTS 14 double\n" +
                                       nodes +
                                       "CELLS 2 22\n10 0 1 2 3 5 6 7 8 10 9\n10 0 1 2 4 5 6 7 11 13 12\n"
                                       "CELL_TYPES 2\n24\n24\n")));
}

TEST_F(TetrahedraFile, Medit) {
  expect_two(read_tetrahedra(write("two.mesh",
                                   "MeshVersionFormatted 2\nDimension 3\nVertices\n5\n0 0 0 0\n1 0 0 0\n0 1 0 0\n0 0 1 "
                                   "0\n0 0 -1 0\nTriangles\n1\n1 2 3 0\nTetrahedra\n2\n1 2 3 4 0\n1 2 3 5 0\nEnd\n")));
}

TEST_F(TetrahedraFile, Tetgen) {
  write("two.node", "# nodes\n5 3 0 0\n0 0 0 0\n1 1 0 0\n2 0 1 0\n3 0 0 1\n4 0 0 -1\n");
  const auto path = write("two.ele", "2 4 0\n0 0 1 2 3\n1 0 1 2 4\n");
  expect_two(read_tetrahedra(path));
  expect_two(read_tetrahedra(folder_ / "two.node"));
}

TEST_F(TetrahedraFile, WhatIsWrongIsNamedWithItsLine) {
  EXPECT_EQ(error_of(write("a.msh", "$MeshFormat\n2.2 1 8\n")),
            "a.msh, line 2: a binary file; expected one of text (gmsh -format msh2 -ascii)");
  EXPECT_EQ(error_of(write("b.msh",
                           "$MeshFormat\n2.2 0 8\n$EndMeshFormat\n$Nodes\n1\n1 0 0 0\n$EndNodes\n"
                           "$Elements\n1\n1 4 0 1 2 3 4\n$EndElements\n")),
            "b.msh, line 10: a tetrahedron uses vertex 2, which is not in the file");
  EXPECT_EQ(error_of(write("c.msh", "$MeshFormat\n3.0 0 8\n")),
            "c.msh, line 2: version 3 of Gmsh's format; expected 2 to 2.2 or 4.1");
  EXPECT_EQ(error_of(write("d.mesh", "MeshVersionFormatted 2\nDimension 3\nVertices\n0\nEnd\n")),
            "d.mesh: there are no tetrahedra in it");
  EXPECT_NE(error_of(write("e.vtk",
                           "# vtk DataFile Version 3.0\nx\nASCII\nDATASET UNSTRUCTURED_GRID\nPOINTS 9999999 "
                           "double\n"))
                .find("more than the rest of the file can hold"),
            std::string::npos);
  write("f.ele", "1 4 0\n0 0 1 2 3\n");
  EXPECT_NE(error_of(write("f.node", "4 3 0 0\n0 0 0 0\n1 1 0 x\n")).find("f.node, line 3"), std::string::npos);
  EXPECT_NE(error_of(folder_ / "none.msh").find("none.msh"), std::string::npos);
  EXPECT_EQ(error_of(write("flat.mesh",
                           "MeshVersionFormatted 2\nDimension 3\nVertices\n4\n0 0 0 0\n1 0 0 0\n0 1 0 0\n1 1 0 0\n"
                           "Tetrahedra\n1\n1 2 3 4 0\nEnd\n")),
            "flat.mesh: tetrahedron 0 of the vertices 0, 1, 2 and 3 has no volume");
}

}  // namespace
}  // namespace carom

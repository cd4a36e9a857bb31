#include <gtest/gtest.h>

#include "carom/io/mesh_file.hpp"
#include "io/byte_writer.hpp"
#include "temp_folder.hpp"

namespace carom::test {
namespace {

/// Binary STL that says it has `told` triangles and has `count`.
std::vector<std::uint8_t> binary_stl(std::uint32_t told, int count, std::string head = "") {
  head.resize(80);
  io::ByteWriter out;
  out.put(std::string_view(head));
  out.put(told);
  for (int i = 0; i < count; ++i) {
    for (const float x : {0.F, 0.F, 1.F, 0.F, 0.F, 0.F, 1.F, 0.F, 0.F, 0.F, 1.F, static_cast<float>(i)}) out.put(x);
    out.put(std::uint16_t{0});
  }
  return {out.bytes().begin(), out.bytes().end()};
}

TEST(Stl, BinaryWhateverItsHeadSays) {
  const TempFolder folder;
  for (const char* head : {"", "solid that is not text"}) {
    const MeshFile file = read_mesh_file(folder.file("part.stl", binary_stl(3, 3, head)));
    EXPECT_EQ(file.mesh.triangles, (std::vector<Triangle>{{0, 1, 2}, {0, 1, 3}, {0, 1, 4}}));
    EXPECT_EQ(file.mesh.positions[4], Eigen::Vector3d(0, 1, 2));
    EXPECT_EQ(file.object_names, std::vector<std::string>{"part"});
  }
}

TEST(Stl, TruncatedOrWrongBinaryFilesAreToldWithTheirNumbers) {
  const TempFolder folder;
  expect_error(ErrorCode::truncated, {"a.stl", "1000 triangles", "50084 bytes", "184 bytes", "after 2 triangles"},
               [&] { read_mesh_file(folder.file("a.stl", binary_stl(1000, 2))); });
  expect_error(ErrorCode::truncated, {"a.stl", "4294967295 triangles"},
               [&] { read_mesh_file(folder.file("a.stl", binary_stl(0xffffffff, 2, "solid cut"))); });
  expect_error(ErrorCode::bad_format, {"a.stl", "1 triangles", "134 bytes", "184 bytes"},
               [&] { read_mesh_file(folder.file("a.stl", binary_stl(1, 2))); });
  expect_error(ErrorCode::truncated, {"a.stl", "5 bytes", "84", "solid"},
               [&] { read_mesh_file(folder.file("a.stl", "hello")); });
  expect_error(ErrorCode::bad_mesh, {"a.stl", "no triangles"},
               [&] { read_mesh_file(folder.file("a.stl", binary_stl(0, 0))); });
}

const std::string facet = "facet normal 0 0 1 outer loop vertex 0 0 0 vertex 1 0 0 vertex 0.1 1 0 endloop endfacet ";

TEST(Stl, SolidsOfTextAreObjects) {
  const TempFolder folder;
  const MeshFile file = read_mesh_file(
      folder.file("a.stl", "  SOLID left wheel \n" + facet + "endsolid left wheel\n\nsolid\n" + facet + "endsolid"));
  EXPECT_EQ(file.object_names, (std::vector<std::string>{"left wheel", "a"}));
  EXPECT_EQ(file.object_of_triangle, (std::vector<Index>{0, 1}));
  EXPECT_EQ(file.mesh.positions[2].x(), 0.1) << "text is read in double precision";
}

TEST(Stl, ErrorsOfTextNameTheLine) {
  const TempFolder folder;
  const auto refuse = [&](ErrorCode code, const std::vector<std::string>& parts, const std::string& text) {
    expect_error(code, parts, [&] { read_mesh_file(folder.file("bad.stl", text)); });
  };
  refuse(ErrorCode::truncated, {"bad.stl, line 2", "solid \"lid\"", "endsolid"}, "solid lid\n" + facet);
  refuse(ErrorCode::truncated, {"bad.stl, line 4", "solid \"lid\""},
         "solid lid\nfacet normal 0 0 1\nouter loop\nvertex 0 0");
  refuse(ErrorCode::bad_format, {"line 2", "facet", "\"face\""}, "solid lid\nface normal 0 0 1\n");
  refuse(ErrorCode::bad_format, {"line 4", "y coordinate", "\"zero\""},
         "solid lid\nfacet normal 0 0 1\nouter loop\nvertex 0 zero 0\n");
  refuse(ErrorCode::bad_format, {"line 2", "3 or more corners", "found 1"},
         "solid lid\nfacet normal 0 0 1 outer loop vertex 0 0 0 endloop endfacet endsolid");
}

}  // namespace
}  // namespace carom::test

#include <gtest/gtest.h>

#include <clocale>
#include <cmath>

#include "io/mesh/mesh_parse.hpp"
#include "temp_folder.hpp"

namespace carom::test {
namespace {

using io::check_mesh;
using io::parse_obj;
using io::parse_off;
using Names = std::vector<std::string>;
using Triangles = std::vector<Triangle>;

const std::string square = "v 0 0 0\nv 1 0 0\nv 1 1 0\nv 0 1 0\n";

void refuse_obj(const std::string& text, ErrorCode code, std::vector<std::string> parts) {
  parts.push_back("bad.obj");
  expect_error(code, parts, [&] { check_mesh(parse_obj(text, "bad.obj"), "bad.obj"); });
}

void refuse_off(const std::string& text, ErrorCode code, std::vector<std::string> parts) {
  parts.push_back("bad.off");
  expect_error(code, parts, [&] { check_mesh(parse_off(text, "bad.off"), "bad.off"); });
}

TEST(Obj, KeepsTheNumbersOfTheFile) {
  const MeshFile file = parse_obj(square + "v 9 9 9\nf 1 2 3\nf 3 4 1\n", "dir/plate.obj");
  ASSERT_EQ(file.mesh.positions.size(), 5u);  // the unused one as well
  EXPECT_EQ(file.mesh.positions[4], Eigen::Vector3d(9, 9, 9));
  EXPECT_EQ(file.mesh.triangles, (Triangles{{0, 1, 2}, {2, 3, 0}}));
  EXPECT_EQ(file.object_of_triangle, (std::vector<Index>{0, 0}));
  EXPECT_EQ(file.object_names, Names{"plate"});
}
TEST(Obj, AllFormsOfACorner) {
  const MeshFile file =
      parse_obj(square + "vt 0 0\nvn 0 0 1\nf 1/1 2/1 3/1\nf 1//1 2//1 3//1\nf 1/1/1 2/1/1 +3/1/1\nf 1/ 2/ 3/\n", "a");
  EXPECT_EQ(file.mesh.triangles, (Triangles{{0, 1, 2}, {0, 1, 2}, {0, 1, 2}, {0, 1, 2}}));
}
TEST(Obj, NegativeNumbersCountBack) {
  const MeshFile file = parse_obj("v 0 0 0\nv 1 0 0\nv 1 1 0\nf -3 -2 -1\nv 0 1 0\nf -4 -2 -1\n", "a");
  EXPECT_EQ(file.mesh.triangles, (Triangles{{0, 1, 2}, {0, 2, 3}}));
}
TEST(Obj, PolygonsBecomeFans) {
  const MeshFile file = parse_obj(square + "v 0 2 0\nf 1 2 3 4 5\n", "a");
  EXPECT_EQ(file.mesh.triangles, (Triangles{{0, 1, 2}, {0, 2, 3}, {0, 3, 4}}));
}
TEST(Obj, FacesMayComeBeforeTheirVertices) {
  EXPECT_EQ(parse_obj("f 1 2 3\n" + square, "a").mesh.triangles, (Triangles{{0, 1, 2}}));
}
TEST(Obj, ObjectsKeepTheirNames) {
  const MeshFile file = parse_obj(
      "o  left hand \nv 0 0 0\nv 1 0 0\nv 0 1 0\nf 1 2 3\no empty\no right\nv 0 0 0\nv 1 0 0\nv 0 1 0\nf 4 5 6\n", "a");
  EXPECT_EQ(file.object_names, (Names{"left hand", "right"}));
  EXPECT_EQ(file.object_of_triangle, (std::vector<Index>{0, 1}));
}
TEST(Obj, ObjectsThatShareAVertexAreOne) {
  const MeshFile file = parse_obj(square + square + "o a\nf 1 2 3\no b\nf 5 6 7\no c\nf 3 4 1\no d\nf 7 8 5\n", "x");
  EXPECT_EQ(file.object_names, (Names{"a", "b"}));
  EXPECT_EQ(file.object_of_triangle, (std::vector<Index>{0, 1, 0, 1}));
}
TEST(Obj, LinesGoOnAfterABackslash) {
  const MeshFile file = parse_obj(square + "f 1 \\\n 2 \\\r\n3\nf 1 3\\\n 4\n", "a");
  EXPECT_EQ(file.mesh.triangles, (Triangles{{0, 1, 2}, {0, 2, 3}}));
}
TEST(Obj, RemarksDoNotGoOn) {
  const MeshFile file = parse_obj("# made in C:\\models\\\nv 0 0 0 # first\nv 1 0 0\nv 1 1 0\nf 1 2 3# last", "a");
  EXPECT_EQ(file.mesh.positions.size(), 3u);
  EXPECT_EQ(file.mesh.triangles.size(), 1u);
}
TEST(Obj, AllLineEndingsAndUnknownKeywords) {
  for (const std::string end : {"\n", "\r\n", "\r"}) {
    const MeshFile file =
        parse_obj("mtllib a.mtl" + end + "\tv 0 0 0 1" + end + "v 1 0 0 0.5 0.5 0.5" + end + "v 1 1 0" + end + end +
                      "usemtl red" + end + "s off" + end + "g x" + end + "f 1 2 3",
                  "a");
    EXPECT_EQ(file.mesh.positions.size(), 3u);
    EXPECT_EQ(file.mesh.triangles.size(), 1u);
  }
}
TEST(Obj, NumbersAreTheNearestDoubles) {
  const MeshFile file = parse_obj("v 0.1 +1e-3 -.5\nv 1e-400 4.9e-324 -0\nv 5. 1E+2 0.30000000000000004\nf 1 2 3", "a");
  EXPECT_EQ(file.mesh.positions[0], Eigen::Vector3d(0.1, 1e-3, -0.5));
  EXPECT_EQ(file.mesh.positions[1], Eigen::Vector3d(0, 5e-324, 0));
  EXPECT_TRUE(std::signbit(file.mesh.positions[1].z()));
  EXPECT_EQ(file.mesh.positions[2], Eigen::Vector3d(5, 100, 0.1 + 0.2));
}
TEST(Obj, ErrorsNameTheLine) {
  refuse_obj("v 0 0 0\n\nv 1 zero 0\n", ErrorCode::bad_format, {"line 3", "y coordinate", "\"zero\""});
  refuse_obj("v 0 0\nv 1 0 0\n", ErrorCode::bad_format, {"line 1", "z coordinate", "line ends"});
  refuse_obj("v 0 0 0x1\n", ErrorCode::bad_format, {"line 1", "\"0x1\""});
  refuse_obj("v 0 0", ErrorCode::bad_format, {"line 1", "file ends"});
  refuse_obj(square + "f 1 2\n", ErrorCode::bad_format, {"line 5", "3 or more corners", "found 2"});
  refuse_obj(square + "f 1 2 5\n", ErrorCode::bad_index, {"line 5", "no vertex 5"});
  refuse_obj(square + "f 1 2 0\n", ErrorCode::bad_index, {"line 5", "no vertex 0"});
  refuse_obj(square + "f 1 2 -5\n", ErrorCode::bad_index, {"line 5", "no vertex -5"});
  refuse_obj(square + "f 1 \\\n 2 99999999999999999999\n", ErrorCode::bad_format, {"line 6", "number of a vertex"});
  refuse_obj(square + "f 1 2 9999999999\n", ErrorCode::bad_index, {"line 5", "9999999999"});
  refuse_obj(square + "f 1 2 3.5\n", ErrorCode::bad_format, {"line 5"});
  refuse_obj(square + "f 1 2 x\n", ErrorCode::bad_format, {"line 5", "\"x\""});
}
TEST(Obj, EmptyIsRefused) {
  refuse_obj("", ErrorCode::bad_mesh, {"no triangles"});
  refuse_obj(square, ErrorCode::bad_mesh, {"no triangles"});
}
TEST(Obj, NotFiniteIsRefused) {
  refuse_obj("v 0 0 0\nv nan 0 0\nv 0 1 0\nf 1 2 3\n", ErrorCode::not_finite, {"vertex 1"});
  refuse_obj("v 0 0 0\nv 0 0 0\nv 0 -1e999 0\nf 1 2 3\n", ErrorCode::not_finite, {"vertex 2"});
}

TEST(Off, WithAndWithoutTheNumberOfEdges) {
  const std::string body = "0 0 0\n1 0 0\n1 1 0\n0 1 0\n3 0 1 2\n4 0 1 2 3\n";
  for (const std::string head : {"OFF\n4 2 0\n", "OFF\n4 2\n", "OFF 4 2 0\n", "\n# a\nOFF # b\n\n#c\n4 2 0 # d\n"}) {
    const MeshFile file = parse_off(head + body, "a.off");
    EXPECT_EQ(file.mesh.positions.size(), 4u) << head;
    EXPECT_EQ(file.mesh.triangles, (Triangles{{0, 1, 2}, {0, 1, 2}, {0, 2, 3}})) << head;
    EXPECT_EQ(file.object_names, Names{"a"});
  }
}
TEST(Off, FacesAndVerticesMayGoOnInTheNextLine) {
  const MeshFile file =
      parse_off("OFF\n4 2 0\n0 0\n0\n1 0 0\n1 1 # y\n\n0.5\n0 1 0\n3\n0 1\n2\n4 0 1 # half\n 2 3 255 0 0\n", "a");
  EXPECT_EQ(file.mesh.positions, (std::vector<Eigen::Vector3d>{{0, 0, 0}, {1, 0, 0}, {1, 1, 0.5}, {0, 1, 0}}));
  EXPECT_EQ(file.mesh.triangles, (Triangles{{0, 1, 2}, {0, 1, 2}, {0, 2, 3}}));
}
TEST(Off, ColoursAndNormalsArePassedOver) {
  const MeshFile file = parse_off(
      "CNOFF\n3 1 0\n0.1 0 0 0 0 1 255 0 0 255\n1 0 0 0 0 1 1 1 1 1\n0 1 0 0 0 1 0 0 0 0\n3 0 1 2 0.5 0.5 0.5\n", "a");
  EXPECT_EQ(file.mesh.positions[0], Eigen::Vector3d(0.1, 0, 0));
  EXPECT_EQ(file.mesh.triangles, (Triangles{{0, 1, 2}}));
}
TEST(Off, Errors) {
  refuse_off("", ErrorCode::bad_format, {"line 1", "OFF"});
  refuse_off("3 1 0\n", ErrorCode::bad_format, {"line 1", "OFF", "\"3\""});
  refuse_off("4OFF\n", ErrorCode::unsupported, {"4OFF"});
  refuse_off("OFF BINARY\n", ErrorCode::unsupported, {"binary"});
  refuse_off("OFF\n-1 1 0\n", ErrorCode::bad_format, {"line 2", "number of vertices"});
  refuse_off("OFF\n99999999999 1 0\n", ErrorCode::unsupported, {"line 2", "99999999999"});
  refuse_off("OFF\n2000000000 2000000000 0\n0 0 0\n", ErrorCode::bad_format, {"line 4", "a vertex", "file ends"});
  refuse_off("OFF\n3 1 0\n0 0 0\n1 0 0\n0 1 0\n3 0 1 3\n", ErrorCode::bad_index, {"line 6", "no vertex 3"});
  refuse_off("OFF\n3 1 0\n0 0 0\n1 0 0\n0 1 0\n2 0 1\n", ErrorCode::bad_format, {"line 6", "found 2"});
  refuse_off("OFF\n3 1 0\n0 0 0\n1 0 0\n0 1 0\n3 0 1\n", ErrorCode::bad_format, {"line 7", "file ends"});
  refuse_off("OFF\n4 2 0\n0 0 0\n1 0 0\n0 1 0\n1 1 0\n3 0 1\n3 0 1 2\n", ErrorCode::bad_format,
             {"a face", "file ends"});
  refuse_off("OFF\n0 0 0\n", ErrorCode::bad_mesh, {"no triangles"});
  refuse_off("OFF\n3 1 0\n0 0 0\n1 0 inf\n0 1 0\n3 0 1 2\n", ErrorCode::not_finite, {"vertex 1"});
}

TEST(MeshText, NumbersDoNotDependOnTheLocale) {
  const char* set = std::setlocale(LC_NUMERIC, "de_DE.UTF-8");
  const MeshFile file = parse_obj("v 0.5 0 0\nv 1 0 0\nv 0 1 0\nf 1 2 3\n", "a");
  std::setlocale(LC_NUMERIC, "C");
  EXPECT_EQ(file.mesh.positions[0].x(), 0.5) << (set == nullptr ? "C" : set);
}

}  // namespace
}  // namespace carom::test

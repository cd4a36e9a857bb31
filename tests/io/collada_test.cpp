#include <gtest/gtest.h>

#include "carom/io/mesh_file.hpp"
#include "collada_text.hpp"
#include "temp_folder.hpp"

namespace carom::test {
namespace {

using Names = std::vector<std::string>;
using Positions = std::vector<Eigen::Vector3d>;
using Triangles = std::vector<Triangle>;

std::string replaced(std::string text, const std::string& from, const std::string& to) {
  const std::size_t at = text.find(from);
  EXPECT_NE(at, std::string::npos) << from;
  return text.replace(at, from.size(), to);
}

TEST(Collada, UpAxisIsToldAndTurnedOnlyIfAskedFor) {
  const TempFolder folder;
  const auto path = folder.file(
      "a.dae", collada_text(R"(<unit name="millimeter" meter="0.001"/><up_axis> Z_UP </up_axis>)", collada_node));
  const MeshFile kept = read_mesh_file(path);
  EXPECT_TRUE(kept.mesh.positions[1].isApprox(Eigen::Vector3d(0.001, 0.002, 0.003), 1e-15));
  EXPECT_EQ(kept.up, "z");
  EXPECT_EQ(kept.up_told_by, ToldBy::file);
  EXPECT_FALSE(kept.turned);
  EXPECT_EQ(kept.unit, 0.001);
  EXPECT_EQ(kept.unit_told_by, ToldBy::file);

  const MeshFile turned = read_mesh_file(path, {.up = "file", .unit = "m"});
  EXPECT_EQ(turned.mesh.positions[1], Eigen::Vector3d(1, 3, -2));
  EXPECT_TRUE(turned.turned);
  EXPECT_EQ(turned.unit, 1);
  EXPECT_EQ(turned.unit_told_by, ToldBy::option);
  EXPECT_EQ(read_mesh_file(path, {.up = "y", .unit = "m"}).mesh.positions[1], Eigen::Vector3d(1, 2, 3));

  const MeshFile silent = read_mesh_file(folder.file("b.dae", collada_text("", collada_node)));
  EXPECT_EQ(silent.up, "y");
  EXPECT_EQ(silent.up_told_by, ToldBy::format);
  EXPECT_EQ(silent.unit_told_by, ToldBy::format);
}

TEST(Collada, EveryAxisIsTurnedByARotation) {
  const TempFolder folder;
  const auto path = folder.file("a.obj", "v 0 0 0\nv 1 2 3\nv 0 1 0\nf 1 2 3\n");
  const std::vector<std::pair<std::string, Eigen::Vector3d>> expected{
      {"as-is", {1, 2, 3}}, {"file", {1, 2, 3}}, {"y", {1, 2, 3}},   {"z", {1, 3, -2}},
      {"-z", {1, -3, 2}},   {"x", {-2, 1, 3}},   {"-x", {2, -1, 3}}, {"-y", {1, -2, -3}}};
  for (const auto& [up, position] : expected) {
    EXPECT_EQ(read_mesh_file(path, {.up = up}).mesh.positions[1], position) << up;
  }
  EXPECT_TRUE(read_mesh_file(path, {.unit = "in"}).mesh.positions[1].isApprox(0.0254 * Eigen::Vector3d(1, 2, 3)));
  const MeshFile silent = read_mesh_file(path);
  EXPECT_EQ(silent.up, "");
  EXPECT_EQ(silent.up_told_by, ToldBy::nothing);
  EXPECT_EQ(silent.unit_told_by, ToldBy::nothing);
  expect_error(ErrorCode::unknown_name, {"up", "\"north\"", "as-is, file, x"},
               [&] { read_mesh_file(path, {.up = "north"}); });
  expect_error(ErrorCode::unknown_name, {"unit", "\"mile\"", "file, m, cm"},
               [&] { read_mesh_file(path, {.unit = "mile"}); });
}

TEST(Collada, NodesAreObjectsInTheirPlace) {
  const TempFolder folder;
  const std::string nodes = R"(
    <node id="a" name="left &amp; right"><matrix>2 0 0 1  0 2 0 0  0 0 2 0  0 0 0 1</matrix>
      <node id="b"><translate>0 10 0</translate><rotate>0 0 1 90</rotate><scale>1 1 -1</scale>
        <instance_geometry url="#g"/></node>
      <instance_geometry url="#g"/><instance_node url="#lib"/></node>)";
  const std::string library = R"(<!-- a < comment --><library_nodes><node id="lib" name="part">
      <instance_controller url="#skin"/></node></library_nodes>
      <library_controllers><controller id="skin"><skin source="#g"/></controller></library_controllers>)";
  const MeshFile file = read_mesh_file(folder.file("x.dae", collada_text("", nodes, library)));
  EXPECT_EQ(file.object_names, (Names{"left & right", "b", "part"}));
  EXPECT_EQ(file.mesh.positions[1], Eigen::Vector3d(3, 4, 6));
  EXPECT_TRUE(file.mesh.positions[4].isApprox(Eigen::Vector3d(1 - 4, 20 + 2, -6), 1e-15));
  EXPECT_EQ(file.mesh.positions[7], Eigen::Vector3d(3, 4, 6));
}

TEST(Collada, AllPrimitives) {
  const TempFolder folder;
  const auto read = [&](const std::string& primitive) {
    std::string text = collada_text("", collada_node);
    const std::size_t begin = text.find("<triangles"), end = text.find("</mesh>");
    text.replace(begin, end - begin, primitive);
    return read_mesh_file(folder.file("a.dae", text)).mesh.triangles;
  };
  const std::string vertex = R"(<input semantic="VERTEX" source="#v" offset="1"/>)";
  const std::string normal = R"(<input semantic="NORMAL" source="#none" offset="0"/>)";
  EXPECT_EQ(read("<polylist count='2'>" + normal + vertex +
                 "<vcount>4 3</vcount><p>9 0 9 1 9 2 9 1 9 0 9 2 9 1</p></polylist>"),
            (Triangles{{0, 1, 2}, {0, 2, 1}, {0, 2, 1}}));
  EXPECT_EQ(read("<polygons>" + vertex + "<p>9 0 9 1 9 2</p><p>9 2 9 1 9 0</p></polygons>"),
            (Triangles{{0, 1, 2}, {2, 1, 0}}));
  EXPECT_EQ(read("<tristrips>" + vertex + "<p>9 0 9 1 9 2 9 0</p></tristrips><lines count='1'/>"),
            (Triangles{{0, 1, 2}, {2, 1, 0}}));
  EXPECT_EQ(read("<trifans>" + vertex + "<p>9 0 9 1 9 2 9 1</p></trifans>"), (Triangles{{0, 1, 2}, {0, 2, 1}}));
  expect_error(ErrorCode::unsupported, {"line 9", "holes"}, [&] { read("<polygons>" + vertex + "<ph/></polygons>"); });
}

TEST(Collada, DamageIsToldWithItsLine) {
  const TempFolder folder;
  const std::string good = collada_text("", collada_node);
  const auto refuse = [&](ErrorCode code, const std::vector<std::string>& parts, const std::string& from,
                          const std::string& to) {
    expect_error(code, parts, [&] { read_mesh_file(folder.file("a.dae", replaced(good, from, to))); });
  };
  refuse(ErrorCode::truncated, {"a.dae, line 5", "count is 99", "9 numbers"}, "count=\"9\"", "count=\"99\"");
  refuse(ErrorCode::bad_format, {"line 6", "900000000"}, "count=\"3\"", "count=\"900000000\"");
  refuse(ErrorCode::bad_format, {"line 6", "count"}, "count=\"3\"", "count=\"99999999999999\"");
  refuse(ErrorCode::bad_format, {"line 6", "stride is 1"}, "stride=\"3\"", "stride=\"1\"");
  refuse(ErrorCode::bad_format, {"line 9", "count is 8"}, "<triangles count=\"1\"", "<triangles count=\"8\"");
  refuse(ErrorCode::bad_format, {"line 9", "multiple of 2000000001"}, "offset=\"0\"", "offset=\"2000000000\"");
  refuse(ErrorCode::bad_index, {"line 9", "no vertex 3"}, "<p>0 1 2", "<p>0 1 3");
  refuse(ErrorCode::bad_format, {"line 9", "\"l\""}, "<p>0 1 2", "<p>0 l 2");
  refuse(ErrorCode::bad_format, {"line 9", "not those"}, "<p>0 1 2", "<p>0 1 2 0");
  refuse(ErrorCode::bad_format, {"line 9", "</p>"}, "</p>", "</q>");
  refuse(ErrorCode::bad_format, {"geometry", "\"h\""}, "url=\"#g\"", "url=\"#h\"");
  refuse(ErrorCode::unsupported, {"another file", "b.dae#g"}, "url=\"#g\"", "url=\"b.dae#g\"");
  refuse(ErrorCode::bad_format, {"line 12", "</COLLADO>"}, "<COLLADA ", "<COLLADO ");
  refuse(ErrorCode::bad_format, {"&lol;"}, "name=\"plate\"", "name=\"&lol;\"");
  expect_error(ErrorCode::truncated, {"a.dae, line 9", "<triangles>"},
               [&] { read_mesh_file(folder.file("a.dae", good.substr(0, good.find("<p>")))); });
  expect_error(ErrorCode::bad_format, {"a.dae, line 1"}, [&] { read_mesh_file(folder.file("a.dae", "")); });
  expect_error(ErrorCode::bad_format, {"a.dae, line 2", "<html>", "COLLADA"},
               [&] { read_mesh_file(folder.file("a.dae", "<!DOCTYPE x [<!ENTITY y \"z\">]>\n<html/>")); });
}

/// Levels of nodes, each of which holds ten instances of the next: 10^levels triangles from a few lines.
std::string unfolding(int levels) {
  std::string library = "<library_nodes>";
  for (int i = 0; i < levels; ++i) {
    library += "<node id='n" + std::to_string(i) + "'>";
    for (int k = 0; k < 10; ++k) library += "<instance_node url='#n" + std::to_string(i + 1) + "'/>";
    library += "</node>";
  }
  library += "<node id='n" + std::to_string(levels) + "'><instance_geometry url='#g'/></node></library_nodes>";
  return collada_text("", "<node><instance_node url='#n0'/></node>", library);
}

TEST(Collada, InstancesAreBounded) {
  const TempFolder folder;
  const auto thousand = folder.file("a.dae", unfolding(3));
  EXPECT_EQ(read_mesh_file(thousand).mesh.triangles.size(), 1000u);
  EXPECT_EQ(read_mesh_file(thousand, {.max_triangles = 1200}).mesh.triangles.size(), 1000u) << "and 1111 nodes";
  expect_error(ErrorCode::unsupported, {"a.dae", "500", "--max-triangles"},
               [&] { read_mesh_file(thousand, {.max_triangles = 500}); });
  expect_error(ErrorCode::unsupported, {"b.dae", "100000", "--max-triangles"},
               [&] { read_mesh_file(folder.file("b.dae", unfolding(100)), {.max_triangles = 100'000}); });
  // Nodes without triangles are counted as well, and a node that is within itself is an error.
  std::string empty = unfolding(100);
  empty = replaced(empty, "<instance_geometry url='#g'/>", "");
  expect_error(ErrorCode::unsupported, {"c.dae", "100000 nodes"},
               [&] { read_mesh_file(folder.file("c.dae", empty), {.max_triangles = 100'000}); });
  const std::string circle = collada_text("", "<node id='a'><instance_node url='#a'/></node>");
  expect_error(ErrorCode::bad_format, {"d.dae", "instance of itself"},
               [&] { read_mesh_file(folder.file("d.dae", circle)); });
}

}  // namespace
}  // namespace carom::test

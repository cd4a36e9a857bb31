#include <gtest/gtest.h>

#include <nlohmann/json.hpp>

#include "carom/io/mesh_file.hpp"
#include "command.hpp"

namespace carom::cli {
namespace {

using Json = nlohmann::json;

const std::string tetrahedron = "v 0 0 0\nv 10 0 0\nv 0 20 0\nv 0 0 30\nf 1 3 2\nf 1 2 4\nf 2 3 4\nf 1 4 3\n";

/// A tetrahedron of 10 by 20 by 30, in millimetres with z up.
std::string z_up_collada() {
  return R"(<?xml version="1.0"?><COLLADA version="1.4.1"><asset><unit meter="0.001"/><up_axis>Z_UP</up_axis></asset>
<library_geometries><geometry id="g"><mesh>
<source id="p"><float_array id="pa" count="12">0 0 0 10 0 0 0 20 0 0 0 30</float_array><technique_common>
<accessor source="#pa" count="4" stride="3"/></technique_common></source>
<vertices id="v"><input semantic="POSITION" source="#p"/></vertices>
<triangles count="4"><input semantic="VERTEX" source="#v" offset="0"/><p>0 2 1 0 1 3 1 2 3 0 3 2</p></triangles>
</mesh></geometry></library_geometries><library_visual_scenes><visual_scene id="s"><node id="n" name="part">
<instance_geometry url="#g"/></node></visual_scene></library_visual_scenes>
<scene><instance_visual_scene url="#s"/></scene></COLLADA>)";
}

TEST(CliMeshFiles, InfoTellsUpAxisAndUnit) {
  const Folder folder;
  write_text(folder / "part.obj", tetrahedron);
  write_text(folder / "part.dae", z_up_collada());
  const Result silent = call({"info", folder / "part.obj"});
  EXPECT_EQ(silent.exit_code, 0) << silent.err;
  EXPECT_TRUE(contains(silent.out, "up axis          not in the file, coordinates are kept (--up z if z is up)\n"));
  EXPECT_TRUE(contains(silent.out, "unit             not in the file, taken as m (--unit mm if it is a print)\n"));
  const Result told = call({"info", folder / "part.dae"});
  EXPECT_TRUE(
      contains(told.out, "up axis          z (from the file), coordinates are kept (--up file turns it to y)\n"));
  EXPECT_TRUE(contains(told.out, "unit             0.001 m (from the file)\n"));
  EXPECT_TRUE(contains(told.out, "to (0.01, 0.02, 0.03) m"));
  const Result turned = call({"info", folder / "part.dae", "--up", "file"});
  EXPECT_TRUE(contains(turned.out, "up axis          z (from the file), turned to y\n"));
  EXPECT_TRUE(contains(turned.out, "to (0.01, 0.03, 0) m"));

  const Json json = Json::parse(call({"info", folder / "part.obj", "--json", "-", "--up", "-z", "--unit", "mm"}).out);
  EXPECT_EQ(json["up"], "-z");
  EXPECT_EQ(json["up_told_by"], "option");
  EXPECT_EQ(json["turned"], true);
  EXPECT_EQ(json["unit"], 0.001);
  EXPECT_EQ(json["unit_told_by"], "option");
  EXPECT_NEAR(json["box_min"][1].get<double>(), -0.03, 1e-15);
  const Json plain = Json::parse(call({"info", folder / "part.obj", "--json", "-"}).out);
  EXPECT_TRUE(plain["up"].is_null());
  EXPECT_EQ(plain["up_told_by"], "nothing");
  EXPECT_EQ(plain["unit_told_by"], "nothing");
}

/// Two tetrahedra on both sides of a triangle, and a vertex that neither has.
TEST(CliMeshFiles, InfoTellsOfTetrahedra) {
  const Folder folder;
  write_text(folder / "two.msh",
             "$MeshFormat\n2.2 0 8\n$EndMeshFormat\n$Nodes\n6\n1 0 0 0\n2 1 0 0\n3 0 1 0\n4 0 0 1\n7 0 0 -3\n9 5 5 5\n"
             "$EndNodes\n$Elements\n2\n2 4 0 1 2 3 4\n3 4 0 1 2 3 7\n$EndElements\n");
  write_text(folder / "two.node", "5 3 0 0\n0 0 0 0\n1 1 0 0\n2 0 1 0\n3 0 0 1\n4 0 0 -3\n");
  write_text(folder / "two.ele", "2 4 0\n0 0 1 2 3\n1 0 1 2 4\n");
  for (const char* file : {"two.msh", "two.node", "two.ele"}) {
    const Result result = call({"info", folder / file});
    EXPECT_EQ(result.exit_code, 0) << result.err;
    EXPECT_TRUE(contains(result.out, "tetrahedra       2\n")) << result.out;
    EXPECT_TRUE(contains(result.out, "nodes            5\n"));
    EXPECT_TRUE(contains(result.out, "volume of one    0.167 to 0.5 m3\n"));
    EXPECT_TRUE(contains(result.out, "triangles        6\n")) << "of the boundary";
    const Json json = Json::parse(call({"info", folder / file, "--json", "-"}).out);
    EXPECT_EQ(json["tetrahedra"]["tetrahedra"], 2);
    EXPECT_EQ(json["watertight"], true);
    EXPECT_NEAR(json["volume"].get<double>(), 4.0 / 6, 1e-12);
  }
  const Result many = call({"info", folder / "two.msh", folder / "two.ele", "--json", "-"});
  EXPECT_EQ(many.exit_code, 0) << many.err;
  for (const Json& file : Json::parse(many.out)["files"]) {
    EXPECT_EQ(file["tetrahedra"], 2);
    EXPECT_EQ(file["triangles"], 6);
  }
  const Result refused = call({"info", folder / "two.msh", "--up", "z"});
  EXPECT_EQ(refused.exit_code, 2);
  EXPECT_TRUE(contains(refused.err, "--up is for meshes of triangles")) << refused.err;
  write_text(folder / "none.msh", "$MeshFormat\n2.2 0 8\n$EndMeshFormat\n");
  EXPECT_TRUE(contains(call({"info", folder / "none.msh"}).err, "there are no tetrahedra in it"));
}

TEST(CliMeshFiles, TheSamePartFromTwoFormatsIsInOneFrame) {
  const Folder folder;
  write_text(folder / "part.obj", tetrahedron);
  write_text(folder / "part.dae", z_up_collada());
  const Json obj = Json::parse(call({"info", folder / "part.obj", "--json", "-", "--unit", "mm"}).out);
  const Json dae = Json::parse(call({"info", folder / "part.dae", "--json", "-"}).out);
  for (const char* corner : {"box_min", "box_max"}) EXPECT_EQ(obj[corner], dae[corner]);
}

TEST(CliMeshFiles, OptionsReachEveryCommand) {
  const Folder folder;
  write_text(folder / "part.obj", tetrahedron);
  // Two parts 1 apart: in millimetres they are closer than 2 mm.
  write_text(folder / "other.obj", "v -1 0 0\nv -9 0 0\nv -1 9 0\nv -1 0 9\nf 1 2 3\nf 1 4 2\nf 2 4 3\nf 1 3 4\n");
  const std::vector<std::string> check{"check", folder / "part.obj", folder / "other.obj", "--clearance"};
  const auto code = [&](const std::vector<std::string>& more) {
    std::vector<std::string> arguments = check;
    arguments.insert(arguments.end(), more.begin(), more.end());
    return call(arguments).exit_code;
  };
  EXPECT_EQ(code({"0.002"}), 0);
  EXPECT_EQ(code({"2", "--unit", "mm"}), 1) << "lengths are in the unit";
  EXPECT_EQ(code({"0.5", "--unit", "mm"}), 0);
  write_text(folder / "two.obj", "o a\n" + tetrahedron + "o b\nv -1 0 0\nv -9 0 0\nv -1 9 0\nf 5 6 7\n");
  const auto pairs = [&](const std::vector<std::string>& more) {
    std::vector<std::string> arguments{"detect", folder / "two.obj", "--distance", "0.002", "--between", "--json", "-"};
    arguments.insert(arguments.end(), more.begin(), more.end());
    const Result result = call(arguments);
    EXPECT_EQ(result.exit_code, 0) << result.err;
    return Json::parse(result.out)["frames"][0]["vertex_face"].get<int>();
  };
  EXPECT_EQ(pairs({}), 0);
  EXPECT_GT(pairs({"--unit", "mm"}), 0);
  ASSERT_EQ(call({"export", folder / "part.obj", "--to", "obj", folder / "out", "--unit", "mm", "--up", "z"}).exit_code,
            0);
  EXPECT_TRUE(contains(call({"info", folder / "out/frame_0000.obj"}).out, "(0, 0, -0.02) to (0.01, 0.03, 0) m"));

  write_text(folder / "scene.json", R"({"name": "s", "steps": 1, "bodies": [{"name": "part", "kind": "fixed",
      "mesh": {"file": "part.obj", "up": "z", "unit": "mm"}}]})");
  ASSERT_EQ(call({"run", folder / "scene.json", "-o", folder / "s.carom"}).exit_code, 0);
  ASSERT_EQ(call({"export", folder / "s.carom", "--to", "obj", folder / "run"}).exit_code, 0);
  EXPECT_TRUE(contains(call({"info", folder / "run/frame_0000.obj"}).out, "(0, 0, -0.02) to (0.01, 0.03, 0) m"));
}

TEST(CliMeshFiles, OptionsThatMakeNoSenseAreRefused) {
  const Folder folder;
  write_text(folder / "part.obj", tetrahedron);
  write_small_replay(folder / "small.replay");
  const std::vector<std::pair<std::vector<std::string>, std::string>> calls{
      {{"info", folder / "part.obj", "--unit", "mile"}, "unit is \"mile\""},
      {{"info", folder / "part.obj", "--up", "north"}, "up is \"north\""},
      {{"info", folder / "part.obj", "--max-triangles", "3"}, "max_triangles"},
      {{"info", folder / "small.replay", "--unit", "mm"}, "unit is for mesh files"},
      {{"detect", folder / "small.replay", "--distance", "1", "--up", "z"}, "up is for mesh files"}};
  for (const auto& [arguments, message] : calls) {
    const Result result = call(arguments);
    EXPECT_EQ(result.exit_code, 2);
    EXPECT_TRUE(contains(result.err, message));
  }
}

TEST(CliMeshFiles, ExportedBodiesKeepTheirNamesAndAreFoundBetween) {
  const Folder folder;
  // A sheet just above a box that stands still.
  write_text(folder / "s.json", R"({"name": "s", "steps": 2, "dt": 0.001, "gravity": [0, 0, 0], "bodies": [
    {"name": "lower block", "kind": "fixed", "mesh": {"generator": "box"}},
    {"name": "upper", "kind": "scripted", "mesh": {"generator": "sheet", "segments_x": 2, "segments_z": 2,
     "position": [0, 0.515625, 0]}}]})");
  ASSERT_EQ(call({"run", folder / "s.json", "-o", folder / "s.carom"}).exit_code, 0);
  const auto contacts = [&](const std::string& input) {
    const Result result = call({"detect", input, "--distance", "0.03", "--between", "--json", "-"});
    EXPECT_EQ(result.exit_code, 0) << result.err;
    const Json frame = Json::parse(result.out)["frames"][0];
    return std::pair(frame["vertex_face"].get<int>(), frame["edge_edge"].get<int>());
  };
  const auto expected = contacts(folder / "s.carom");
  EXPECT_GT(expected.first, 0);
  for (const std::string format : {"obj", "ply", "stl", "gltf", "glb"}) {
    ASSERT_EQ(call({"export", folder / "s.carom", "--to", format, folder / format}).exit_code, 0) << format;
    const MeshFile file = read_mesh_file(folder / (format + "/frame_0002." + format));
    EXPECT_EQ(file.object_names, (std::vector<std::string>{"lower block", "upper"})) << format;
    EXPECT_EQ(contacts(folder / format), expected) << format;
  }
  const Result help = call({"export", "--help"});
  for (const char* format : {"obj", "ply", "vtk", "stl", "gltf", "glb", "replay"})
    EXPECT_TRUE(contains(help.out, format));
}

}  // namespace
}  // namespace carom::cli

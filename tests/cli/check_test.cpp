#include <fmt/format.h>
#include <gtest/gtest.h>

#include <filesystem>
#include <nlohmann/json.hpp>

#include "carom/io/mesh_file.hpp"
#include "carom/mesh/generate.hpp"
#include "command.hpp"
#include "oracle/placed.hpp"

namespace carom::cli {
namespace {

using Json = nlohmann::json;

/// A cube of one metre as a part.
std::string cube(const Folder& folder, const std::string& name, double x, double y = 0) {
  const std::string path = folder / name;
  write_mesh_file(path, placed(make_box({1, 1, 1}, 2), {x, y, 0}));
  return path;
}

TEST(CliCheck, TellsWhatOverlapsWorstFirstAndHowDeep) {
  const Folder folder;
  const std::string a = cube(folder, "a.obj", 0);
  const std::string b = cube(folder, "b.ply", 0.875);
  const std::string c = cube(folder, "c.obj", 0, 0.75);
  const std::string far = cube(folder, "far.obj", 7);
  const Result result = call({"check", a, b, c, far, "--json", "-"});
  EXPECT_EQ(result.exit_code, 1);
  const Json json = Json::parse(result.out);
  EXPECT_EQ(json["parts"], 4);
  EXPECT_EQ(json["overlaps"], 3);
  ASSERT_EQ(json["clashes"].size(), 3U);
  EXPECT_EQ(json["clashes"][0]["a"], "a.obj");
  EXPECT_EQ(json["clashes"][0]["b"], "c.obj");
  EXPECT_NEAR(json["clashes"][0]["distance"], -0.25, 1e-9);
  EXPECT_NEAR(json["clashes"][0]["normal"][1], 1, 1e-9);
  EXPECT_NEAR(json["clashes"][1]["distance"], -0.125, 1e-9);
  EXPECT_NEAR(json["clashes"][2]["distance"], -0.125, 1e-9);

  const Result text = call({"check", a, b, c, far});
  EXPECT_EQ(text.exit_code, 1);
  EXPECT_NE(text.out.find("0.25 m deep"), std::string::npos) << text.out;
  EXPECT_NE(text.out.find("4 parts: 3 pairs overlap, 0 touch"), std::string::npos) << text.out;
}

TEST(CliCheck, TouchingIsNoClashUnlessAClearanceIsAskedFor) {
  const Folder folder;
  const std::string a = cube(folder, "a.obj", 0);
  const std::string b = cube(folder, "b.obj", 1);
  const std::string c = cube(folder, "c.obj", 2.125);
  EXPECT_EQ(call({"check", a, b, c}).exit_code, 0);
  EXPECT_EQ(call({"check", a, c, "--clearance", "0.5"}).exit_code, 0);
  EXPECT_EQ(call({"check", a, b, "--clearance", "0.5"}).exit_code, 1);
  const Result result = call({"check", a, b, c, "--clearance", "0.5", "--json", "-"});
  EXPECT_EQ(result.exit_code, 1);
  const Json json = Json::parse(result.out);
  EXPECT_EQ(json["touches"], 1);
  EXPECT_EQ(json["close"], 1);
  EXPECT_NEAR(json["clashes"][1]["distance"], 0.125, 1e-12);
}

TEST(CliCheck, APartWithinAnotherIsAClash) {
  const Folder folder;
  const std::string outer = cube(folder, "outer.obj", 0);
  const std::string inner = folder / "inner.obj";
  write_mesh_file(inner, placed(make_icosphere(0.125, 2), {0.25, 0, 0}));
  const Result result = call({"check", outer, inner, "--json", "-"});
  EXPECT_EQ(result.exit_code, 1);
  const double depth = -Json::parse(result.out)["clashes"][0]["distance"].get<double>();
  EXPECT_NEAR(depth, 0.375, 0.01) << "to the nearest side, and the ball's radius, but for its flat faces";
}

TEST(CliCheck, WhatStandsInARoomIsNoClashIfTheNormalsSayWhatIsSolid) {
  const Folder folder;
  TriangleMesh walls = make_box({4, 4, 4});
  for (Triangle& t : walls.triangles) std::swap(t[1], t[2]);
  const std::string room = folder / "room.obj";
  write_mesh_file(room, walls);
  const std::string chair = cube(folder, "chair.obj", 0.5);
  const std::string shelf = cube(folder, "shelf.obj", 1.75);
  EXPECT_EQ(call({"check", room, chair}).exit_code, 1);
  EXPECT_EQ(call({"check", room, chair, "--solid", "by_normals"}).exit_code, 0);
  EXPECT_EQ(call({"check", room, chair, "--solid", "surface"}).exit_code, 0);
  const Json json = Json::parse(call({"check", room, shelf, "--solid", "by_normals", "--json", "-"}).out);
  EXPECT_NEAR(json["clashes"][0]["distance"], -0.25, 1e-9);
  EXPECT_NEAR(json["clashes"][0]["normal"][0], -1, 1e-9);
  // Wherever it stands outside, it is in the wall.
  const std::string outside = cube(folder, "outside.obj", 50);
  EXPECT_EQ(call({"check", room, outside, "--solid", "by_normals"}).exit_code, 1);
  EXPECT_EQ(call({"check", room, outside}).exit_code, 0);
  const Result large = call({"check", room, room, "--solid", "by_normals"});
  EXPECT_NE(large.out.find("no way out"), std::string::npos) << large.out;
  EXPECT_EQ(call({"check", room, chair, "--solid", "hollow"}).exit_code, 2);
}

TEST(CliCheck, ATouchIsWhereThePartsTouch) {
  const Folder folder;
  for (const auto& [name, x] : {std::pair{"A.obj", 10.5}, {"B.obj", 11.5}}) {
    write_mesh_file(folder / name, placed(make_box({1, 1, 1}), {x, 10.5, 10.5}));
  }
  const auto expect_touch = [](const Json& json) {
    ASSERT_EQ(json["clashes"].size(), 1U);
    EXPECT_EQ(json["clashes"][0]["kind"], "touch");
    for (const char* point : {"point_a", "point_b"}) {
      EXPECT_NEAR(json["clashes"][0][point][0], 11, 1e-12);
      EXPECT_NEAR(json["clashes"][0][point][1], 10.5, 0.5 + 1e-12);
      EXPECT_NEAR(json["clashes"][0][point][2], 10.5, 0.5 + 1e-12);
    }
  };
  expect_touch(Json::parse(call({"check", folder / "A.obj", folder / "B.obj", "--json", "-"}).out));
  // Pieces of one file, whose faces touch without a common vertex.
  const TriangleMesh left = placed(make_box({1, 1, 1}), {10.5, 10.5, 10.5});
  const TriangleMesh right = placed(make_box({1, 0.5, 0.5}), {11.5, 10.5, 10.5});
  TriangleMesh both = left;
  both.positions.insert(both.positions.end(), right.positions.begin(), right.positions.end());
  const auto first = static_cast<Index>(left.positions.size());
  for (const Triangle& t : right.triangles) both.triangles.push_back({t[0] + first, t[1] + first, t[2] + first});
  write_mesh_file(folder / "both.obj", both);
  expect_touch(Json::parse(call({"check", "--self", folder / "both.obj", "--json", "-"}).out));
}

TEST(CliCheck, EachPlaceOfAnOverlap) {
  const Folder folder;
  const std::string beam = folder / "beam.obj";
  write_mesh_file(beam, make_box({4, 0.5, 0.5}, 1));
  const std::string legs = folder / "legs.obj";  // two in one part, of which one goes deeper
  TriangleMesh mesh = placed(make_box({0.25, 1, 0.25}, 1), {-1.5, -0.625, 0});
  const TriangleMesh other = placed(make_box({0.25, 1, 0.25}, 1), {1.5, -0.6875, 0});
  const auto first = static_cast<Index>(mesh.positions.size());
  mesh.positions.insert(mesh.positions.end(), other.positions.begin(), other.positions.end());
  for (const Triangle& t : other.triangles) mesh.triangles.push_back({t[0] + first, t[1] + first, t[2] + first});
  write_mesh_file(legs, mesh);
  const Json clash = Json::parse(call({"check", beam, legs, "--json", "-"}).out)["clashes"][0];
  ASSERT_EQ(clash["regions"].size(), 2U);
  EXPECT_NEAR(clash["regions"][0]["depth"], 0.125, 1e-9);
  EXPECT_NEAR(clash["regions"][0]["point_a"][0], -1.5, 0.125);
  EXPECT_NEAR(clash["regions"][0]["normal"][1], -1, 1e-9) << "from the beam to the legs";
  EXPECT_NEAR(clash["regions"][1]["depth"], 0.0625, 1e-9);
  EXPECT_NEAR(clash["regions"][1]["point_a"][0], 1.5, 0.125);
}

TEST(CliCheck, ThePiecesOfOneFile) {
  const Folder folder;
  TriangleMesh mesh = make_box({1, 1, 1}, 1);
  const TriangleMesh other = placed(mesh, {0.5, 0.5, 0.75});
  const auto first = static_cast<Index>(mesh.positions.size());
  mesh.positions.insert(mesh.positions.end(), other.positions.begin(), other.positions.end());
  for (const Triangle& t : other.triangles) mesh.triangles.push_back({t[0] + first, t[1] + first, t[2] + first});
  const std::string file = folder / "two.obj";
  write_mesh_file(file, mesh);
  const Result result = call({"check", file, "--self", "--json", "-"});
  EXPECT_EQ(result.exit_code, 1);
  const Json json = Json::parse(result.out);
  EXPECT_EQ(json["parts"], 2);
  ASSERT_EQ(json["clashes"].size(), 1U);
  EXPECT_EQ(json["clashes"][0]["a"], "two.obj#1");
  EXPECT_EQ(json["clashes"][0]["b"], "two.obj#2");
  EXPECT_NEAR(json["clashes"][0]["distance"], -0.25, 1e-9);
}

TEST(CliCheck, NamesWhatIsWrong) {
  const Folder folder;
  const std::string a = cube(folder, "a.obj", 0);
  const auto error = [&](const std::vector<std::string>& arguments) {
    const Result result = call(arguments);
    EXPECT_EQ(result.exit_code, 2);
    return result.err;
  };
  EXPECT_NE(error({"check", a}).find("--self"), std::string::npos);
  EXPECT_NE(error({"check", a, folder / "no.stl"}).find("no.stl"), std::string::npos);
  EXPECT_NE(error({"check", a, a, "--clearance", "-1"}).find("--clearance is -1"), std::string::npos);
  EXPECT_NE(error({"check", a, a, "--tolerance", "nan"}).find("--tolerance is nan"), std::string::npos);
  EXPECT_NE(error({"check", a, a, "--html", a}).find("a.obj"), std::string::npos);
  const std::string empty = folder / "empty.obj";
  write_text(empty, "v 0 0 0\n");
  EXPECT_NE(error({"check", a, empty}).find("empty.obj"), std::string::npos);
}

TEST(CliCheck, DepthVolumeAndErrorAreTheSameInTableJsonAndCsv) {
  const Folder folder;
  const std::string a = cube(folder, "a.obj", 0);
  const std::string b = cube(folder, "b.obj", 0.75);
  const Json clash = Json::parse(call({"check", a, b, "--json", "-"}).out)["clashes"][0];
  EXPECT_NEAR(clash["volume"], 0.25, clash["volume_error"].get<double>());
  EXPECT_NEAR(clash["regions"][0]["in_a"]["depth"], 0.25, 1e-9);
  EXPECT_NEAR(clash["regions"][0]["box"]["min"][0], 0.25, 1e-9);
  EXPECT_LT(clash["error"].get<double>(), 0.0025);
  const std::string csv = call({"check", a, b, "--csv", "-"}).out;
  EXPECT_EQ(csv.substr(0, 11), "kind,a,b,re");
  const std::string row = csv.substr(csv.find('\n') + 1);
  EXPECT_EQ(row.substr(0, 30), "overlap,\"a.obj\",\"b.obj\",1,0.25") << csv;
  const std::string text = call({"check", a, b}).out;
  EXPECT_NE(text.find("0.25 m deep"), std::string::npos) << text;
  EXPECT_NE(text.find("0.25 m3"), std::string::npos) << text;
  EXPECT_FALSE(clash.contains("separation"));
  EXPECT_NEAR(
      Json::parse(call({"check", a, b, "--separation", "--json", "-"}).out)["clashes"][0]["separation"]["length"], 0.25,
      1e-9);
}

TEST(CliCheck, LengthsAreInTheUnitOfTheFiles) {
  const Folder folder;
  const std::string a = cube(folder, "a.obj", 0);
  const std::string b = cube(folder, "b.obj", 0.75);
  const Result result = call({"check", a, b, "--unit", "mm"});
  EXPECT_NE(result.out.find("0.25 mm deep"), std::string::npos) << result.out;
  EXPECT_NE(result.out.find("0.25 mm3"), std::string::npos) << result.out;
  EXPECT_EQ(call({"check", a, b, "--unit", "mm", "--tolerance", "0.3"}).exit_code, 0);
  EXPECT_EQ(call({"check", a, b, "--unit", "mm", "--tolerance", "0.2"}).exit_code, 1);
  EXPECT_NEAR(Json::parse(call({"check", a, b, "--unit", "mm", "--json", "-"}).out)["clashes"][0]["distance"], -0.25e-3,
              1e-12);
}

TEST(CliCheck, PartsWithDefectsAreNamedWithWhatFollows) {
  const Folder folder;
  const std::string good = cube(folder, "good.obj", 0);
  TriangleMesh open = make_box({3, 3, 3}, 2);
  open.triangles.pop_back();
  write_mesh_file(folder / "open.obj", open);
  TriangleMesh turned = placed(make_box({1, 1, 1}, 1), {9, 0, 0});
  for (Triangle& t : turned.triangles) std::swap(t[1], t[2]);
  write_mesh_file(folder / "turned.obj", turned);
  TriangleMesh crossed = placed(make_box({1, 1, 1}, 1), {20, 0, 0});
  const TriangleMesh other = placed(make_box({1, 1, 1}, 1), {20.5, 0.25, 0.125});
  const auto first = static_cast<Index>(crossed.positions.size());
  crossed.positions.insert(crossed.positions.end(), other.positions.begin(), other.positions.end());
  for (const Triangle& t : other.triangles) crossed.triangles.push_back({t[0] + first, t[1] + first, t[2] + first});
  write_mesh_file(folder / "crossed.obj", crossed);
  const std::vector<std::string> call_it{"check", good, folder / "open.obj", folder / "turned.obj",
                                         folder / "crossed.obj"};
  const Result text = call(call_it);
  EXPECT_NE(text.out.find("open is open (1 hole): parts inside of it are not found"), std::string::npos) << text.out;
  EXPECT_NE(text.out.find("turned is inside out"), std::string::npos) << text.out;
  EXPECT_NE(text.out.find("crossed is cut by itself"), std::string::npos) << text.out;
  std::vector<std::string> with_json = call_it;
  with_json.insert(with_json.end(), {"--json", "-"});
  const Json json = Json::parse(call(with_json).out);
  ASSERT_EQ(json["defective_parts"].size(), 3U);
  EXPECT_EQ(json["defective_parts"][0]["part"], "open.obj");
  EXPECT_EQ(json["defective_parts"][0]["defects"][0]["name"], "open");
}

TEST(CliCheck, OverlapsThatAreMeantAreAllowedUpToADepth) {
  const Folder folder;
  const std::string a = cube(folder, "bolt1.obj", 0);
  const std::string b = cube(folder, "plate.obj", 0.75);
  const std::string allow = folder / "fits.json";
  write_text(allow, R"({"unit": "mm", "allow": [{"a": "bolt*", "b": "plate*", "depth": 260}]})");
  const Result allowed = call({"check", a, b, "--allow", allow});
  EXPECT_EQ(allowed.exit_code, 0) << allowed.out << allowed.err;
  EXPECT_NE(allowed.out.find("1 is allowed"), std::string::npos) << allowed.out;
  write_text(allow, R"({"allow": [{"a": "plate*", "b": "bolt?.obj", "depth": 0.2}]})");
  EXPECT_EQ(call({"check", a, b, "--allow", allow}).exit_code, 1) << "deeper than meant";
  write_text(allow, R"({"groups": [{"name": "all", "parts": ["*"]}]})");
  EXPECT_EQ(call({"check", a, b, "--allow", allow}).exit_code, 0);
  write_text(allow, R"({"allow": [{"a": "plate*", "c": "bolt"}]})");
  const Result bad = call({"check", a, b, "--allow", allow});
  EXPECT_EQ(bad.exit_code, 2);
  EXPECT_NE(bad.err.find("allow[0]"), std::string::npos) << bad.err;
}

TEST(CliCheck, PatternsAreOfPartsUnlessTheyHaveAColon) {
  const Folder folder;
  const std::string a = cube(folder, "pins.obj", 0);
  const std::string b = cube(folder, "bush1.obj", 0.75);
  const std::string both = folder / "pinhead.obj";
  MeshFile file{.mesh = make_box({1, 1, 1}), .object_of_triangle = {}, .object_names = {"left", "right"}};
  const TriangleMesh right = placed(make_box({1, 1, 1}), {0.75, 0, 0});
  file.object_of_triangle.assign(file.mesh.triangles.size(), 0);
  const auto first = static_cast<Index>(file.mesh.positions.size());
  file.mesh.positions.insert(file.mesh.positions.end(), right.positions.begin(), right.positions.end());
  for (const Triangle& t : right.triangles) file.mesh.triangles.push_back({t[0] + first, t[1] + first, t[2] + first});
  file.object_of_triangle.resize(file.mesh.triangles.size(), 1);
  write_mesh_file(both, file);
  const std::string allow = folder / "fits.json";
  const auto exit_code = [&](const std::string& one, const std::string& other, std::vector<std::string> files) {
    write_text(allow, fmt::format(R"({{"allow": [{{"a": "{}", "b": "{}"}}]}})", one, other));
    files.insert(files.begin(), "check");
    files.insert(files.end(), {"--allow", allow});
    return call(files).exit_code;
  };
  EXPECT_EQ(exit_code("pin*", "bush?", {a, b}), 0) << "without the extension";
  EXPECT_EQ(exit_code("left", "right", {both, "--self"}), 0);
  EXPECT_EQ(exit_code("pin*", "pin*", {both, "--self"}), 1) << "the name of the file is not that of its parts";
  EXPECT_EQ(exit_code("pinhead*:left", "*:right", {both, "--self"}), 0);
}

TEST(CliCheck, ABaselineLeavesWhatIsNewOrDeeper) {
  const Folder folder;
  const std::string a = cube(folder, "a.obj", 0);
  const std::string b = cube(folder, "b.obj", 0.75);
  const std::string old = folder / "old.json";
  EXPECT_EQ(call({"check", a, b, "--json", old}).exit_code, 1);
  EXPECT_EQ(call({"check", a, b, "--baseline", old}).exit_code, 0);
  cube(folder, "b.obj", 0.7);
  const Json deeper = Json::parse(call({"check", a, b, "--baseline", old, "--json", "-"}).out);
  EXPECT_EQ(deeper["clashes"][0]["change"], "deeper");
  EXPECT_EQ(deeper["problems"], 1);
  cube(folder, "b.obj", 0.9);
  EXPECT_EQ(call({"check", a, b, "--baseline", old}).exit_code, 0);
  const std::string c = cube(folder, "c.obj", -0.5);
  EXPECT_EQ(call({"check", a, b, c, "--baseline", old}).exit_code, 1);
  cube(folder, "b.obj", 5);
  const Result gone = call({"check", a, b, "--baseline", old});
  EXPECT_EQ(gone.exit_code, 0);
  EXPECT_NE(gone.out.find("gone: a.obj and b.obj"), std::string::npos) << gone.out;
  write_text(old, "[]");
  EXPECT_EQ(call({"check", a, b, "--baseline", old}).exit_code, 2);
}

/// 3MF of one object, in millimetres: an archive of one entry that is not packed.
std::string print_file(const Folder& folder, const std::string& name, const TriangleMesh& mesh) {
  std::string model = "<model unit=\"millimeter\"><resources><object id=\"1\" name=\"body\"><mesh><vertices>";
  for (const Eigen::Vector3d& p : mesh.positions)
    model += fmt::format("<vertex x=\"{}\" y=\"{}\" z=\"{}\"/>", p.x(), p.y(), p.z());
  model += "</vertices><triangles>";
  for (const Triangle& t : mesh.triangles)
    model += fmt::format("<triangle v1=\"{}\" v2=\"{}\" v3=\"{}\"/>", t[0], t[1], t[2]);
  model += "</triangles></mesh></object></resources><build><item objectid=\"1\"/></build></model>";
  std::uint32_t crc = ~0U;
  for (const char c : model) {
    crc ^= static_cast<std::uint8_t>(c);
    for (int k = 0; k < 8; ++k) crc = (crc >> 1) ^ ((crc & 1) != 0 ? 0xedb88320U : 0U);
  }
  const auto bytes = [](std::uint64_t value, int count) {
    std::string out;
    for (int i = 0; i < count; ++i) out += static_cast<char>(value >> (8 * i) & 0xff);
    return out;
  };
  const std::string entry = "3D/3dmodel.model";
  const std::string common = bytes(20, 2) + bytes(0, 8) + bytes(~crc, 4) + bytes(model.size(), 4) +
                             bytes(model.size(), 4) + bytes(entry.size(), 2) + bytes(0, 2);
  const std::string data = bytes(0x04034b50, 4) + common + entry + model;
  const std::string list = bytes(0x02014b50, 4) + bytes(20, 2) + common + bytes(0, 6) + bytes(0, 8) + entry;
  write_text(folder / name, data + list + bytes(0x06054b50, 4) + bytes(0, 4) + bytes(1, 2) + bytes(1, 2) +
                                bytes(list.size(), 4) + bytes(data.size(), 4) + bytes(0, 2));
  return folder / name;
}

TEST(CliCheck, ASolidWithACavityIsOnePartInItsOwnUnit) {
  const Folder folder;
  TriangleMesh hollow = make_box({10, 10, 10}, 1);
  const TriangleMesh cavity = make_box({6, 6, 6}, 1);
  const auto first = static_cast<Index>(hollow.positions.size());
  hollow.positions.insert(hollow.positions.end(), cavity.positions.begin(), cavity.positions.end());
  for (const Triangle& t : cavity.triangles) hollow.triangles.push_back({first + t[0], first + t[2], first + t[1]});
  const std::string housing = print_file(folder, "housing.3mf", hollow);
  write_mesh_file(folder / "core.stl", make_box({4, 4, 4}, 1));
  // The core is in millimetres because --unit says so, the housing because its file does; 1 mm is between them.
  const Result result = call({"check", housing, folder / "core.stl", "--unit", "mm", "--json", "-"});
  EXPECT_EQ(result.exit_code, 0) << result.out;
  EXPECT_EQ(Json::parse(result.out)["parts"], 2);
  const Result close =
      call({"check", housing, folder / "core.stl", "--unit", "mm", "--clearance", "1.5", "--json", "-"});
  EXPECT_EQ(close.exit_code, 1);
  ASSERT_EQ(Json::parse(close.out)["clashes"].size(), 1U);
  EXPECT_NEAR(Json::parse(close.out)["clashes"][0]["distance"], 1e-3, 1e-9);
}

TEST(CliCheck, TheTranslationThatTakesAPairApartIsInTableAndCsv) {
  const Folder folder;
  const std::string a = cube(folder, "a.obj", 0);
  const std::string b = cube(folder, "b.obj", 0.875);
  const Result text = call({"check", a, b, "--separation", "--unit", "m", "--csv", folder / "out.csv"});
  EXPECT_TRUE(contains(text.out, "apart by moving b"));
  EXPECT_TRUE(contains(text.out, "0.125 m along (1, 0, 0)"));
  const std::string csv = read_text(folder / "out.csv");
  EXPECT_TRUE(contains(csv, ",separation,separation_error,separation_x,separation_y,separation_z\n"));
  EXPECT_TRUE(contains(csv, ",0.125,0,1,0,0\n"));
  EXPECT_FALSE(contains(call({"check", a, b}).out, "apart by"));
}

TEST(CliCheck, InfoOfManyFilesTellsOfVerticesThatWeldJoins) {
  const Folder folder;
  const std::string whole = cube(folder, "whole.obj", 0);
  const TriangleMesh box = make_box({1, 1, 1}, 1);
  TriangleMesh soup;
  for (const Triangle& t : box.triangles) {
    const auto first = static_cast<Index>(soup.positions.size());
    for (const Index v : t) soup.positions.push_back(box.positions[static_cast<std::size_t>(v)]);
    soup.triangles.push_back({first, first + 1, first + 2});
  }
  write_mesh_file(folder / "soup.obj", soup);
  const Result result = call({"info", whole, folder / "soup.obj"});
  EXPECT_EQ(result.exit_code, 0) << "queries join them";
  EXPECT_TRUE(contains(result.out, "good; 28 vertices at the place of others (--weld)")) << "3 * 12 - 8";
  EXPECT_FALSE(contains(call({"info", whole, whole}).out, "--weld"));
}

TEST(CliCheck, FoldersAndInfoOfManyFiles) {
  const Folder folder;
  std::filesystem::create_directory(folder / "parts");
  cube(folder, "parts/a.obj", 0);
  std::filesystem::create_directory(folder / "parts/below");
  cube(folder, "parts/below/b.obj", 0.75);
  EXPECT_EQ(call({"check", folder / "parts"}).exit_code, 1) << "files in folders below count";
  std::filesystem::rename(folder / "parts/below/b.obj", folder / "parts/b.obj");
  EXPECT_EQ(call({"check", folder / "parts"}).exit_code, 1);
  const Result info = call({"info", folder / "parts"});
  EXPECT_EQ(info.exit_code, 0) << info.out << info.err;
  EXPECT_NE(info.out.find("a.obj"), std::string::npos) << info.out;
  EXPECT_NE(info.out.find("2 files, 0 with defects"), std::string::npos) << info.out;
  TriangleMesh turned = make_box({1, 1, 1}, 1);
  for (Triangle& t : turned.triangles) std::swap(t[1], t[2]);
  write_mesh_file(folder / "parts/c.obj", turned);
  const Result three = call({"info", folder / "parts", "--json", "-"});
  EXPECT_EQ(three.exit_code, 1);
  EXPECT_EQ(Json::parse(three.out)["files"][2]["state"][0]["name"], "inside_out");
}

#ifdef CAROM_HAS_VIEWER
TEST(CliCheck, ThePageNamesEachClash) {
  const Folder folder;
  const std::string a = cube(folder, "a.obj", 0);
  const std::string b = cube(folder, "b.obj", 0.75);
  const std::string page = folder / "page.html";
  EXPECT_EQ(call({"check", a, b, "--html", page}).exit_code, 1);
  EXPECT_GT(read_text(page).size(), 100000U);
}
#endif

}  // namespace
}  // namespace carom::cli

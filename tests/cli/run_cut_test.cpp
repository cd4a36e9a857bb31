#include <gtest/gtest.h>

#include <algorithm>
#include <cstdio>
#include <fstream>
#include <nlohmann/json.hpp>

#include "carom/io/mesh_file.hpp"
#include "carom/io/recording.hpp"
#include "carom/io/scene.hpp"
#include "command.hpp"

// Recordings of runs with cuts.
namespace carom::cli {
namespace {

using Json = nlohmann::json;

/// Cuts of the same steps, as the world itself tells them.
struct ToldCuts {
  std::size_t count = 0;
  double first_piece = 0;  ///< s
};

ToldCuts cuts_of_world(const std::string& scene, int steps) {
  World world = build_world(find_scene(scene));
  ToldCuts told;
  for (int step = 0; step < steps; ++step) {
    world.step();
    for (const WorldCut& cut : world.cuts()) {
      ++told.count;
      if (!cut.pieces.empty() && told.first_piece == 0) told.first_piece = world.time();
    }
  }
  return told;
}

/// A knife goes through a net, a fixed pane and a flag that rises, and through a table.
constexpr const char* plain_surfaces = R"({
  "name": "plain", "steps": 70, "dt": 0.016666666666666666, "gravity": [0, -9.81, 0],
  "bodies": [
    {"name": "net", "kind": "particles", "mass": 0.4, "fracture_energy": 0.5, "pinned": [0, 10, 110, 120],
     "mesh": {"generator": "sheet", "size_x": 1, "size_z": 1, "segments_x": 10, "segments_z": 10}},
    {"name": "pane", "kind": "fixed", "cuttable": true,
     "mesh": {"generator": "sheet", "size_x": 1, "size_z": 1, "segments_x": 10, "segments_z": 10,
              "position": [0, 0.4, 0]}},
    {"name": "flag", "kind": "scripted", "cuttable": true,
     "mesh": {"generator": "sheet", "size_x": 1, "size_z": 1, "segments_x": 10, "segments_z": 10,
              "position": [0, -0.6, 0]},
     "keyframes": [{"time": 0}, {"time": 1, "position": [0, 0.05, 0]}]},
    {"name": "table", "kind": "fixed",
     "mesh": {"generator": "sheet", "size_x": 1, "size_z": 1, "segments_x": 4, "segments_z": 4,
              "position": [0, -1, 0]}},
    {"name": "knife", "kind": "scripted", "shape": {"kind": "box", "half": [0.01, 1.2, 0.001]}, "group": 2, "mask": 0,
     "position": [-0.7, 0, 0.03], "velocity": [1.5, 0, 0], "blade": {"edge": [[0, -1.2, 0], [0, 1.2, 0]]}}
  ]
})";

TEST(CliRunCut, PlainSurfacesAreToldAndRecordedAsClothIs) {
  const Folder folder;
  std::ofstream(folder / "plain.json") << plain_surfaces;
  const Result run = call({"run", folder / "plain.json", "-o", folder / "plain.carom"});
  ASSERT_EQ(run.exit_code, 0) << run.err;
  EXPECT_TRUE(contains(run.out, " m; 3 pieces: the first, ")) << run.out;
  EXPECT_FALSE(contains(run.out, "not cuttable")) << run.out;
  const RecordingReader reader{std::filesystem::path(folder / "plain.carom")};
  const RecordedFrame last = reader.read_frame(reader.frame_count() - 1);
  ASSERT_EQ(last.bodies.size(), 8U);
  std::size_t events = 0;
  std::vector<std::uint32_t> came_off;
  for (std::uint32_t i = 0; i < reader.frame_count(); ++i) {
    for (const RecordedCut& cut : reader.read_cuts(i).events) {
      ++events;
      EXPECT_LT(cut.body, 3U);
      came_off.insert(came_off.end(), cut.pieces.begin(), cut.pieces.end());
    }
  }
  EXPECT_GT(events, 30U);  // step by step
  std::sort(came_off.begin(), came_off.end());
  EXPECT_EQ(came_off, (std::vector<std::uint32_t>{5, 6, 7}));
}

/// Particles are cut with the response `soft` only, so of two runs side by side one has a line more.
TEST(CliRunCut, RunsSideBySideMayHaveOtherLines) {
  const Folder folder;
  std::ofstream(folder / "net.json") << R"({"gravity": [0, 0, 0], "dt": 0.001, "bodies": [
    {"name": "net", "kind": "particles", "mesh": {"generator": "sheet", "segments_x": 10, "segments_z": 10}},
    {"name": "knife", "kind": "scripted", "shape": {"kind": "box", "half": [0.01, 0.4, 0.001]},
     "position": [-0.9, 0, 0.03], "velocity": [30, 0, 0], "group": 2, "mask": 0,
     "blade": {"edge": [[0, -0.4, 0], [0, 0.4, 0]]}}]})";
  for (const std::string order : {"soft,impulse", "impulse,soft"}) {
    const Result run = call({"run", folder / "net.json", "--steps", "60", "--compare", order});
    ASSERT_EQ(run.exit_code, 0) << run.err;
    const std::string text = run.out;
    const std::size_t cut = text.find("\ncut ");
    ASSERT_NE(cut, std::string::npos) << text;
    const std::string line = text.substr(cut + 1, text.find('\n', cut + 1) - cut - 1);
    EXPECT_TRUE(contains(line, "1 piece: the first, net-1")) << line;
    EXPECT_TRUE(contains(line, "  -")) << line;
    EXPECT_TRUE(contains(text, "\nstate ")) << text;
  }
}

TEST(CliRunCut, EveryStepWithACutIsRecordedWithItsFacesAndPieces) {
  const Folder folder;
  const ToldCuts told = cuts_of_world("liver-cut", 88);
  ASSERT_GT(told.count, 10U);
  char first[16];
  std::snprintf(first, sizeof first, "%.3g s", told.first_piece);
  for (const std::string every : {"1", "4"}) {
    const Result run = call({"run", "liver-cut", "--steps", "88", "--every", every, "-o", folder / "l.carom"});
    ASSERT_EQ(run.exit_code, 0) << run.err;
    EXPECT_TRUE(contains(run.out, " m2; 1 piece: the first, liver-1, at " + std::string(first))) << run.out;
    const RecordingReader reader{std::filesystem::path(folder / "l.carom")};
    const RecordedFrame last = reader.read_frame(reader.frame_count() - 1);
    ASSERT_EQ(last.bodies.size(), 4U);
    std::size_t events = 0;
    std::vector<std::uint32_t> pieces;
    for (std::uint32_t frame = 0; frame < reader.frame_count(); ++frame) {
      for (const RecordedCut& cut : reader.read_cuts(frame).events) {
        ++events;
        EXPECT_EQ(cut.body, 1U);
        EXPECT_GT(cut.area, 0);
        EXPECT_LE(cut.step, frame * std::stoul(every));
        EXPECT_GT(cut.step + std::stoul(every), frame * std::stoul(every));
        pieces.insert(pieces.end(), cut.pieces.begin(), cut.pieces.end());
      }
    }
    EXPECT_EQ(events, told.count);
    EXPECT_EQ(pieces, std::vector<std::uint32_t>{3});
    const RecordedCuts cuts = reader.read_cuts(last.number);
    ASSERT_EQ(cuts.faces.size(), 2U) << "both halves";
    EXPECT_EQ(cuts.faces[0].triangles.size(), cuts.faces[1].triangles.size());

    const Json info = Json::parse(call({"info", folder / "l.carom", "--json", "-"}).out);
    ASSERT_EQ(info["cuts"].size(), events);
    EXPECT_EQ(info["cuts"].back()["body"], "liver");
    EXPECT_EQ(info["cuts"].back()["pieces"], Json({"liver-1"}));
    EXPECT_TRUE(contains(call({"info", folder / "l.carom"}).out,
                         "in " + std::to_string(told.count) + " steps, 1 piece came off"));
  }
}

TEST(CliRunCut, ContactsOfBodiesThatAreCutCanBeRecorded) {
  const Folder folder;
  const Result run = call({"run", "criss-cross", "--steps", "60", "-o", folder / "c.carom"});
  ASSERT_EQ(run.exit_code, 0) << run.err;
  EXPECT_EQ(call({"info", folder / "c.carom"}).exit_code, 0);
}

TEST(CliRunCut, WithoutCutsInfoSaysNothingOfThem) {
  const Folder folder;
  ASSERT_EQ(call({"run", "knot", "--steps", "1", "-o", folder / "k.carom"}).exit_code, 0);
  EXPECT_FALSE(Json::parse(call({"info", folder / "k.carom", "--json", "-"}).out).contains("cuts"));
}

TEST(CliRunCut, FramesAreExportedWithoutVerticesThatWentWithAPiece) {
  const Folder folder;
  ASSERT_EQ(call({"run", "liver-cut", "--steps", "88", "--every", "88", "-o", folder / "l.carom"}).exit_code, 0);
  const RecordingReader reader{std::filesystem::path(folder / "l.carom")};
  for (const std::string format : {"obj", "ply"}) {
    ASSERT_EQ(call({"export", folder / "l.carom", "--to", format, folder / format}).exit_code, 0);
    for (const int frame : {0, 1}) {
      const MeshFile file = read_mesh_file(folder / (format + "/frame_000" + std::to_string(frame) + "." + format));
      std::vector<std::uint8_t> used(file.mesh.positions.size(), 0);
      for (const Triangle& t : file.mesh.triangles) {
        for (const Index v : t) used.at(static_cast<std::size_t>(v)) = 1;
      }
      EXPECT_EQ(std::count(used.begin(), used.end(), 0), 0) << format << " frame " << frame;
      // The same triangles at the same places.
      std::vector<Eigen::Vector3d> corners;
      for (const RecordedBody& body : reader.read_frame(static_cast<std::uint32_t>(frame)).bodies) {
        for (const Triangle& t : body.triangles) {
          for (const Index v : t) corners.push_back(body.positions[static_cast<std::size_t>(v)]);
        }
      }
      ASSERT_EQ(corners.size(), 3 * file.mesh.triangles.size());
      double farthest = 0;
      for (std::size_t i = 0; i < corners.size(); ++i) {
        const auto v = static_cast<std::size_t>(file.mesh.triangles[i / 3][i % 3]);
        farthest = std::max(farthest, (file.mesh.positions[v] - corners[i]).norm());
      }
      EXPECT_LT(farthest, 1e-5);
    }
  }
}

TEST(CliRunCut, BodiesThatNothingCutsAreTold) {
  const Folder folder;
  std::ofstream(folder / "s.json") << R"({"gravity": [0, 0, 0], "dt": 0.01, "steps": 5, "bodies": [
    {"name": "jelly", "kind": "soft", "voxel_size": 0.2, "mesh": {"generator": "box", "size": [1, 0.2, 1]}},
    {"name": "knife", "kind": "scripted", "shape": {"kind": "box", "half": [0.01, 0.2, 0.01]},
     "position": [0.013, 0, -0.9], "velocity": [0, 0, 50], "group": 2, "mask": 0,
     "blade": {"edge": [[0, -0.3, 0], [0, 0.3, 0]]}}]})";
  const Result run = call({"run", folder / "s.json", "--json", folder / "s.out"});
  ASSERT_EQ(run.exit_code, 0) << run.err;
  EXPECT_TRUE(contains(run.out, "jelly: a blade passed through and cut nothing")) << run.out;
}

}  // namespace
}  // namespace carom::cli

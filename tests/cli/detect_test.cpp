#include "carom/detect/detect.hpp"

#include <fmt/format.h>
#include <gtest/gtest.h>

#include <nlohmann/json.hpp>
#include <sstream>

#include "carom/detect/detect_continuous.hpp"
#include "carom/io/replay.hpp"
#include "command.hpp"
#include "oracle/brute_force.hpp"
#include "oracle/exact_intersection.hpp"

namespace carom::cli {
namespace {

using Json = nlohmann::json;

std::string csv_of(const std::vector<std::vector<oracle::Pair>>& frames) {
  std::ostringstream rows;
  rows << "frame,kind,a,b\n";
  for (std::size_t frame = 0; frame < frames.size(); ++frame) {
    for (const oracle::Pair& pair : frames[frame]) {
      rows << frame << ',';
      if (pair.kind == ContactKind::vertex_face) {
        rows << "vf," << pair.a[0] << ',' << pair.b[0] << '\n';
      } else {
        rows << "ee," << pair.a[0] << '-' << pair.a[1] << ',' << pair.b[0] << '-' << pair.b[1] << '\n';
      }
    }
  }
  return rows.str();
}

/// The rows without their last column, the distance.
std::string without_distance(const std::string& csv) {
  std::istringstream lines(csv);
  std::string result;
  for (std::string line; std::getline(lines, line);) result += line.substr(0, line.rfind(',')) + "\n";
  return result;
}

/// Rows without the last three columns.
std::string without_places(const std::string& csv) {
  std::string rows;
  std::istringstream lines(csv);
  for (std::string line; std::getline(lines, line);) {
    for (int k = 0; k < 3; ++k) line.erase(line.rfind(','));
    rows += line + "\n";
  }
  return rows;
}

TEST(CliDetect, FollowsTheMotionFromFrameToFrame) {
  const Folder folder;
  write_small_replay(folder / "small.replay");
  const ReplayReader replay{std::filesystem::path(folder / "small.replay")};
  const Surface surface(replay.vertex_count(), {replay.triangles().begin(), replay.triangles().end()},
                        {replay.object_of_triangle().begin(), replay.object_of_triangle().end()});
  std::size_t expected = 0;
  double first = 1;
  std::vector<Eigen::Vector3d> start, end;
  for (std::size_t frame = 0; frame + 1 < replay.frame_count(); ++frame) {
    replay.read_frame(frame, start);
    replay.read_frame(frame + 1, end);
    const auto contacts = detect_continuous(surface, start, end, {.distance = 0.2});
    expected += contacts.size();
    if (frame == 0 && !contacts.empty()) first = contacts.front().impact.time;
  }
  const Result result = call({"detect", folder / "small.replay", "--distance", "0.2", "--continuous", "--json", "-",
                              "--contacts", folder / "c.csv"});
  ASSERT_EQ(result.exit_code, 0) << result.err;
  const Json json = Json::parse(result.out);
  EXPECT_TRUE(json["continuous"]);
  ASSERT_EQ(json["frames"].size(), replay.frame_count() - 1) << "the last frame goes nowhere";
  std::size_t found = 0;
  for (const Json& frame : json["frames"])
    found += frame["vertex_face"].get<std::size_t>() + frame["edge_edge"].get<std::size_t>();
  EXPECT_EQ(found, expected);
  EXPECT_GT(found, 0U);
  const Json& first_time = json["frames"][0]["first_time"];
  EXPECT_EQ(first_time.is_null() ? 1 : first_time.get<double>(), first);
  const std::string csv = read_text(folder / "c.csv");
  EXPECT_EQ(csv.substr(0, csv.find('\n')), "frame,kind,a,b,time,x,y,z");
  EXPECT_EQ(static_cast<std::size_t>(std::count(csv.begin(), csv.end(), '\n')), expected + 1);
}

TEST(CliDetect, WritesTheContactsOfBruteForce) {
  const Folder folder;
  write_small_replay(folder / "small.replay");
  const ReplayReader replay{std::filesystem::path(folder / "small.replay")};
  for (const auto& [flag, scope] :
       {std::pair{"--all", PairScope::all}, {"--between", PairScope::between}, {"--self", PairScope::self}}) {
    std::vector<std::vector<oracle::Pair>> expected;
    std::vector<Eigen::Vector3d> positions;
    for (std::size_t frame = 0; frame < replay.frame_count(); ++frame) {
      replay.read_frame(frame, positions);
      expected.push_back(oracle::brute_force(replay.vertex_count(), replay.triangles(), replay.object_of_triangle(),
                                             positions, 0.3, scope));
    }
    const Result result = call(
        {"detect", folder / "small.replay", "--distance", "0.3", flag, "--json", "-", "--contacts", folder / "c.csv"});
    ASSERT_EQ(result.exit_code, 0) << result.err;
    EXPECT_EQ(without_distance(without_places(read_text(folder / "c.csv"))), csv_of(expected)) << flag;

    const Json json = Json::parse(result.out);
    EXPECT_EQ(json["method"], "bvh");
    EXPECT_EQ(json["distance"], 0.3);
    EXPECT_GE(json["threads"], 1);
    EXPECT_GE(json["mean_ms"], 0);
    EXPECT_GE(json["mean_cpu_ms"], 0);
    ASSERT_EQ(json["frames"].size(), expected.size());
    for (std::size_t frame = 0; frame < expected.size(); ++frame) {
      const Json& entry = json["frames"][frame];
      EXPECT_EQ(entry["frame"], frame);
      EXPECT_EQ(entry["vertex_face"].get<std::size_t>() + entry["edge_edge"].get<std::size_t>(),
                expected[frame].size());
      double closest = INFINITY;
      for (const oracle::Pair& pair : expected[frame]) closest = std::min(closest, pair.distance);
      EXPECT_EQ(entry["min_distance"].is_null(), expected[frame].empty());
      if (!expected[frame].empty()) {
        EXPECT_EQ(entry["min_distance"], closest);
      }
      EXPECT_EQ(entry["stages"]["narrow"]["out"], expected[frame].size());
      EXPECT_TRUE(entry.contains("ms") && entry.contains("cpu_ms"));
    }
  }
}

/// A strip of squares that is pressed together from frame to frame.
void write_strip(const std::filesystem::path& path, double step) {
  std::string text;
  for (int i = 0; i <= 6; ++i) text += fmt::format("v {0} 0 0\nv {0} 0 1\n", i * step);
  for (int i = 0; i < 6; ++i)
    text += fmt::format("f {} {} {}\nf {} {} {}\n", 2 * i + 1, 2 * i + 2, 2 * i + 3, 2 * i + 3, 2 * i + 2, 2 * i + 4);
  write_text(path.string(), text);
}

TEST(CliDetect, NeighboursAlongTheSurfaceAndListedPairsAreLeftOut) {
  const Folder folder;
  std::filesystem::create_directory(folder.path() / "strip");
  write_strip(folder.path() / "strip" / "f0.obj", 1);
  write_strip(folder.path() / "strip" / "f1.obj", 0.1);
  const auto contacts = [&](const std::vector<std::string>& more) {
    std::vector<std::string> arguments{"detect", folder / "strip", "--distance", "1.5", "--contacts",
                                       "-",      "--frames",       "1"};
    arguments.insert(arguments.end(), more.begin(), more.end());
    const Result result = call(arguments);
    EXPECT_EQ(result.exit_code, 0) << result.err;
    return result.out;
  };
  EXPECT_TRUE(contains(contacts({}), "\n1,ee,0-1,4-5,"));
  // Along the first frame the edges across the strip are 2 and 3 apart; 2 * 1.5 is 3.
  const std::string rest = contacts({"--surface-factor", "2"});
  EXPECT_FALSE(contains(rest, "\n1,ee,0-1,4-5,"));
  EXPECT_TRUE(contains(rest, "\n1,ee,0-1,6-7,"));
  EXPECT_EQ(contacts({"--surface-factor", "2", "--surface-shape", "current"}), "frame,kind,a,b,distance,x,y,z\n");

  write_text(folder / "pairs.csv", "a,b\n# the ends\n 1 , 5\r\n\n7,0 # and these\n");
  const std::string listed = contacts({"--exclude", folder / "pairs.csv"});
  EXPECT_FALSE(contains(listed, "\n1,ee,0-1,4-5,"));
  EXPECT_FALSE(contains(listed, "\n1,ee,0-1,6-7,"));
  EXPECT_TRUE(contains(listed, "\n1,ee,0-1,8-9,"));

  write_text(folder / "bad.csv", "1,2\n3;4\n");
  const Result bad = call({"detect", folder / "strip", "--distance", "1", "--exclude", folder / "bad.csv"});
  EXPECT_EQ(bad.exit_code, 2);
  EXPECT_TRUE(contains(bad.err, "bad.csv, line 2: expected two vertices, such as \"3,17\", found \"3;4\"")) << bad.err;
  write_text(folder / "far.csv", "1,2\n3,14\n");
  const Result far = call({"detect", folder / "strip", "--distance", "1", "--exclude", folder / "far.csv"});
  EXPECT_EQ(far.exit_code, 2);
  EXPECT_TRUE(contains(far.err, "excluded_vertices[1] names vertex 14, but there are 14 vertices")) << far.err;
  write_text((folder.path() / "strip" / "f2.obj").string(), "v 0 0 0\nv 1 0 0\nv 0 0 1\nf 1 2 3\n");
  const Result other = call({"detect", folder / "strip", "--distance", "1", "--surface-factor", "1"});
  EXPECT_EQ(other.exit_code, 2);
  EXPECT_TRUE(contains(other.err, "frame 2 has 3 vertices, but the rest shape, frame 0, has 14")) << other.err;
}

TEST(CliDetect, AtDistanceZeroWritesTheTrianglesThatIntersect) {
  const Folder folder;
  write_small_replay(folder / "small.replay");
  const ReplayReader replay{std::filesystem::path(folder / "small.replay")};
  for (const auto& [flag, scope] :
       {std::pair{"--all", PairScope::all}, {"--between", PairScope::between}, {"--self", PairScope::self}}) {
    const Result result = call(
        {"detect", folder / "small.replay", "--distance", "0", flag, "--json", "-", "--contacts", folder / "c.csv"});
    ASSERT_EQ(result.exit_code, scope == PairScope::self ? 0 : 1) << result.err;
    const Json json = Json::parse(result.out);
    EXPECT_EQ(json["distance"], 0);
    std::string rows = "frame,kind,a,b,distance\n";
    std::size_t total = 0;
    std::vector<Eigen::Vector3d> positions;
    for (std::size_t frame = 0; frame < replay.frame_count(); ++frame) {
      replay.read_frame(frame, positions);
      const auto expected =
          oracle::brute_force_intersections(replay.triangles(), replay.object_of_triangle(), positions, scope);
      for (const auto& pair : expected)
        rows += std::to_string(frame) + ",tt," + std::to_string(pair.a) + "," + std::to_string(pair.b) + ",0\n";
      const Json& entry = json["frames"][frame];
      EXPECT_EQ(entry["triangle_triangle"], expected.size());
      EXPECT_EQ(entry["vertex_face"], 0);
      EXPECT_EQ(entry["edge_edge"], 0);
      EXPECT_EQ(entry["min_distance"].is_null(), expected.empty());
      EXPECT_EQ(entry["stages"]["narrow"]["out"], expected.size());
      total += expected.size();
    }
    EXPECT_EQ(without_places(read_text(folder / "c.csv")), rows) << flag;
    EXPECT_EQ(total > 0, scope != PairScope::self) << "tetrahedra pass through each other and not themselves";
  }
}

TEST(CliDetect, AtDistanceZeroTellsWhereAMeshCutsItself) {
  const Folder folder;
  write_text(folder / "cut.obj",
             "v 0 0 0\nv 4 0 0\nv 0 4 0\nv 1 1 -1\nv 1 1 1\nv 1 9 0\nv 4 4 0\nf 1 2 3\nf 4 5 6\nf 2 7 3\n");
  const Result result = call({"detect", folder / "cut.obj", "--distance", "0", "--contacts", folder / "c.csv"});
  ASSERT_EQ(result.exit_code, 1) << result.err;
  EXPECT_EQ(result.out.substr(0, result.out.find('\n')),
            "2 pairs of triangles cut each other, the first near (1, 2, 0) m");
  // The plane x = 1 leaves the first triangle at y = 3 and the last one at y = 4.
  EXPECT_EQ(read_text(folder / "c.csv"), "frame,kind,a,b,distance,x,y,z\n0,tt,0,1,0,1,2,0\n0,tt,1,2,0,1,3.5,0\n");
}

TEST(CliDetect, TheSameForAnyThreadsAndFramesCanBeChosen) {
  const Folder folder;
  write_small_replay(folder / "small.replay");
  const auto contacts = [&](const std::vector<std::string>& more) {
    std::vector<std::string> arguments{"detect", folder / "small.replay", "--distance", "0.4", "--contacts", "-"};
    arguments.insert(arguments.end(), more.begin(), more.end());
    return call(arguments).out;
  };
  EXPECT_TRUE(contains(contacts({"--threads", "1"}), "\n2,vf,"));
  EXPECT_EQ(contacts({"--threads", "1"}), contacts({"--threads", "2"}));
  EXPECT_EQ(contacts({}), contacts({"--frames", "0:6"}));
  EXPECT_EQ(contacts({}), contacts({"--frames", "::1"}));
  const std::string second = contacts({"--frames", "2"});
  EXPECT_EQ(second, contacts({"--frames", "2:3"}));
  EXPECT_EQ(second.substr(0, 30), "frame,kind,a,b,distance,x,y,z\n");
  EXPECT_TRUE(contains(second, "\n2,vf,"));
  EXPECT_EQ(second.find("\n3,"), std::string::npos);
}

/// The parts of the figure overlap at its joints, which is no fault of the cloth.
TEST(CliDetect, OnlyPairsOfTheBodiesThatAreNamedCount) {
  const Folder folder;
  ASSERT_EQ(call({"run", "shirt", "--steps", "60", "--every", "20", "-o", folder / "s.carom"}).exit_code, 0);
  const auto counts = [&](const std::vector<std::string>& more, int exit_code) {
    std::vector<std::string> arguments{"detect", folder / "s.carom", "--json", "-"};
    arguments.insert(arguments.end(), more.begin(), more.end());
    const Result result = call(arguments);
    EXPECT_EQ(result.exit_code, exit_code) << result.err;
    std::vector<std::size_t> list;
    const Json json = Json::parse(result.out);
    for (const Json& frame : json["frames"]) {
      list.push_back(frame.contains("triangle_triangle")
                         ? frame["triangle_triangle"].get<std::size_t>()
                         : frame["vertex_face"].get<std::size_t>() + frame["edge_edge"].get<std::size_t>());
    }
    EXPECT_EQ(list.size(), 4U);
    return list;
  };
  const std::vector<std::size_t> all = counts({"--distance", "0"}, 1);
  EXPECT_GT(all[0], 0U);
  EXPECT_EQ(counts({"--distance", "0", "--bodies", "shirt"}, 0), std::vector<std::size_t>(4, 0));
  EXPECT_EQ(counts({"--distance", "0", "--bodies", "figure"}, 1), all);
  EXPECT_EQ(counts({"--distance", "0", "--bodies", "shirt,figure"}, 1), all);
  // Near pairs are those with the shirt, and those of the figure that are not.
  const std::vector<std::size_t> near = counts({"--distance", "0.01", "--bodies", "figure", "shirt"}, 0);
  const std::vector<std::size_t> shirt = counts({"--distance", "0.01", "--bodies", "shirt"}, 0);
  const std::vector<std::size_t> within = counts({"--distance", "0.01", "--self", "--bodies", "figure"}, 0);
  const std::vector<std::size_t> figure = counts({"--distance", "0.01", "--bodies", "figure"}, 0);
  EXPECT_GT(shirt[3], 0U);
  for (std::size_t frame = 0; frame < 4; ++frame) {
    EXPECT_GT(within[frame], 0U);
    EXPECT_GE(near[frame], shirt[frame] + within[frame]) << frame;
    EXPECT_LE(near[frame], shirt[frame] + figure[frame]) << frame;
  }
  const Result unknown = call({"detect", folder / "s.carom", "--distance", "0", "--bodies", "skirt"});
  EXPECT_EQ(unknown.exit_code, 2);
  EXPECT_TRUE(contains(unknown.err, "no body is called 'skirt'; those are ground, figure, shirt")) << unknown.err;
}

}  // namespace
}  // namespace carom::cli

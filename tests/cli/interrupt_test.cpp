#include <fmt/format.h>
#include <gtest/gtest.h>
#include <unistd.h>

#include <chrono>
#include <csignal>
#include <fstream>

#include "carom/io/mesh_file.hpp"
#include "carom/io/recording.hpp"
#include "carom/mesh/generate.hpp"
#include "command.hpp"

namespace carom::cli {
namespace {

using Clock = std::chrono::steady_clock;

/// Half a second is what the program takes at most; the rest is for a machine with other work.
constexpr double longest_end = 2;

/// The exit code; the time that the end takes is checked.
int end_by(int signal, Running& running) {
  running.wait_for_watch();
  const auto start = Clock::now();
  running.send(signal);
  const int code = running.wait();
  EXPECT_LT(std::chrono::duration<double>(Clock::now() - start).count(), longest_end);
  return code;
}

/// Half a minute at most.
void wait_for_text(const std::string& file, const std::string& text) {
  for (int i = 0; i < 3000 && read_text(file).find(text) == std::string::npos; ++i) usleep(10'000);
}

std::vector<std::string> files_in(const Folder& folder) {
  std::vector<std::string> names;
  for (const auto& entry : std::filesystem::directory_iterator(folder.path()))
    names.push_back(entry.path().filename().string());
  std::sort(names.begin(), names.end());
  return names;
}

constexpr int bars = 1500;

/// Bars side by side along x or along y: two such files meet in 2,250,000 places, which takes minutes to compare and
/// milliseconds to read.
std::string rack(const Folder& folder, const std::string& name, bool along_x) {
  constexpr double width = 0.4;
  const double low = along_x ? 0 : 0.5 * width;
  TriangleMesh mesh;
  for (int i = 0; i < bars; ++i) {
    const auto first = static_cast<Index>(mesh.positions.size());
    for (const double z : {low, low + width})
      for (const double across : {i + 0.0, i + width})
        for (const double along : {-1.0, bars + 0.0})
          mesh.positions.emplace_back(along_x ? along : across, along_x ? across : along, z);
    for (const Triangle& t : {Triangle{0, 2, 1},
                              {1, 2, 3},
                              {4, 5, 6},
                              {5, 7, 6},
                              {0, 1, 4},
                              {1, 5, 4},
                              {2, 6, 3},
                              {3, 6, 7},
                              {0, 4, 2},
                              {2, 4, 6},
                              {1, 3, 5},
                              {3, 7, 5}}) {
      const auto corner = [&](std::size_t k) { return first + t[k]; };
      if (along_x)
        mesh.triangles.push_back({corner(0), corner(1), corner(2)});
      else
        mesh.triangles.push_back({corner(0), corner(2), corner(1)});
    }
  }
  write_mesh_file(folder / name, mesh);
  return folder / name;
}

TEST(CliInterrupt, EndsACheckWithinAPair) {
  const Folder folder;
  const std::string a = rack(folder, "a.ply", true);
  const std::string b = rack(folder, "b.ply", false);
  Running check({"check", a, b, "--json", folder / "out.json"}, folder / "err");
  wait_for_text(folder / "err", "check: 0/1");  // the one pair, which has taken a second
  EXPECT_EQ(end_by(SIGINT, check), 130);
  EXPECT_TRUE(contains(read_text(folder / "err"), "carom: ended early by a signal"));
  EXPECT_FALSE(contains(read_text(folder / "err"), "1 clash")) << "a pair that is not done is not told";
  EXPECT_EQ(files_in(folder), (std::vector<std::string>{"a.ply", "b.ply", "err"}));
}

/// On a fast machine the file may have been read by then, and the command may be done.
TEST(CliInterrupt, EndsWhileALargeFileIsRead) {
  const Folder folder;
  write_mesh_file(folder / "large.ply", make_icosphere(1, 8));
  Running check({"check", folder / "large.ply", folder / "large.ply", "--json", folder / "out.json"});
  usleep(300'000);
  EXPECT_EQ(end_by(SIGTERM, check), 143);
  EXPECT_EQ(files_in(folder), (std::vector<std::string>{"large.ply"}));
  Running info({"info", folder / "large.ply"});
  usleep(300'000);
  const int code = end_by(SIGTERM, info);
  EXPECT_TRUE(code == 143 || code == 0) << code;
  Running view({"view", folder / "large.ply"});
  usleep(300'000);
  const int served = end_by(SIGTERM, view);
  EXPECT_TRUE(served == 143 || served == 0) << served;
}

TEST(CliInterrupt, EndsEveryCommandThatRunsLong) {
  const Folder folder;
  for (const std::vector<std::string>& arguments :
       {std::vector<std::string>{"reproduce", "leonard"},
        {"bench", "detect"},
        {"run", "pyramid", "--compare", "soft,impulse", "--steps", "100000"}}) {
    Running running(arguments);
    usleep(300'000);
    EXPECT_EQ(end_by(SIGINT, running), 130) << arguments[0];
  }
}

/// 2,000 boxes on a ground, 10,000 substeps: one step takes seconds.
TEST(CliInterrupt, KeepsWhatWasRecordedBeforeALongStep) {
  const Folder folder;
  std::string scene =
      R"({"name": "slow", "steps": 9, "response": "penalty", "solver": {"penalty": {"substeps": 10000}}, )"
      R"("bodies": [{"name": "ground", "kind": "fixed",)"
      R"( "shape": {"kind": "half_space", "normal": [0, 1, 0], "offset": 0}})";
  for (int x = 0; x < 100; ++x)
    for (int z = 0; z < 20; ++z)
      scene += fmt::format(R"(, {{"name": "{0}-{1}", "kind": "rigid", "position": [{0}, 0.25, {1}], )"
                           R"("shape": {{"kind": "box", "half": [0.25, 0.25, 0.25]}}}})",
                           x, z);
  write_text(folder / "s.json", scene + "]}");
  Running run({"run", folder / "s.json", "-o", folder / "s.carom", "--json", folder / "out.json"}, folder / "err");
  for (int i = 0; i < 3000 && !std::filesystem::exists(folder / "s.carom"); ++i) usleep(10'000);
  usleep(500'000);
  EXPECT_EQ(end_by(SIGINT, run), 130);
  EXPECT_TRUE(contains(read_text(folder / "err"), "carom: ended early by a signal, within a step"));
  const RecordingReader reader{std::filesystem::path(folder / "s.carom")};
  EXPECT_TRUE(reader.damage().empty()) << reader.damage();
  EXPECT_EQ(reader.frame_count(), 1U);
  EXPECT_EQ(files_in(folder), (std::vector<std::string>{"err", "s.carom", "s.json"}));
}

#ifdef CAROM_HAS_VIEWER
TEST(CliInterrupt, WritesThePageOfARunThatIsEndedEarly) {
  const Folder folder;
  Running run({"run", "two-tori-1600", "--steps", "1000000", "--html", folder / "t.html", "--json", folder / "t.json"});
  usleep(700'000);
  EXPECT_EQ(end_by(SIGTERM, run), 143);
  EXPECT_TRUE(contains(read_text(folder / "t.html"), "</html>"));
  EXPECT_TRUE(contains(read_text(folder / "t.json"), "\"interrupted\": true"));
  EXPECT_EQ(files_in(folder), (std::vector<std::string>{"t.html", "t.json"}));
}
#endif

}  // namespace
}  // namespace carom::cli

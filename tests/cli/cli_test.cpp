#include <fmt/format.h>
#include <gtest/gtest.h>
#include <sys/wait.h>
#include <unistd.h>

#include <csignal>
#include <nlohmann/json.hpp>
#include <sstream>

#include "carom/detect/detect.hpp"
#include "carom/io/recording.hpp"
#include "carom/io/replay.hpp"
#include "carom/io/scene.hpp"
#include "command.hpp"

namespace carom::cli {
namespace {

using Json = nlohmann::json;

TEST(Cli, HelpHasAnExampleEverywhere) {
  const Result top = call({"--help"});
  EXPECT_EQ(top.exit_code, 0);
  for (const char* command : {"run", "detect", "scenes", "info", "view", "export", "bench", "reproduce"}) {
    EXPECT_TRUE(contains(top.out, command));
    const Result help = call({command, "--help"});
    EXPECT_EQ(help.exit_code, 0);
    EXPECT_TRUE(contains(help.out, std::string("Example:\n  carom ") + command));
  }
  EXPECT_TRUE(contains(call({"--version"}).out, "carom 0.1.0"));
}

TEST(Cli, OutputsThatWouldOverwriteEachOtherOrTheInputAreRefused) {
  const Folder folder;
  write_small_replay(folder / "a.replay");
  const std::string before = read_text(folder / "a.replay");
  std::filesystem::create_symlink(folder / "a.replay", folder / "link");
  write_text(folder / "s.json", call({"scenes", "--show", "knot"}).out);
  const std::vector<std::vector<std::string>> calls{
      {"detect", folder / "a.replay", "--distance", "0.1", "--json", folder / "a.replay"},
      {"detect", folder / "a.replay", "--distance", "0.1", "--contacts", folder / "link"},
      {"detect", folder / "a.replay", "--distance", "0.1", "--json", folder / "x", "--contacts", folder / "./x"},
      {"export", folder / "a.replay", "--to", "replay", folder.path().string()},
      {"run", folder / "s.json", "--steps", "1", "-o", folder / "s.json"},
      {"run", "knot", "--steps", "1", "-o", folder / "y", "--json", folder / "y"}};
  for (const auto& arguments : calls) {
    const Result result = call(arguments);
    EXPECT_EQ(result.exit_code, 2);
    EXPECT_TRUE(contains(result.err, "same file"));
  }
  EXPECT_EQ(read_text(folder / "a.replay"), before);
  EXPECT_TRUE(contains(read_text(folder / "s.json"), "knot"));
}

TEST(Cli, LinksAndDevicesAreWrittenThroughNotReplaced) {
  const Folder folder;
  write_small_replay(folder / "a.replay");
  write_text(folder / "target", "{}");
  std::filesystem::create_symlink(folder / "target", folder / "link");
  ASSERT_EQ(call({"detect", folder / "a.replay", "--distance", "0.1", "--json", folder / "link"}).exit_code, 0);
  EXPECT_TRUE(std::filesystem::is_symlink(folder / "link"));
  EXPECT_TRUE(contains(read_text(folder / "target"), "mean_ms"));
  EXPECT_EQ(call({"detect", folder / "a.replay", "--distance", "0.1", "--json", "/dev/null"}).exit_code, 0);
  EXPECT_TRUE(std::filesystem::is_character_file("/dev/null"));
  const Result full = call({"detect", folder / "a.replay", "--distance", "0.1", "--json", "/dev/full"});
  EXPECT_EQ(full.exit_code, 2);
  EXPECT_TRUE(contains(full.err, "/dev/full"));
  for (const auto& entry : std::filesystem::directory_iterator(folder.path())) {
    EXPECT_EQ(entry.path().string().find(".part"), std::string::npos) << entry.path();
  }
}

TEST(Cli, LostOutputIsToldAndClosedStreamsDoNoHarm) {
  const Folder folder;
  const std::string carom = CAROM_BIN;
  const auto shell = [](const std::string& line) {
    const int status = std::system(line.c_str());
    return WIFEXITED(status) ? WEXITSTATUS(status) : 1000 + WTERMSIG(status);
  };
  EXPECT_EQ(shell(carom + " scenes > /dev/full 2> /dev/null"), 2);
  EXPECT_EQ(shell(carom + " --help > /dev/full 2> /dev/null"), 2);
  EXPECT_EQ(shell(carom + " fly 2> /dev/full"), 2);
  EXPECT_EQ(shell(carom + " info missing 2>&-"), 2);
  EXPECT_EQ(shell(carom + " run knot --steps 2 -o " + folder / "k.carom" + " > /dev/null 2>&-"), 0);
  EXPECT_EQ(RecordingReader(std::filesystem::path(folder / "k.carom")).frame_count(), 3U);
}

struct BadCall {
  std::vector<std::string> arguments;
  std::string message;
};

TEST(Cli, BadUsageIsExplainedAndEndsWithTwo) {
  const Folder folder;
  write_text(folder / "broken.json", "{\"name\": \"x\", \"bodies\": [{\"name\": \"b\", \"kind\": \"jelly\"}]}");
  write_text(folder / "text.txt", "hello");
  write_text(folder / "short.replay", "CRPL");
  write_text(folder / "triangle.obj", "v 0 0 0\nv 1 0 0\nv 0 1 0\nf 1 2 3\n");
  const std::vector<BadCall> calls{
      {{}, "subcommand"},
      {{"fly"}, "fly"},
      {{"run"}, "scene"},
      {{"run", "no-such-scene"}, "no-such-scene"},
      {{"run", "knot", "--dt", "-1"}, "dt is -1"},
      {{"run", "knot", "--dt", "nan"}, "dt is nan"},
      {{"run", "knot", "--steps", "-5"}, "steps"},
      {{"run", "knot", "--threads", "-1"}, "threads is -1"},
      {{"run", "knot", "--time-budget", "-1"}, "time_budget is -1"},
      {{"run", "knot", "--method", "magic"}, "no detection method is called 'magic'"},
      {{"run", "particles-on-ball", "--dt", "1"}, "longest stable step"},
      {{"run", "knot", "-o", folder / "no/such/folder/x.carom"}, "no/such/folder/x.carom"},
      {{"run", "knot", "--json", folder / "no/such/folder/x.json"}, "no/such/folder/x.json"},
      {{"run", folder / "broken.json"}, "bodies[0].kind"},
      {{"detect", folder / "triangle.obj"}, "--distance"},
      {{"detect", folder / "triangle.obj", "--distance", "nan"}, "--distance is nan"},
      {{"detect", folder / "triangle.obj", "--distance", "-1"}, "--distance is -1"},
      {{"detect", folder / "triangle.obj", "--distance", "1", "--between", "--self"}, "--between"},
      {{"detect", folder / "triangle.obj", "--distance", "1", "--continuous", "--method", "grid"},
       "--method grid is for frames"},
      {{"detect", folder / "triangle.obj", "--distance", "1", "--continuous", "--method", "spheres"},
       "--method spheres is for frames"},
      {{"detect", folder / "triangle.obj", "--distance", "1", "--method", "spheres", "--sphere-depth", "0"},
       "sphere_depth is 0"},
      {{"detect", folder / "triangle.obj", "--distance", "1", "--frames", "3"}, "frames 0 to 0"},
      {{"detect", folder / "triangle.obj", "--distance", "1", "--frames", "a:b"}, "'a' is not a frame number"},
      {{"detect", folder / "triangle.obj", "--distance", "1", "--frames", "0:1:0"}, "STEP is 0"},
      {{"detect", folder / "triangle.obj", "--distance", "1", "--surface-factor", "-1"}, "--surface-factor is -1"},
      {{"detect", folder / "triangle.obj", "--distance", "1", "--surface-shape", "bent"}, "--surface-shape is 'bent'"},
      {{"detect", folder / "triangle.obj", "--distance", "1", "--exclude", folder / "missing.csv"}, "missing.csv"},
      {{"detect", folder / "triangle.obj", "--distance", "1", "--exclude", folder / "text.txt"}, "text.txt, line 1"},
      {{"detect", folder / "missing.replay", "--distance", "1"}, "missing.replay"},
      {{"detect", folder / "short.replay", "--distance", "1"}, "short.replay"},
      {{"detect", folder / "text.txt", "--distance", "1"}, "text.txt"},
      {{"info", folder / "missing.obj"}, "missing.obj"},
      {{"scenes", "--show", "nothing"}, "nothing"},
      {{"export", folder / "triangle.obj", "--to", "step", folder / "o"}, "step"},
      {{"view", folder / "missing.carom"}, "missing.carom"}};
  for (const BadCall& bad : calls) {
    const Result result = call(bad.arguments);
    std::string line;
    for (const std::string& word : bad.arguments) line += word + " ";
    EXPECT_EQ(result.exit_code, 2) << line << result.err;
    EXPECT_TRUE(contains(result.err + result.out, bad.message)) << line;
  }
}

TEST(CliRun, RecordsAndTheRecordingHoldsTheContacts) {
  const Folder folder;
  const Result result =
      call({"run", "two-tori-1600", "--steps", "140", "-o", folder / "t.carom", "--json", folder / "t.json"});
  ASSERT_EQ(result.exit_code, 0) << result.err;
  EXPECT_TRUE(contains(result.out, "stage"));
  EXPECT_TRUE(contains(result.out, "narrow"));
  EXPECT_TRUE(contains(result.err, "two-tori")) << "progress as plain lines";
  EXPECT_EQ(result.err.find('\r'), std::string::npos) << "no bar where there is no terminal";

  const RecordingReader reader{std::filesystem::path(folder / "t.carom")};
  EXPECT_EQ(reader.frame_count(), 141U);
  EXPECT_TRUE(reader.damage().empty());
  const Json json = Json::parse(read_text(folder / "t.json"));
  EXPECT_EQ(json["summary"]["steps"], 140);
  const Result detected = call({"detect", folder / "t.carom", "--distance",
                                std::to_string(reader.meta().contact_distance), "--between", "--json", "-"});
  ASSERT_EQ(detected.exit_code, 0) << detected.err;
  const Json again = Json::parse(detected.out);
  std::size_t total = 0;
  for (std::size_t step = 0; step < 140; ++step) {
    EXPECT_EQ(json["frames"][step]["vertex_face"], again["frames"][step + 1]["vertex_face"]) << step;
    EXPECT_EQ(json["frames"][step]["edge_edge"], again["frames"][step + 1]["edge_edge"]) << step;
    total += reader.read_frame(static_cast<std::uint32_t>(step + 1)).contacts.size();
  }
  EXPECT_GT(total, 0U);
}

TEST(CliRun, TheSameStateForOneAndTwoThreads) {
  const auto hash = [](const char* threads) {
    const Result result = call({"run", "cloth-on-ball-18", "--steps", "40", "--threads", threads, "--json", "-"});
    EXPECT_EQ(result.exit_code, 0) << result.err;
    return Json::parse(result.out)["summary"]["hash"].get<std::string>();
  };
  EXPECT_EQ(hash("1"), hash("2"));
}

/// The number of threads is accepted, but only as many run as there are cores.
TEST(CliRun, AThousandThreadsRunAsManyAsThereAreCores) {
  const auto hash = [](const char* threads) {
    const Result result = call({"run", "pyramid", "--steps", "20", "--threads", threads, "--json", "-"});
    EXPECT_EQ(result.exit_code, 0) << result.err;
    return Json::parse(result.out)["summary"]["hash"].get<std::string>();
  };
  EXPECT_EQ(hash("1024"), hash("1"));
}

/// Until a run has written its first frames; half a minute at most.
void wait_for_bytes(const std::string& path, std::uintmax_t bytes) {
  for (int i = 0; i < 600; ++i) {
    std::error_code error;
    const std::uintmax_t size = std::filesystem::file_size(path, error);
    if (!error && size > bytes) return;
    usleep(50'000);
  }
}

TEST(CliRun, CtrlCLeavesAReadableRecording) {
  const Folder folder;
  Running run({"run", "two-tori-25600", "--steps", "1000000", "-o", folder / "t.carom"});
  wait_for_bytes(folder / "t.carom", 3'000'000);
  run.send(SIGINT);
  EXPECT_EQ(run.wait(), 130);
  const RecordingReader reader{std::filesystem::path(folder / "t.carom")};
  EXPECT_TRUE(reader.damage().empty()) << reader.damage();
  ASSERT_GT(reader.frame_count(), 1U);
  EXPECT_EQ(reader.read_frame(reader.frame_count() - 1).bodies.size(), 2U);
}

TEST(CliRun, AKilledRunLeavesItsWholeFrames) {
  const Folder folder;
  {
    Running run({"run", "two-tori-25600", "--steps", "1000000", "-o", folder / "t.carom"});
    wait_for_bytes(folder / "t.carom", 3'000'000);
    run.send(SIGKILL);
    run.wait();
  }
  const Result info = call({"info", folder / "t.carom"});
  EXPECT_EQ(info.exit_code, 1) << "damage is a problem found";
  EXPECT_TRUE(contains(info.out, "damaged: "));
  const Result detect = call({"detect", folder / "t.carom", "--distance", "0.01", "--frames", "1", "--json", "-"});
  EXPECT_EQ(detect.exit_code, 0) << detect.err;
  EXPECT_TRUE(contains(detect.err, "warning"));
}

TEST(CliRun, AStepThatFailsKeepsWhatWasRecorded) {
  const Folder folder;
  write_text(folder / "s.json", R"({"name": "fall", "steps": 50, "dt": 1, "gravity": [0, -1e7, 0], "bodies": [
      {"name": "sheet", "kind": "particles", "mesh": {"generator": "sheet", "segments_x": 2, "segments_z": 2},
       "stretch_stiffness": 0, "bend_stiffness": 0, "spring_damping": 0, "air_damping": 0}]})");
  const Result result = call({"run", folder / "s.json", "-o", folder / "s.carom", "--json", folder / "out.json"});
  EXPECT_EQ(result.exit_code, 2);
  EXPECT_TRUE(contains(result.err, "body 'sheet': vertex 0 moves at 1.1e+08 m/s"));
  const RecordingReader reader{std::filesystem::path(folder / "s.carom")};
  EXPECT_TRUE(reader.damage().empty());
  EXPECT_GT(reader.frame_count(), 2U);
  EXPECT_EQ(Json::parse(read_text(folder / "out.json"))["summary"]["steps"], reader.frame_count() - 1);
}

TEST(CliInfo, ARecordingHasTheDescriptionOfItsScene) {
  const Folder folder;
  const Scene scene = find_scene("knot");
  ASSERT_FALSE(scene.description.empty());
  ASSERT_EQ(call({"run", "knot", "--steps", "1", "-o", folder / "k.carom"}).exit_code, 0);
  EXPECT_EQ(Json::parse(call({"info", folder / "k.carom", "--json", "-"}).out)["description"], scene.description);
}

TEST(CliInfo, FindsDamageAnywhereInARecording) {
  const Folder folder;
  ASSERT_EQ(call({"run", "knot", "--steps", "10", "-o", folder / "k.carom"}).exit_code, 0);
  EXPECT_EQ(call({"info", folder / "k.carom"}).exit_code, 0);
  const std::string good = read_text(folder / "k.carom");
  for (int tenth = 1; tenth <= 9; ++tenth) {
    std::string bad = good;
    char& byte = bad[bad.size() * static_cast<std::size_t>(tenth) / 10];
    byte = static_cast<char>(byte ^ 0x10);
    write_text(folder / "bad.carom", bad);
    const Result result = call({"info", folder / "bad.carom"});
    EXPECT_EQ(result.exit_code, 1) << tenth;
    EXPECT_TRUE(contains(result.out, "damaged: ")) << tenth;
    EXPECT_TRUE(contains(result.out, "offset")) << tenth;
  }
}

TEST(CliInfo, TellsThatAMeshWhichFacesInwardIsARoom) {
  const Folder folder;
  write_text(folder / "room.obj", "v 0 0 0\nv 1 0 0\nv 0 1 0\nv 0 0 1\nf 1 2 3\nf 1 4 2\nf 2 4 3\nf 1 3 4\n");
  const Result room = call({"info", folder / "room.obj"});
  EXPECT_EQ(room.exit_code, 0);
  EXPECT_TRUE(contains(room.out, "solid            closed, faces inward: a room (its inside is empty)")) << room.out;
  EXPECT_TRUE(contains(room.out, "volume           0.166667 m3")) << room.out;
  EXPECT_EQ(Json::parse(call({"info", folder / "room.obj", "--json", "-"}).out)["room"], true);
  write_text(folder / "solid.obj", "v 0 0 0\nv 1 0 0\nv 0 1 0\nv 0 0 1\nf 1 3 2\nf 1 2 4\nf 2 3 4\nf 1 4 3\n");
  EXPECT_FALSE(contains(call({"info", folder / "solid.obj"}).out, "room"));
  EXPECT_EQ(Json::parse(call({"info", folder / "solid.obj", "--json", "-"}).out)["room"], false);
}

TEST(CliInfo, ReportsWhatIsWrongWithAMesh) {
  const Folder folder;
  write_text(folder / "open.obj", "v 0 0 0\nv 1 0 0\nv 0 1 0\nv 0 0 1\nf 1 3 2\nf 1 2 4\nf 2 3 4\n");
  const Result open = call({"info", folder / "open.obj"});
  EXPECT_EQ(open.exit_code, 1);
  EXPECT_TRUE(contains(open.out, "watertight       no"));
  EXPECT_TRUE(contains(open.out, "0-2, 0-3, 2-3"));
  write_text(folder / "closed.obj", "v 0 0 0\nv 1 0 0\nv 0 1 0\nv 0 0 1\nf 1 3 2\nf 1 2 4\nf 2 3 4\nf 1 4 3\n");
  const Result closed = call({"info", folder / "closed.obj", "--json", "-"});
  EXPECT_EQ(closed.exit_code, 0);
  const Json json = Json::parse(closed.out);
  EXPECT_EQ(json["watertight"], true);
  EXPECT_NEAR(json["volume"].get<double>(), 1.0 / 6, 1e-15);
  EXPECT_EQ(json["edges"], 6);
}

TEST(CliExport, WhatIsExportedDetectsTheSame) {
  const Folder folder;
  write_small_replay(folder / "small.replay");
  const std::string expected = call({"detect", folder / "small.replay", "--distance", "0.3", "--contacts", "-"}).out;
  EXPECT_TRUE(contains(expected, "ee"));
  for (const std::string format : {"obj", "ply"}) {
    const Result result = call({"export", folder / "small.replay", "--to", format, folder / format});
    ASSERT_EQ(result.exit_code, 0) << result.err;
    const Result detected = call({"detect", folder / format, "--distance", "0.3", "--contacts", "-"});
    ASSERT_EQ(detected.exit_code, 0) << detected.err;
    EXPECT_EQ(detected.out, expected) << format;
  }
  ASSERT_EQ(call({"export", folder / "small.replay", "--to", "vtk", folder / "vtk", "--frames", "1::2"}).exit_code, 0);
  EXPECT_TRUE(std::filesystem::exists(folder / "vtk/frame_0003.vtk"));
  EXPECT_FALSE(std::filesystem::exists(folder / "vtk/frame_0002.vtk"));
  ASSERT_EQ(call({"export", folder / "small.replay", "--to", "replay", folder / "copy"}).exit_code, 0);
  EXPECT_EQ(read_text(folder / "copy/small.replay"), read_text(folder / "small.replay"));
}

TEST(CliScenes, ListsShowsAndRunsWhatItShows) {
  const Folder folder;
  const Result list = call({"scenes"});
  for (const char* name : {"two-tori-1600", "two-tori-6400", "two-tori-25600", "knot", "cloth-on-ball"}) {
    EXPECT_TRUE(contains(list.out, name));
  }
  write_text(folder / "mine.json", call({"scenes", "--show", "knot"}).out);
  const auto summary = [](const std::string& scene) {
    const Result result = call({"run", scene, "--steps", "5", "--json", "-"});
    EXPECT_EQ(result.exit_code, 0) << result.err;
    return Json::parse(result.out)["summary"]["hash"];
  };
  EXPECT_EQ(summary(folder / "mine.json"), summary("knot"));
  EXPECT_TRUE(Json::parse(call({"scenes", "--schema"}).out).contains("properties"));
}

}  // namespace
}  // namespace carom::cli

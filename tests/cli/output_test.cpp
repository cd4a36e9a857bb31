#include <gtest/gtest.h>

#include <nlohmann/json.hpp>

#include "carom/io/recording.hpp"
#include "command.hpp"

namespace carom::cli {
namespace {

using Json = nlohmann::json;

constexpr const char* tetrahedron = "v 0 0 0\nv 1 0 0\nv 0 1 0\nv 0 0 1\nf 1 3 2\nf 1 2 4\nf 2 3 4\nf 1 4 3\n";

/// A mesh and a scene in a folder, with which each command runs.
class CliOutput : public testing::Test {
 protected:
  void SetUp() override {
    write_text(mesh_, tetrahedron);
    write_text(folder_ / "other.obj", tetrahedron);
  }

  /// Refused with a message that names the option and the file, which stays as it is.
  void refused(const std::vector<std::string>& arguments, const std::string& option, const std::string& file) {
    const std::string before = read_text(file);
    const Result result = call(arguments);
    EXPECT_EQ(result.exit_code, 2) << result.err;
    EXPECT_TRUE(contains(result.err, "carom: " + option + " " + file + ": "));
    EXPECT_EQ(read_text(file), before);
  }

  Folder folder_;
  std::string mesh_ = folder_ / "part.obj";
};

TEST_F(CliOutput, ARecordingDoesNotOverwriteAnotherKindOfFile) {
  const std::string precious = folder_ / "precious.obj";
  write_text(precious, "precious");
  refused({"run", "newtons-cradle", "--steps", "2", "-o", precious}, "-o", precious);
  write_text(folder_ / "named.carom", "not a recording");
  refused({"run", "newtons-cradle", "--steps", "2", "-o", folder_ / "named.carom"}, "-o", folder_ / "named.carom");
  refused({"run", "newtons-cradle", "--steps", "2", "-o", folder_ / "film.mp4"}, "-o", folder_ / "film.mp4");
  EXPECT_FALSE(std::filesystem::exists(folder_ / "film.mp4"));

  const std::string recording = folder_ / "run.carom";
  EXPECT_EQ(call({"run", "newtons-cradle", "--steps", "2", "-o", recording}).exit_code, 0);
  EXPECT_EQ(call({"run", "newtons-cradle", "--steps", "3", "-o", recording}).exit_code, 0) << "a recording again";
  EXPECT_EQ(RecordingReader(std::filesystem::path(recording)).frame_count(), 4U);
  refused({"run", "newtons-cradle", "--steps", "2", "-o", folder_ / "film.replay", "--json", recording}, "--json",
          recording);
  std::filesystem::rename(recording, folder_ / "backup");
  EXPECT_EQ(call({"run", "newtons-cradle", "--steps", "1", "-o", folder_ / "backup"}).exit_code, 0);
  EXPECT_EQ(call({"run", "newtons-cradle", "--steps", "1", "-o", "/dev/null"}).exit_code, 0);
}

TEST_F(CliOutput, NoOutputOverwritesAFileOfAnotherKind) {
  const std::string precious = folder_ / "precious.txt";
  write_text(precious, "precious");
  refused({"info", mesh_, "--json", precious}, "--json", precious);
  refused({"check", mesh_, mesh_, "--json", precious}, "--json", precious);
  refused({"scenes", "--json", precious}, "--json", precious);
  refused({"detect", mesh_, "--distance", "0.1", "--json", folder_ / "other.obj"}, "--json", folder_ / "other.obj");
  refused({"detect", mesh_, "--distance", "0.1", "--contacts", precious}, "--contacts", precious);
  refused({"run", "knot", "--steps", "1", "--json", precious}, "--json", precious);
  refused({"bench", "detect", "--scene", "knot", "--json", precious}, "--json", precious);
  refused({"reproduce", "leonard", "--json", precious}, "--json", precious);
  std::filesystem::create_directory(folder_ / "frames");
  write_text(folder_ / "frames/part.replay", "precious");
  refused({"export", mesh_, "--to", "replay", folder_ / "frames"}, "the output", folder_ / "frames/part.replay");
#ifdef CAROM_HAS_VIEWER
  refused({"run", "knot", "--steps", "1", "--html", precious}, "--html", precious);
  refused({"check", mesh_, mesh_, "--html", precious}, "--html", precious);
#endif
  // Files of the same kind, and empty ones, are overwritten.
  for (const char* text : {"", "{}", " [1]\n"}) {
    write_text(folder_ / "out", text);
    EXPECT_EQ(call({"info", mesh_, "--json", folder_ / "out"}).exit_code, 0) << text;
    EXPECT_EQ(Json::parse(read_text(folder_ / "out"))["triangles"], 4) << text;
  }
}

TEST_F(CliOutput, JsonGoesToAFileOrToStandardOutputInEveryCommand) {
  const std::vector<std::vector<std::string>> commands{{"info", mesh_},
                                                       {"check", mesh_, folder_ / "other.obj"},
                                                       {"scenes"},
                                                       {"detect", mesh_, "--distance", "0.1"},
                                                       {"run", "newtons-cradle", "--steps", "2"}};
  for (std::vector<std::string> command : commands) {
    std::vector<std::string> to_file = command;
    to_file.insert(to_file.end(), {"--json", folder_ / command[0]});
    command.insert(command.end(), {"--json", "-"});
    const Result text = call(to_file);
    EXPECT_FALSE(text.out.empty()) << command[0] << ": the text is printed all the same";
    EXPECT_FALSE(Json::parse(read_text(folder_ / command[0])).empty());
    const Result json = call(command);
    EXPECT_EQ(json.exit_code, text.exit_code) << command[0];
    EXPECT_FALSE(Json::parse(json.out).empty()) << command[0];
    command.pop_back();
    const Result missing = call(command);
    EXPECT_EQ(missing.exit_code, 2);
    EXPECT_TRUE(contains(missing.err, "carom: --json needs a value: FILE")) << command[0];
  }
}

TEST_F(CliOutput, TwoOutputsDoNotShareStandardOutput) {
  const std::vector<std::vector<std::string>> calls{
      {"--html", "--json", "run", "knot", "--steps", "1", "--json", "-", "--html", "-"},
      {"--json", "--html", "check", mesh_, mesh_, "--json", "-", "--html", "-"},
      {"--json", "--contacts", "detect", mesh_, "--distance", "1", "--json", "-", "--contacts", "-"}};
  for (const std::vector<std::string>& line : calls) {
    const Result result = call({line.begin() + 2, line.end()});
    EXPECT_EQ(result.exit_code, 2);
    EXPECT_EQ(result.out, "");
    EXPECT_TRUE(contains(result.err, line[0] + " and " + line[1] + " cannot both go to standard output"));
  }
}

}  // namespace
}  // namespace carom::cli

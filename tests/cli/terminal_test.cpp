#include <gtest/gtest.h>

#include "carom/io/mesh_file.hpp"
#include "command.hpp"

namespace carom::cli {
namespace {

/// Line feeds and tabs are the only control characters of plain text.
testing::AssertionResult is_plain(const std::string& text) {
  for (std::size_t i = 0; i < text.size(); ++i) {
    const auto byte = static_cast<unsigned char>(text[i]);
    if ((byte < 0x20 && byte != '\n' && byte != '\t') || byte == 0x7f)
      return testing::AssertionFailure() << "byte " << int(byte) << " at " << i << " in:\n" << text;
  }
  return testing::AssertionSuccess();
}

/// Words of a scene that would set the title of a window, and clear it.
constexpr const char* hostile_json = R"(r\u001b]0;title\u0007\u001b[2J)";
constexpr const char* hostile_raw = "r\x1b]0;title\x07\x1b[2J";
constexpr const char* harmless = "r\\x1b]0;title\\x07\\x1b[2J";

TEST(CliTerminal, NamesAreEscapedInEveryTable) {
  const Folder folder;
  const std::string name = hostile_json;
  write_text(folder / "s.json", R"({"name": ")" + name + R"(", "steps": 3, "dt": 0.01,
    "bounds": {"min": [0, 1, 0], "max": [1, 2, 1]}, "bodies": [
    {"name": ")" + name + R"(", "kind": "rigid", "shape": {"kind": "sphere", "radius": 0.1}}]})");
  const Result run = call({"run", folder / "s.json", "-o", folder / "s.carom"});
  EXPECT_EQ(run.exit_code, 1) << "a body is lost";
  EXPECT_TRUE(is_plain(run.out + run.err));
  EXPECT_TRUE(contains(run.out, std::string("bodies lost       1, such as ") + harmless));
  EXPECT_TRUE(contains(run.out, std::string(harmless) + ", dt 0.01 s"));
  EXPECT_TRUE(contains(run.err, std::string(harmless) + ": 3/3"));
  const Result info = call({"info", folder / "s.carom"});
  EXPECT_TRUE(is_plain(info.out));
  EXPECT_TRUE(contains(info.out, std::string("'") + harmless + "', rigid"));
  EXPECT_TRUE(is_plain(call({"info", folder / "s.carom", "--json", "-"}).out));
  const Result compare = call({"run", folder / "s.json", "--compare", "soft,impulse"});
  EXPECT_TRUE(is_plain(compare.out + compare.err));
}

TEST(CliTerminal, NamesOfFilesAndPartsAreEscaped) {
  const Folder folder;
  const std::string mesh = "v 0 0 0\nv 1 0 0\nv 0 1 0\nv 0 0 1\nf 1 3 2\nf 1 2 4\nf 2 3 4\nf 1 4 3\n";
  const std::string named = folder / (std::string(hostile_raw) + "\n.obj");
  write_text(named, mesh);
  write_text(folder / "b.obj", std::string("o ") + hostile_raw + "\n" + mesh);
  for (const std::vector<std::string>& arguments : {std::vector<std::string>{"check", named, folder / "b.obj"},
                                                    {"info", named},
                                                    {"info", folder / hostile_raw},
                                                    {"run", hostile_raw},
                                                    {hostile_raw},
                                                    {"info", std::string("--") + hostile_raw},
                                                    {"detect", named, "--distance", hostile_raw},
                                                    {"run", "knot", "--method", hostile_raw}}) {
    const Result result = call(arguments);
    EXPECT_TRUE(is_plain(result.out + result.err)) << arguments[0];
    EXPECT_TRUE(contains(result.out + result.err, harmless)) << arguments[0];
  }
  EXPECT_TRUE(contains(call({"info", named}).out, std::string(harmless) + "\\n.obj: mesh"));
}

TEST(CliTerminal, AClosedPipeEndsACommandWithoutAWord) {
  const Folder folder;
  ASSERT_EQ(call({"run", "knot", "--steps", "2", "-o", folder / "k.carom"}).exit_code, 0);
  // 141 is what a shell says of a program that SIGPIPE ended.
  for (const std::vector<std::string>& arguments :
       {std::vector<std::string>{"info", folder / "k.carom"},
        {"scenes"},
        {"scenes", "--json", "-"},
        {"--help"},
        {"detect", folder / "k.carom", "--distance", "0.01", "--contacts", "-"}}) {
    const Result result = call_into_closed_pipe(arguments);
    EXPECT_EQ(result.exit_code, 141) << arguments[0];
    EXPECT_EQ(result.err.find("carom:"), std::string::npos) << result.err;
  }
}

TEST(CliTerminal, CountsAndTimesAreWrittenAsPeopleDo) {
  const Folder folder;
  ASSERT_EQ(call({"run", "newtons-cradle", "--steps", "10", "-o", folder / "c.carom"}).exit_code, 0);
  EXPECT_TRUE(contains(call({"info", folder / "c.carom"}).out, "11 (0.166667 s, 0.0166667 s from frame to frame)"));

  const std::string open = "v 0 0 0\nv 1 0 0\nv 0 1 0\nv 0 0 1\nv 9 9 9\nv 0 0 1\nf 1 3 2\nf 1 2 4\nf 2 3 4\nf 1 6 3\n";
  write_text(folder / "open.obj", open);
  const Result info = call({"info", folder / "open.obj"});
  EXPECT_TRUE(contains(info.out, "\n1 vertex in no triangle:"));
  EXPECT_TRUE(contains(info.out, "\n1 group of vertices at the same place:"));
  EXPECT_TRUE(contains(info.out, "\n4 open edges"));
  const Result detect = call({"detect", folder / "open.obj", "--distance", "0.01"});
  EXPECT_TRUE(contains(detect.out, "3 vertex-face contacts and 4 edge-edge contacts closer than 0.01 m")) << detect.out;

  const std::string cube = folder / "a.obj";
  write_text(cube, "v 0 0 0\nv 1 0 0\nv 0 1 0\nv 0 0 1\nf 1 3 2\nf 1 2 4\nf 2 3 4\nf 1 4 3\n");
  const Result check = call({"check", cube, cube});
  EXPECT_TRUE(contains(check.out, "2 parts: 1 pair overlaps, 0 touch"));
  EXPECT_TRUE(contains(check.err, "read: 1/2  1 part\n"));
}

struct BadLine {
  std::vector<std::string> arguments;
  std::string message;  ///< after "carom: "
};

TEST(CliTerminal, EveryErrorOfTheCommandLineSaysWhatWasExpected) {
  const Folder folder;
  const std::string mesh = folder / "a.obj";
  write_text(mesh, "v 0 0 0\nv 1 0 0\nv 0 1 0\nf 1 2 3\n");
  const std::vector<BadLine> lines{
      {{}, "a subcommand is missing; expected one of: run, detect, "},
      {{"fly"}, "there is no command 'fly'; expected one of: run, detect, "},
      {{"bench", "fly"}, "there is no command 'fly'; expected one of: detect"},
      {{"--bogus"}, "there is no option '--bogus'; see: carom --help"},
      {{"detect", "--bogus"}, "there is no option '--bogus'; see: carom detect --help"},
      {{"detect", mesh}, "--distance is missing; see: carom detect --help"},
      {{"run"}, "scene is missing: a built-in name "},
      {{"view", mesh, "b"}, "'b' was not expected; see: carom view --help"},
      {{"detect", mesh, "--distance", "1mm"}, "--distance is '1mm'; expected a number of metres, such as 0.01"},
      {{"detect", mesh, "--distance", "1", "--threads", "-1"}, "--threads is -1; expected a whole number from 0 to "},
      {{"check", mesh, mesh, "--threads", "two"}, "--threads is 'two'; expected a whole number from 0 to "},
      {{"run", "knot", "--steps", "1.5"}, "--steps is '1.5'; expected a whole number"},
      {{"view", mesh, "--port", "http"}, "--port is 'http'; expected a whole number from 0 to 65535"},
      {{"export", mesh, folder / "o", "--to", "step"}, "--to is 'step'; expected one of: obj, "},
      {{"detect", mesh, "--distance", "1", "--between", "--self"}, "--between and --self cannot be used together"},
      {{"run", "knot", "--dt", "1", "--dt", "2"}, "--dt is given 2 times; expected once"},
      {{"run", "knot", "-o"}, "--output needs a value: FILE"}};
  for (const BadLine& line : lines) {
    const Result result = call(line.arguments);
    EXPECT_EQ(result.exit_code, 2);
    EXPECT_EQ(result.out, "");
    EXPECT_TRUE(result.err.starts_with("carom: " + line.message)) << line.message << "\n" << result.err;
  }
}

}  // namespace
}  // namespace carom::cli

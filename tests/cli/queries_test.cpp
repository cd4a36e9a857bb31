#include <fmt/format.h>
#include <gmpxx.h>
#include <gtest/gtest.h>

#include <nlohmann/json.hpp>

#include "command.hpp"

namespace carom::cli {
namespace {

using Json = nlohmann::json;

struct Point {
  int x, y, z;
};

/// Eight rows: four points at the start, then at the end, in quarters.
std::string query(const std::vector<Point>& points, int answer) {
  std::string rows;
  for (const Point& p : points) {
    rows += fmt::format("{},4,{},4,{},4,{}\n", p.x, p.y, p.z, answer);
  }
  return rows;
}

/// A vertex over a triangle in the plane z = 0 that goes from height `from` to `to`.
std::string falling(int x, int y, int from, int to, int answer) {
  const std::vector<Point> face{{-4, -4, 0}, {12, -4, 0}, {-4, 12, 0}};
  std::vector<Point> points{{x, y, from}};
  points.insert(points.end(), face.begin(), face.end());
  points.push_back({x, y, to});
  points.insert(points.end(), face.begin(), face.end());
  return query(points, answer);
}

/// Two edges at right angles, the first at heights from and to.
std::string crossing(int from, int to, int answer) {
  return query({{-4, 0, from}, {4, 0, from}, {0, -4, 0}, {0, 4, 0}, {-4, 0, to}, {4, 0, to}, {0, -4, 0}, {0, 4, 0}},
               answer);
}

TEST(CliQueries, CountsWhatIsWrongFileByFileAndInTotal) {
  const Folder folder;
  const std::string vf = folder / "some_vertex-face.csv";
  const std::string ee = folder / "some_edge-edge.csv";
  // The last answer of the first file is wrong on purpose: nothing collides.
  write_text(vf, falling(0, 0, 4, -4, 1) + falling(4, 4, 4, -4, 1) + falling(0, 0, 4, 1, 0) + falling(0, 0, 4, 1, 1));
  write_text(ee, crossing(4, -4, 1) + crossing(4, 2, 0) + crossing(4, -8, 0));  // here the last one collides
  const Result result = call({"queries", vf, ee, "--json", "-"});
  EXPECT_EQ(result.exit_code, 1) << "a collision was missed, says the file";
  const Json json = Json::parse(result.out);
  EXPECT_EQ(json["queries"], 7);
  EXPECT_EQ(json["positives"], 4);
  EXPECT_EQ(json["false_negatives"], 1);
  EXPECT_EQ(json["false_positives"], 1);
  EXPECT_GT(json["mean_us"], 0);
  EXPECT_GE(json["worst_us"], json["mean_us"]);
  EXPECT_GE(json["worst_us"], json["median_us"]);
  ASSERT_EQ(json["files"].size(), 2U);
  EXPECT_EQ(json["files"][0]["file"], vf);
  EXPECT_EQ(json["files"][0]["kind"], "vf");
  EXPECT_EQ(json["files"][0]["queries"], 4);
  EXPECT_EQ(json["files"][0]["false_negatives"], 1);
  EXPECT_EQ(json["files"][1]["kind"], "ee");
  EXPECT_EQ(json["files"][1]["queries"], 3);
  EXPECT_EQ(json["files"][1]["false_positives"], 1);
  EXPECT_TRUE(contains(result.err, "total")) << "the table goes where the JSON does not";
}

TEST(CliQueries, ReadsEveryDoubleAndDecidesExactly) {
  const Folder folder;
  const std::string file = folder / "limits.csv";
  // Down to the smallest double above the triangle, 1/2^1074, and to the triangle itself; with blanks and an empty
  // line.
  mpz_class smallest(1);
  smallest <<= 1074;
  const auto rows = [](const std::string& z, int answer) {
    const std::string face =
        fmt::format("-1,1,-1,1,0,1,{0}\r\n3,1,-1,1,0,1,{0}\r\n -1, 1, 3, 1, 0, 1 ,{0}\r\n", answer);
    return fmt::format("0,1,0,1,1,1,{0}\r\n{1}0,1,0,1,{2},{0}\r\n{1}", answer, face, z);
  };
  write_text(file, rows(fmt::format("1,{}", smallest.get_str()), 0) + "\n" + rows("0,1", 1));
  const Result result = call({"queries", file, "--kind", "vf", "--exact"});
  EXPECT_EQ(result.exit_code, 0) << result.out << result.err;
  EXPECT_TRUE(contains(result.out, "limits.csv"));
  // Other files are two edges: the kind is asked for, not guessed.
  EXPECT_TRUE(contains(call({"queries", file}).err, "--kind"));
}

TEST(CliQueries, BadFilesAreToldByFileAndLine) {
  const Folder folder;
  const std::string path = folder / "bad_vertex-face.csv";
  const std::string good = falling(0, 0, 4, -4, 1);
  const auto error_with = [&](const std::string& text, const std::vector<std::string>& more = {}) {
    write_text(path, text);
    std::vector<std::string> arguments{"queries", path};
    arguments.insert(arguments.end(), more.begin(), more.end());
    const Result result = call(arguments);
    EXPECT_EQ(result.exit_code, 2);
    return result.err;
  };
  EXPECT_TRUE(contains(error_with(good + "1,2,3\n"), path + ", line 9: the row ends before"));
  EXPECT_TRUE(
      contains(error_with(good + "1,1,x,1,1,1,0\n"), "line 9: expected the numerator of y, an integer, found \"x\""));
  EXPECT_TRUE(
      contains(error_with("1,1,1.5,1,1,1,0\n"), "line 1: expected the numerator of y, an integer, found \"1.5\""));
  EXPECT_TRUE(contains(error_with("1,1,1,1,1,0,0\n"), "line 1: the denominator of z is 0"));
  EXPECT_TRUE(contains(error_with("1,1,1,1,1,1,2\n"), "line 1: expected 0 or 1"));
  EXPECT_TRUE(contains(error_with("1,1,1,1,1,1,1,1\n"), "line 1: more than seven columns"));
  EXPECT_TRUE(contains(error_with("1,1,1,1,1,1,1\n1,1,1,1,1,1,0\n"), "line 2: the answer is 0, but 1"));
  EXPECT_TRUE(contains(error_with(good + "1,1,1,1,1,1,1\n"), "line 9: the file ends after 1 of the 8 rows"));
  EXPECT_TRUE(contains(error_with(fmt::format("1{:0>400},1,1,1,1,1,1\n", 0)), "line 1: x is too large for a double"));
  EXPECT_TRUE(contains(error_with(good, {"--kind", "vv"}), "--kind is 'vv'"));
  EXPECT_TRUE(contains(error_with(good, {"--tolerance", "-1"}), "--tolerance is -1"));
  EXPECT_TRUE(contains(call({"queries", folder / "none_edge-edge.csv"}).err, "none_edge-edge.csv"));
  EXPECT_TRUE(contains(call({"queries", "--help"}).out, "Example:"));
}

}  // namespace
}  // namespace carom::cli

#include <gtest/gtest.h>

#include <nlohmann/json.hpp>

#include "command.hpp"

namespace carom::cli {
namespace {

using Json = nlohmann::json;

TEST(CliBench, ComparesTheMethodsWithTheReference) {
  const Result result = call({"bench", "detect", "--scene", "two-tori", "--frames", "3", "--passes", "1", "--method",
                              "sweep", "--method", "auto", "--threads", "2", "--json", "-"});
  ASSERT_EQ(result.exit_code, 0) << result.err;
  const Json json = Json::parse(result.out);
  ASSERT_EQ(json["scenes"].size(), 1U);
  const Json& scene = json["scenes"][0];
  EXPECT_EQ(scene["scene"], "two-tori-1600");
  EXPECT_EQ(scene["triangles"], 3200);
  EXPECT_EQ(scene["frames"], 3);
  ASSERT_EQ(scene["results"].size(), 5U) << "the reference, and two methods with one and two threads";
  EXPECT_EQ(scene["results"][0]["method"], "reference");
  EXPECT_EQ(scene["results"][0]["faster"], 1);
  for (const Json& entry : scene["results"]) {
    EXPECT_EQ(entry["contacts"], scene["results"][0]["contacts"]) << "all find the same";
    EXPECT_GT(entry["ms"], 0);
    EXPECT_NEAR(entry["faster"].get<double>() * entry["ms"].get<double>(), scene["results"][0]["ms"].get<double>(),
                1e-9);
  }
  EXPECT_GT(scene["results"][0]["contacts"], 0);
  EXPECT_TRUE(contains(result.err, "faster")) << "the table goes where the JSON does not";
}

TEST(CliBench, BadUsageIsExplained) {
  const std::vector<std::pair<std::vector<std::string>, std::string>> calls{
      {{"bench"}, "subcommand"},
      {{"bench", "detect", "--scene", "three-tori"}, "three-tori"},
      {{"bench", "detect", "--method", "octree"}, "octree"},
      {{"bench", "detect", "--frames", "0"}, "--frames is 0"},
      {{"bench", "detect", "--passes", "-1"}, "--passes is -1"},
      {{"bench", "detect", "--threads", "0"}, "--threads is 0"},
      {{"reproduce"}, "document"},
      {{"reproduce", "newton"}, "no document is called 'newton'"},
      {{"reproduce", "leonard", "--tables", "4.1,4.8"}, "no table '4.8'"},
      {{"reproduce", "leonard", "--frames", "0"}, "--frames is 0"},
      {{"reproduce", "leonard", "--threads", "-1"}, "threads is -1"},
      {{"reproduce", "zouiouche", "--tables", "4.1"}, "no table '4.1'"},
      {{"reproduce", "zouiouche", "--frames", "0"}, "--frames is 0"}};
  for (const auto& [arguments, message] : calls) {
    const Result result = call(arguments);
    EXPECT_EQ(result.exit_code, 2) << message;
    EXPECT_TRUE(contains(result.err, message)) << result.err;
  }
}

TEST(CliReproduce, PrintsTheTablesWithThePublishedFiguresBeside) {
  const Result result = call({"reproduce", "leonard", "--frames", "2", "--threads", "2", "--json", "-"});
  ASSERT_EQ(result.exit_code, 0) << result.err;
  const Json tables = Json::parse(result.out)["tables"];
  ASSERT_EQ(tables.size(), 7U);
  for (const char* id : {"4.1", "4.2", "4.3"}) {
    ASSERT_EQ(tables[id]["rows"].size(), 4U) << id;
    for (const Json& row : tables[id]["rows"]) {
      for (const auto& [name, quantity] : row.items()) {
        if (name == "row") continue;
        EXPECT_TRUE(quantity["ours"].is_number()) << id << " " << name;
        EXPECT_TRUE(quantity["published"].is_number()) << id << " " << name;
      }
    }
  }
  EXPECT_EQ(tables["4.1"]["rows"][2]["boxes without"]["published"], 15.13);
  EXPECT_EQ(tables["4.2"]["rows"][3]["boxes"]["published"], 83756);
  EXPECT_EQ(tables["4.3"]["rows"][0]["culled"]["published"], 1848);

  // Boxes are tighter than spheres, and what volumes take away was there before.
  for (const Json& row : tables["4.2"]["rows"]) {
    EXPECT_LE(row["boxes"]["ours"], row["spheres"]["ours"]) << row["row"];
  }
  for (const Json& row : tables["4.3"]["rows"]) {
    EXPECT_LE(row["boxes culled"]["ours"], row["boxes"]["ours"]) << row["row"];
    EXPECT_LE(row["culled"]["ours"], row["spheres"]["ours"]) << row["row"];
  }
  const Json& cones = tables["4.5"]["rows"];
  EXPECT_GT(cones[0]["with"]["ours"], 0) << "cells left out";
  EXPECT_LT(cones[2]["with"]["ours"], cones[2]["without"]["ours"]) << "tests";
  EXPECT_EQ(tables["4.4"]["rows"].back()["with"]["published"], 9.9);
  EXPECT_EQ(tables["4.7"]["rows"].size(), 3 * 7U + 8U + 4U) << "stages, and a whole step for each scene";
  EXPECT_TRUE(contains(result.err, "The published cones lose contacts"));
  EXPECT_TRUE(contains(result.err, "Table 4.7"));
  // The scenes of the thesis are simulated, in all tables.
  const std::vector<std::string> scenes{"soft-tori-1600", "soft-tori-6400", "soft-tori-25600", "soft-knot"};
  for (std::size_t i = 0; i < scenes.size(); ++i) {
    for (const char* id : {"4.1", "4.2", "4.3"}) EXPECT_EQ(tables[id]["rows"][i]["row"], scenes[i]);
    EXPECT_EQ(tables["4.7"]["rows"][3 * 7 + 8 + i]["row"], scenes[i] + ": whole step");
  }
  EXPECT_TRUE(contains(result.err, "2 frames\nspread over its first 20 steps"));
}

TEST(CliReproduce, PrintsOnlyWhatIsAskedFor) {
  const Result result = call({"reproduce", "leonard", "--tables", "4.2,4.3", "--frames", "1"});
  ASSERT_EQ(result.exit_code, 0) << result.err;
  EXPECT_TRUE(contains(result.out, "Table 4.2"));
  EXPECT_TRUE(contains(result.out, "Table 4.3"));
  EXPECT_FALSE(contains(result.out, "Table 4.1"));
  EXPECT_TRUE(contains(result.out, "25687")) << "the thesis's figure";
}

TEST(CliReproduce, ClothAgainstAMovingBallWithTreesOfEveryDepth) {
  const Result result = call({"reproduce", "zouiouche", "--tables", "depth,refit", "--frames", "6", "--json", "-"});
  ASSERT_EQ(result.exit_code, 0) << result.err;
  const Json tables = Json::parse(result.out)["tables"];
  ASSERT_EQ(tables.size(), 2U);
  const Json& rows = tables["depth"]["rows"];
  ASSERT_EQ(rows.size(), 15U + 3);
  EXPECT_GT(rows[0]["box tests"]["ours"], 1e6) << "all pairs in frames in which the ball is near";
  EXPECT_LT(rows[14]["box tests"]["ours"], 1e5);
  for (std::size_t depth = 1; depth < 15; ++depth) {
    EXPECT_LE(rows[depth]["box tests"]["ours"], rows[depth - 1]["box tests"]["ours"]) << depth + 1;
    EXPECT_EQ(rows[depth]["row"], "spheres, depth " + std::to_string(depth + 1));
    EXPECT_TRUE(rows[depth]["ms"]["published"].is_null());
  }
  for (const Json& row : tables["refit"]["rows"])
    EXPECT_LE(row["new (mm)"]["ours"], row["farthest (mm)"]["ours"]) << row["row"];
  EXPECT_TRUE(contains(result.err, "Table depth"));
}

}  // namespace
}  // namespace carom::cli

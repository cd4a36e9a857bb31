#include <gtest/gtest.h>

#include <nlohmann/json.hpp>

#include "command.hpp"

// What carom run says of cloth.
namespace carom::cli {
namespace {

using Json = nlohmann::json;

TEST(CliRunCloth, ClothThickerThanItsEdgesIsWarnedOf) {
  const Folder folder;
  const auto warning = [&](const std::string& thickness) {
    write_text(folder / "sheet.json", R"({"bodies": [{"name": "quilt", "kind": "cloth", "pinned": [0], "thickness": )" +
                                          thickness +
                                          R"(, "mesh": {"generator": "sheet", "segments_x": 20, "segments_z": 20}}]})");
    const Result result = call({"run", folder / "sheet.json", "--steps", "10", "--json", "-"});
    EXPECT_EQ(result.exit_code, 0) << result.err;
    EXPECT_LT(Json::parse(result.out)["summary"]["elastic_energy"].get<double>(), 0.1);
    return result.err;
  };
  EXPECT_TRUE(contains(warning("0.1"), "warning: cloth 'quilt': thickness is 0.1 m, its edges are 0.0569 m long"));
  EXPECT_FALSE(contains(warning("0.01"), "warning"));
}

TEST(CliRunCloth, StartInsideOfAShapeIsSaidWithNamesDepthAndPlace) {
  const Folder folder;
  write_text(folder / "in.json", R"({"bodies": [
    {"name": "ball", "kind": "fixed", "shape": {"kind": "sphere", "radius": 0.2}},
    {"name": "sheet", "kind": "cloth",
     "mesh": {"generator": "sheet", "segments_x": 16, "segments_z": 16, "position": [0, 0.15, 0]}}]})");
  const Result result = call({"run", folder / "in.json", "--steps", "60"});
  ASSERT_EQ(result.exit_code, 0) << result.err;
  EXPECT_TRUE(contains(result.out, "in shapes at first: sheet triangle ")) << result.out;
  EXPECT_TRUE(contains(result.out, " 50 mm deep in ball near (")) << result.out;
  EXPECT_TRUE(contains(result.out, "; apart after ")) << result.out;
  const Result json = call({"run", folder / "in.json", "--steps", "2", "--json", "-"});
  const Json tangle = Json::parse(json.out)["summary"]["tangled"]["first"][0];
  EXPECT_EQ(tangle["body_a"], "sheet");
  EXPECT_EQ(tangle["body_b"], "ball");
  EXPECT_NEAR(tangle["depth"].get<double>(), 0.05, 1e-9);
  EXPECT_TRUE(tangle["triangle_b"].is_null());
}

/// Cloth that is thrown at a mesh is stopped before impacts, which the summary counts.
TEST(CliRunCloth, MotionThatIsStoppedIsCounted) {
  const Result result = call({"run", "thrown-cloth", "--steps", "40", "--json", "-"});
  ASSERT_EQ(result.exit_code, 0) << result.err;
  const Json summary = Json::parse(result.out)["summary"];
  EXPECT_GT(summary["stopped"].get<int>(), 0);
  EXPECT_TRUE(contains(call({"run", "thrown-cloth", "--steps", "40"}).out, " stopped before impacts"));
}

/// Two sheets of 16 vertices that ask for 160 inner steps each, with time for 312: three quarters of the budget are for
/// inner steps.
TEST(CliRunCloth, BodiesThatATimeBudgetTakesFromAreNamed) {
  const Folder folder;
  const auto sheet = [](const std::string& name, const std::string& place, const std::string& more) {
    return R"({"name": ")" + name + R"(", "kind": "cloth", "inner_steps": 160, )" + more +
           R"("mesh": {"generator": "sheet", "segments_x": 3, "segments_z": 3, "position": [)" + place + R"(, 0, 0]}})";
  };
  write_text(folder / "two.json", R"({"time_budget": 6.657e-3, "inner_step_cost": 1e-6, "bodies": [)" +
                                      sheet("more", "0", R"("importance": 2, )") + ", " + sheet("less", "3", "") +
                                      "]}");
  const std::vector<std::string> run{"run", folder / "two.json", "--steps", "10"};
  const Result text = call(run);
  ASSERT_EQ(text.exit_code, 0) << text.err;
  EXPECT_TRUE(contains(text.out, "less went without 80 of its 1600 inner steps in 10 steps")) << text.out;
  const Result json = call({"run", folder / "two.json", "--steps", "10", "--json", "-"});
  const Json limited = Json::parse(json.out)["summary"]["limited_bodies"];
  ASSERT_EQ(limited.size(), 1U) << limited;
  EXPECT_EQ(limited[0], (Json{{"name", "less"}, {"steps", 10}, {"inner_steps", 1520}, {"left_out", 80}}));
}

}  // namespace
}  // namespace carom::cli

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

}  // namespace
}  // namespace carom::cli

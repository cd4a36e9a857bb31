#include <gtest/gtest.h>

#include <cmath>
#include <nlohmann/json.hpp>

#include "carom/io/recording.hpp"
#include "carom/io/replay.hpp"
#include "command.hpp"

namespace carom::cli {
namespace {

using Json = nlohmann::json;

/// A ball of 1 kg that falls beside the ground, and a box that rests on it.
std::string small_scene(const std::string& fields = "") {
  return R"({"name": "small", "steps": 60, "dt": 0.01, "gravity": [0, -10, 0], )" + fields + R"("bodies": [
    {"name": "ground", "kind": "fixed", "shape": {"kind": "box", "half": [1, 1, 1]},
     "position": [0, -1, 0]},
    {"name": "box", "kind": "rigid", "shape": {"kind": "box", "half": [0.2, 0.2, 0.2]}, "position": [0, 0.2, 0]},
    {"name": "ball", "kind": "rigid", "shape": {"kind": "sphere", "radius": 0.1}, "position": [5, 2, 0],
     "mass": {"mass": 1, "inertia": [[1, 0, 0], [0, 1, 0], [0, 0, 1]]}}]})";
}

TEST(CliRunRigid, SummaryHasTheNumbersOfClosedForms) {
  const Folder folder;
  write_text(
      folder / "s.json",
      small_scene(R"("solver": {"sleep": {"enabled": false}}, "bounds": {"min": [-9, 1, -9], "max": [9, 9, 9]}, )"));
  const Result result = call({"run", folder / "s.json", "--json", "-"});
  ASSERT_EQ(result.exit_code, 1) << "two bodies are lost; " << result.err;
  const Json json = Json::parse(result.out);
  EXPECT_EQ(json["response"], "soft");
  const Json& summary = json["summary"];
  EXPECT_EQ(summary["steps"], 60);
  EXPECT_EQ(summary["interrupted"], false);
  EXPECT_GT(summary["ms_per_step"], 0);
  EXPECT_GE(summary["ms_per_step_p99"], 0);
  // The ball, after 0.6 s: 1.8 m, 18 J. The step is exact for a constant force to the order of dt.
  EXPECT_NEAR(summary["largest_drift"].get<double>(), 1.8, 0.04);
  EXPECT_NEAR(summary["kinetic_energy"].get<double>(), 18, 1e-6);
  // 64 kg at 0.2 m, 1 kg at 0.2 m.
  EXPECT_NEAR(summary["potential_energy"].get<double>(), 10 * (64 * 0.2 + 0.2), 0.5);
  EXPECT_EQ(summary["contacts"]["colliding"], 0);
  EXPECT_EQ(summary["contacts"]["resting"], 4);
  EXPECT_EQ(summary["contacts"]["separating"], 0);
  EXPECT_LT(summary["largest_penetration"], 1e-3);
  // `soft` does not measure it.
  EXPECT_TRUE(summary["largest_residual"].is_null());
  EXPECT_EQ(summary["limited"], 0);
  EXPECT_EQ(json["method"], "bvh");
  // One pair of the three bodies touches, in every step.
  EXPECT_EQ(json["stages"]["narrow"]["out"], 1);
  // The bounds begin 1 m above the ground: all are outside, but what is static is not lost.
  EXPECT_EQ(summary["lost"], 2);
  EXPECT_EQ(summary["lost_bodies"], Json({"box", "ball"}));
  EXPECT_EQ(json["frames"].back()["resting"], 4);
  EXPECT_TRUE(contains(result.err, "kinetic energy    18 J"));
  EXPECT_TRUE(contains(result.err, "0 colliding, 4 resting, 0 separating"));
  EXPECT_TRUE(contains(result.err, "bodies lost       2, such as box"));
}

/// An island with more points than `lcp_points` is left to rounds, which the summary tells.
TEST(CliRunRigid, SummaryTellsWhatTheResponseLimited) {
  const Folder folder;
  write_text(folder / "s.json", small_scene(R"("solver": {"sleep": {"enabled": false}, "lcp": {"max_points": 3}}, )"));
  const Result result = call({"run", folder / "s.json", "--compare", "impulse,lcp", "--json", folder / "s.out"});
  ASSERT_EQ(result.exit_code, 0) << result.err;
  const Json runs = Json::parse(read_text(folder / "s.out"))["runs"];
  EXPECT_EQ(runs[1]["summary"]["limited"], 60);
  EXPECT_FALSE(runs[1]["summary"]["largest_residual"].is_null());
  EXPECT_TRUE(contains(result.out, "60 results of all steps"));
}

TEST(CliRunRigid, SummaryTellsTheErrorOfCollidersIfThereIsOne) {
  const Folder folder;
  write_text(folder / "s.json", R"({"name": "ring", "steps": 2, "bodies": [{"name": "ring", "kind": "rigid",
    "decomposition": {"tolerance": 0.1}, "shape": {"kind": "mesh", "mesh": {"generator": "torus"}}}]})");
  const Result ring = call({"run", folder / "s.json", "--json", folder / "s.out"});
  ASSERT_EQ(ring.exit_code, 0) << ring.err;
  const double error = Json::parse(read_text(folder / "s.out"))["summary"]["collider_error"];
  EXPECT_GT(error, 0);
  EXPECT_LE(error, 0.1 * std::hypot(2.8, 2.8, 0.8));
  EXPECT_TRUE(contains(ring.out, "collider error"));
  write_text(folder / "t.json", small_scene());
  const Result boxes = call({"run", folder / "t.json", "--json", folder / "t.out"});
  ASSERT_EQ(boxes.exit_code, 0) << boxes.err;
  EXPECT_FALSE(Json::parse(read_text(folder / "t.out"))["summary"].contains("collider_error"));
  EXPECT_FALSE(contains(boxes.out, "collider error"));
}

TEST(CliRunRigid, NothingIsLostWhereBuiltInScenesBegin) {
  for (const char* name : {"spheres-on-bricks", "pyramid", "card-house", "dominoes", "newtons-cradle", "spinning-tops",
                           "pile", "terrain", "arch", "dropped-parts"}) {
    const Result result = call({"run", name, "--steps", "1", "--json", "-"});
    ASSERT_EQ(result.exit_code, 0) << result.err;
    EXPECT_EQ(Json::parse(result.out)["summary"]["lost_bodies"], Json::array()) << name;
  }
}

TEST(CliRunRigid, RecordsSurfacesPosesAndContacts) {
  const Folder folder;
  write_text(folder / "s.json", small_scene());
  const Result result = call({"run", folder / "s.json", "-o", folder / "s.carom", "--steps", "20"});
  ASSERT_EQ(result.exit_code, 0) << result.err;
  const RecordingReader reader{std::filesystem::path(folder / "s.carom")};
  ASSERT_EQ(reader.frame_count(), 21U);
  const RecordedFrame first = reader.read_frame(0);
  const RecordedFrame last = reader.read_frame(20);
  ASSERT_EQ(last.bodies.size(), 3U);
  EXPECT_EQ(last.bodies[0].kind, MotionModel::fixed);
  EXPECT_EQ(last.bodies[2].kind, MotionModel::rigid);
  EXPECT_EQ(last.bodies[1].triangles.size(), 12U);
  const auto mean_y = [](const RecordedBody& body) {
    double sum = 0;
    for (const auto& p : body.positions) sum += p.y();
    return sum / static_cast<double>(body.positions.size());
  };
  // 0.2 s of free fall.
  EXPECT_NEAR(mean_y(last.bodies[2]) - mean_y(first.bodies[2]), -0.5 * 10 * 0.04, 0.02);
  EXPECT_EQ(last.bodies[0].positions, first.bodies[0].positions);
  ASSERT_EQ(last.contacts.size(), 4U);
  double impulses = 0;
  for (const RecordedContact& c : last.contacts) {
    EXPECT_EQ(c.motion, ContactMotion::resting);
    EXPECT_EQ(c.body_a + c.body_b, 1U) << "box and ground";
    impulses += c.impulse;
  }
  EXPECT_NEAR(impulses, 64 * 10 * 0.01, 0.1) << "the weight of the box over a step";

  EXPECT_EQ(call({"run", folder / "s.json", "-o", folder / "s.replay", "--steps", "20"}).exit_code, 0);
  const Result info = call({"info", folder / "s.replay", "--json", "-"});
  EXPECT_EQ(info.exit_code, 0) << info.err;
}

TEST(CliRunRigid, TheSameStateForOneAndTwoThreads) {
  const auto hash = [](const char* threads) {
    const Result result = call({"run", "spheres-on-bricks", "--steps", "60", "--threads", threads, "--json", "-"});
    EXPECT_EQ(result.exit_code, 0) << result.err;
    return Json::parse(result.out)["summary"]["hash"].get<std::string>();
  };
  EXPECT_EQ(hash("1"), hash("2"));
}

TEST(CliRunRigid, ComparesResponses) {
  const Folder folder;
  write_text(folder / "s.json", small_scene());
  const Result result = call({"run", "--compare", "soft,impulse", folder / "s.json", "--json", "-"});
  ASSERT_EQ(result.exit_code, 0) << result.err;
  const Json json = Json::parse(result.out);
  ASSERT_EQ(json["runs"].size(), 2U);
  EXPECT_EQ(json["runs"][1]["response"], "impulse");
  EXPECT_NE(json["runs"][1]["summary"]["hash"], json["runs"][0]["summary"]["hash"]);
  EXPECT_EQ(json["runs"][0]["response"], "soft");
  const Json alone = Json::parse(call({"run", folder / "s.json", "--response", "soft", "--json", "-"}).out);
  EXPECT_EQ(json["runs"][0]["summary"]["hash"], alone["summary"]["hash"]);
  EXPECT_TRUE(contains(result.err, "response"));
  const Result blanks = call({"run", "--compare", " soft, impulse ", folder / "s.json", "--json", "-"});
  ASSERT_EQ(blanks.exit_code, 0) << blanks.err;
  EXPECT_EQ(Json::parse(blanks.out)["runs"][1]["response"], "impulse");

  const auto refused = [&](const std::vector<std::string>& arguments, const std::string& message) {
    const Result bad = call(arguments);
    EXPECT_EQ(bad.exit_code, 2) << bad.err;
    EXPECT_TRUE(contains(bad.err + bad.out, message));
  };
  refused({"run", folder / "s.json", "--compare", "soft,magic"}, "response is 'magic'");
  refused({"run", folder / "s.json", "--compare", "soft,soft"}, "names 'soft' twice");
  refused({"run", folder / "s.json", "--compare", "soft, soft"}, "names 'soft' twice");
  for (const std::string names : {"soft,", ",soft", "soft,,lcp", "soft, ,lcp", ","})
    refused({"run", folder / "s.json", "--compare", names}, "--compare is '" + names + "': a name is missing");
  refused({"run", folder / "s.json", "--compare", "soft", "-o", folder / "s.carom"}, "records none");
  refused({"run", "knot", "--compare", "soft"}, "knot has neither rigid bodies nor particles");
  refused({"run", folder / "s.json", "--response", "magic"}, "response is 'magic'");
}

TEST(CliRunRigid, OptionsThatWouldDoNothingAreRefused) {
  const Folder folder;
  const auto refused = [](const std::vector<std::string>& arguments, const std::string& message) {
    const Result bad = call(arguments);
    EXPECT_EQ(bad.exit_code, 2) << bad.err;
    EXPECT_TRUE(contains(bad.err, message));
  };
  refused({"run", "knot", "--steps", "1", "--response", "impulse"},
          "--response: knot has neither rigid bodies nor particles");
  EXPECT_EQ(call({"run", "particles-on-ball", "--steps", "1", "--response", "impulse"}).exit_code, 0);
  refused({"run", "pyramid", "--steps", "1", "--method", "grid"}, "--method: all bodies of pyramid are rigid");
  refused({"run", "pyramid", "--steps", "1", "--method", "grid", "--compare", "soft"},
          "--method: all bodies of pyramid are rigid");
  write_text(folder / "s.json", small_scene(R"("contact": {"distance": 0.02}, )"));
  refused({"run", folder / "s.json"}, folder / "s.json: contact.distance: does nothing where all bodies are rigid");
  // What a built-in scene looks like as a file has `contact`, as it is by default.
  write_text(folder / "tops.json", call({"scenes", "--show", "spinning-tops"}).out);
  EXPECT_EQ(call({"run", folder / "tops.json", "--steps", "1"}).exit_code, 0);
}

TEST(CliRunRigid, WhatIsWrongWithAnOptionIsNotBlamedOnTheFile) {
  const Folder folder;
  write_text(folder / "s.json", small_scene());
  for (const std::vector<std::string>& option :
       {std::vector<std::string>{"--dt", "-1"}, {"--response", "magic"}, {"--threads", "-1"}}) {
    const Result bad = call({"run", folder / "s.json", option[0], option[1]});
    EXPECT_EQ(bad.exit_code, 2) << bad.err;
    EXPECT_TRUE(contains(bad.err, option[1]));
    EXPECT_EQ(bad.err.find("s.json"), std::string::npos) << bad.err;
  }
}

TEST(CliInfo, TellsOfRigidBodiesWhatTheyHave) {
  const Folder folder;
  write_text(folder / "s.json", small_scene());
  ASSERT_EQ(call({"run", folder / "s.json", "-o", folder / "s.carom", "--steps", "20", "--every", "5"}).exit_code, 0);
  const Result info = call({"info", folder / "s.carom"});
  EXPECT_EQ(info.exit_code, 0) << info.err;
  EXPECT_TRUE(contains(info.out, "frames           5 (0.2 s, 0.05 s from frame to frame)"));
  EXPECT_EQ(info.out.find("contact distance"), std::string::npos) << info.out;
  EXPECT_TRUE(Json::parse(call({"info", folder / "s.carom", "--json", "-"}).out)["contact_distance"].is_null());

  // Recordings of older versions say one.
  {
    RecordingWriter writer(std::filesystem::path(folder / "old.carom"), {.dt = 0.01, .contact_distance = 0.01});
    FrameBodyView ball;
    ball.name = "ball";
    ball.kind = MotionModel::rigid;
    writer.write_frame(0, std::vector{ball}, {}, {});
    writer.close();
  }
  EXPECT_EQ(call({"info", folder / "old.carom"}).out.find("contact distance"), std::string::npos);

  ASSERT_EQ(call({"run", "knot", "--steps", "1", "-o", folder / "k.carom"}).exit_code, 0);
  EXPECT_TRUE(contains(call({"info", folder / "k.carom"}).out, "contact distance 0.02 m"));
}

}  // namespace
}  // namespace carom::cli

#include "carom/live/session.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <numbers>
#include <vector>

#include "carom/core/error.hpp"

namespace carom {
namespace {

using Eigen::Vector3d;

BodyId body_of(const World& world, std::string_view name) {
  for (const BodyId id : world.bodies()) {
    if (world.name(id) == name) return id;
  }
  ADD_FAILURE() << "no body is called " << name;
  return {};
}

/// A ball, a sheet of particles, a scripted mesh and a scripted box, each by itself in free space.
Scene one_of_each() {
  return parse_scene(R"({"gravity": [0, 0, 0], "dt": 0.01, "bodies": [
    {"name": "ball", "kind": "rigid", "shape": {"kind": "sphere", "radius": 0.1}},
    {"name": "sheet", "kind": "particles", "mass": 0.5, "pinned": [0],
     "mesh": {"generator": "sheet", "position": [3, 0, 0]}},
    {"name": "plate", "kind": "scripted", "mesh": {"generator": "sheet", "position": [0, 0, 3]}},
    {"name": "box", "kind": "scripted", "shape": {"kind": "box", "half": [0.1, 0.1, 0.1]}, "position": [0, 0, -3],
     "velocity": [0.25, 0, 0]},
    {"name": "ground", "kind": "fixed", "shape": {"kind": "half_space", "offset": -5}}]})",
                     "one.json", ".");
}

std::string error_of(LiveSession& session, const LiveInput& input) {
  try {
    session.apply(input);
  } catch (const Error& error) {
    return error.what();
  }
  return "";
}

void run(LiveSession& session, int steps) {
  for (int i = 0; i < steps; ++i) session.step();
}

class OneOfEach : public testing::Test {
 protected:
  LiveSession session_{one_of_each()};
  const World& world_ = session_.world();
};

TEST_F(OneOfEach, ABallGoesToWhereItIsPulled) {
  const BodyId ball = body_of(world_, "ball");
  session_.apply(GrabInput{0, "ball", {0, 0.1, 0}});
  session_.apply(MoveInput{0, {0.5, 0.6, 0}});
  run(session_, 300);
  ASSERT_EQ(session_.hands().size(), 1U);
  EXPECT_LT((session_.hands()[0].point - Vector3d(0.5, 0.6, 0)).norm(), 1e-3);
  EXPECT_LT(world_.velocity(ball).norm(), 1e-2);
  session_.apply(ReleaseInput{0});
  EXPECT_TRUE(session_.hands().empty());
}

TEST_F(OneOfEach, TheForceOfAHandIsLimited) {
  const BodyId ball = body_of(world_, "ball");
  session_.apply(GrabInput{0, "ball", {0, 0, 0}});
  session_.apply(MoveInput{0, {1000, 0, 0}});
  session_.step();
  const double acceleration = world_.velocity(ball).x() / 0.01;
  EXPECT_NEAR(acceleration, 20 * 9.81, 1e-6) << "twenty times its weight";
}

TEST_F(OneOfEach, AVertexGoesToWhereItIsPulledAndTheSheetAlong) {
  const BodyId sheet = body_of(world_, "sheet");
  const auto last = static_cast<Index>(world_.positions(sheet).size() - 1);
  const Vector3d before = world_.positions(sheet)[static_cast<std::size_t>(last)];
  const Vector3d target = before + Vector3d(-0.1, 0.2, 0);
  session_.apply(GrabInput{1, "sheet", before, last});
  session_.apply(MoveInput{1, target});
  run(session_, 400);
  EXPECT_LT((world_.positions(sheet)[static_cast<std::size_t>(last)] - target).norm(), 0.02);
}

TEST_F(OneOfEach, ScriptedBodiesFollowWithALimitedSpeedAndGoOnAsBefore) {
  const BodyId plate = body_of(world_, "plate");
  const Vector3d before = world_.positions(plate)[0];
  session_.apply(GrabInput{0, "plate", before});
  session_.apply(MoveInput{0, before + Vector3d(0, 1, 0)});
  session_.step();
  EXPECT_NEAR((world_.positions(plate)[0] - before).norm(), 1.5 * 0.01, 1e-12);
  run(session_, 200);
  EXPECT_LT((world_.positions(plate)[0] - before - Vector3d(0, 1, 0)).norm(), 1e-6);

  const BodyId box = body_of(world_, "box");
  session_.apply(GrabInput{1, "box", world_.pose(box).translation()});
  session_.apply(MoveInput{1, Vector3d(0, 1, -3)});
  run(session_, 300);
  EXPECT_LT((world_.pose(box).translation() - Vector3d(0, 1, -3)).norm(), 1e-6);
  session_.apply(ReleaseInput{1});
  EXPECT_EQ(world_.velocity(box), Vector3d(0.25, 0, 0)) << "as the scene says";
}

/// Quaternion w, x, y, z of a turn.
Eigen::Vector4d turn_by(double angle, const Vector3d& axis) {
  const Eigen::Quaterniond q(Eigen::AngleAxisd(angle, axis.normalized()));
  return {q.w(), q.x(), q.y(), q.z()};
}

TEST_F(OneOfEach, AHandTurnsABallAboutThePointThatItHolds) {
  const BodyId ball = body_of(world_, "ball");
  const Vector3d held(0.1, 0, 0);
  session_.apply(GrabInput{0, "ball", held});
  const Eigen::Matrix3d target = Eigen::AngleAxisd(3, Vector3d(1, 2, -1).normalized()).toRotationMatrix();
  session_.apply(TurnInput{0, turn_by(3, {1, 2, -1})});
  double fastest = 0;
  for (int i = 0; i < 300; ++i) {
    session_.step();
    fastest = std::max(fastest, world_.angular_velocity(ball).norm());
  }
  EXPECT_LT((world_.pose(ball).linear() - target).norm(), 1e-3);
  EXPECT_LT((session_.hands()[0].point - held).norm(), 1e-3);
  EXPECT_LT((world_.pose(ball) * Vector3d(0.1, 0, 0) - held).norm(), 1e-3) << "the same point of the ball";
  EXPECT_LT(world_.angular_velocity(ball).norm(), 1e-2);
  EXPECT_LT(fastest, 8 * std::numbers::pi) << "no faster than its spring goes to and fro over a radian";
}

TEST_F(OneOfEach, ScriptedBodiesTurnAboutThePointThatIsHeld) {
  const Eigen::Matrix3d target = Eigen::AngleAxisd(2, Vector3d(0, 1, 1).normalized()).toRotationMatrix();
  const BodyId box = body_of(world_, "box");
  const Vector3d corner = world_.pose(box) * Vector3d(0.1, 0.1, 0.1);
  session_.apply(GrabInput{0, "box", corner});
  session_.apply(TurnInput{0, turn_by(2, {0, 1, 1})});
  session_.step();
  EXPECT_NEAR(Eigen::AngleAxisd(world_.pose(box).linear()).angle(), 4 * 0.01, 1e-9) << "with a limited speed";
  EXPECT_LT((session_.hands()[0].point - corner).norm(), 1e-9);
  run(session_, 200);
  EXPECT_LT((world_.pose(box).linear() - target).norm(), 1e-6);
  EXPECT_LT((session_.hands()[0].point - corner).norm(), 1e-6);
  session_.apply(ReleaseInput{0});
  EXPECT_EQ(world_.angular_velocity(box), Vector3d::Zero()) << "as the scene says";

  const BodyId plate = body_of(world_, "plate");
  const std::vector<Vector3d> before(world_.positions(plate).begin(), world_.positions(plate).end());
  session_.apply(GrabInput{1, "plate", before[5], 5});
  session_.apply(TurnInput{1, turn_by(2, {0, 1, 1})});
  run(session_, 200);
  for (std::size_t v = 0; v < before.size(); ++v) {
    const Vector3d expected = before[5] + target * (before[v] - before[5]);
    EXPECT_LT((world_.positions(plate)[v] - expected).norm(), 1e-6) << v;
  }
  // Back, from where it was taken.
  session_.apply(TurnInput{1, {1, 0, 0, 0}});
  run(session_, 200);
  EXPECT_LT((world_.positions(plate)[0] - before[0]).norm(), 1e-6);
}

TEST_F(OneOfEach, WhatIsRefusedIsNamedAndChangesNothing) {
  run(session_, 3);
  const std::uint64_t hash = world_.state_hash();
  EXPECT_EQ(error_of(session_, GrabInput{0, "ground", {0, 0, 0}}), "body 'ground' is fixed, and no hand moves it");
  EXPECT_EQ(error_of(session_, GrabInput{0, "moon", {0, 0, 0}}), "no body is called 'moon'");
  EXPECT_EQ(error_of(session_, GrabInput{9, "ball", {0, 0, 0}}), "hand is 9; expected 0 to 7");
  EXPECT_NE(error_of(session_, GrabInput{0, "sheet", {0, 0, 0}, 100000}).find("no vertex 100000"), std::string::npos);
  EXPECT_NE(error_of(session_, GrabInput{0, "sheet", {0, 0, 0}, 0}).find("vertex 0 is held"), std::string::npos);
  EXPECT_NE(error_of(session_, GrabInput{0, "ball", {1e9, 0, 0}}).find("within 1000000 m"), std::string::npos);
  EXPECT_NE(error_of(session_, MoveInput{2, {0, 0, 0}}).find("hand 2 holds nothing"), std::string::npos);
  EXPECT_EQ(error_of(session_, TurnInput{2, {1, 0, 0, 0}}), "hand 2 holds nothing to turn");
  EXPECT_NE(error_of(session_, GravityInput{{0, 1e5, 0}}).find("1000 m/s^2"), std::string::npos);
  EXPECT_NE(error_of(session_, StiffnessInput{1e5}).find("0.01 to 100"), std::string::npos);
  EXPECT_NE(error_of(session_, DriveInput{.body = "box", .stiffness = 1}).find("'box' is scripted"), std::string::npos);
  EXPECT_TRUE(session_.hands().empty());
  EXPECT_EQ(world_.state_hash(), hash);
  LiveSession untouched(one_of_each());
  run(untouched, 6);
  run(session_, 3);
  EXPECT_EQ(world_.state_hash(), untouched.world().state_hash());
}

TEST_F(OneOfEach, AVertexIsNotTurned) {
  session_.apply(GrabInput{0, "sheet", {3, 0, 0}});
  EXPECT_NE(error_of(session_, TurnInput{0, {1, 0, 0, 0}}).find("'sheet' is held at a vertex"), std::string::npos);
  session_.apply(GrabInput{0, "ball", {0, 0, 0}});
  EXPECT_NE(error_of(session_, TurnInput{0, {2, 0, 0, 0}}).find("of length 1"), std::string::npos);
}

TEST_F(OneOfEach, GravityPullsAndResetBeginsAgain) {
  LiveSession fresh(one_of_each());
  const std::uint64_t begin = fresh.world().state_hash();
  session_.apply(GravityInput{{0, -2, 0}});
  run(session_, 100);
  EXPECT_NEAR(world_.pose(body_of(world_, "ball")).translation().y(), -1, 0.02) << "after a second";
  session_.apply(GrabInput{0, "ball", {0, 0, 0}});
  session_.apply(StiffnessInput{3});
  EXPECT_EQ(session_.stiffness(), 3);
  session_.apply(ResetInput{});
  EXPECT_EQ(world_.state_hash(), begin);
  EXPECT_EQ(world_.options().gravity, Vector3d::Zero());
  EXPECT_TRUE(session_.hands().empty());
  EXPECT_EQ(session_.stiffness(), 1);
  EXPECT_EQ(session_.steps(), 100U) << "the steps of a session go on";
  EXPECT_EQ(session_.resets(), 1U);
}

/// Pulls, drags, throws, changes and begins again: all that a record can hold.
std::vector<TimedInput> long_story() {
  std::vector<TimedInput> story;
  const auto add = [&](std::uint64_t step, LiveInput input) { story.push_back({step, std::move(input)}); };
  add(0, StiffnessInput{0.5});
  add(2, GrabInput{0, "probe", {0, 0.1, 0}});
  for (std::uint64_t i = 3; i < 25; ++i)
    add(i, MoveInput{0, {0.004 * static_cast<double>(i), 0.1 - 0.003 * static_cast<double>(i), 0.01}});
  for (std::uint64_t i = 9; i < 12; ++i) add(i, TurnInput{0, turn_by(0.2 * static_cast<double>(i), {1, 0, 1})});
  add(12, GrabInput{1, "sheet", {0.1, 0, 0.1}});
  add(14, MoveInput{1, {0.1, 0.15, 0.1}});
  add(16, GravityInput{{0.5, -5, 0}});
  add(20, ReleaseInput{1});
  add(25, ReleaseInput{0});
  add(28, ResetInput{});
  add(30, GrabInput{0, "ball 1", {0.16, 0.05, 0.05}});
  add(31, MoveInput{0, {-0.1, 0.1, 0}});
  add(32, DriveInput{"probe", {0.02, 0.08, 0}, {1, 1, 0, 0}, {0, 0, 0}, 1200, 1});
  std::stable_sort(story.begin(), story.end(), [](const auto& a, const auto& b) { return a.step < b.step; });
  return story;
}

InputRecord record_of(int threads) {
  Scene scene = find_scene("tool-probe");
  scene.world.threads = threads;
  LiveSession session(scene);
  InputRecord record{.scene = scene.name, .scene_hash = hash_of(scene)};
  const std::vector<TimedInput> story = long_story();
  std::size_t next = 0;
  for (int step = 0; step < 45; ++step) {
    for (; next < story.size() && story[next].step == session.steps(); ++next) {
      session.apply(story[next].input);
      record.inputs.push_back(story[next]);
    }
    session.step();
  }
  record.closed = true;
  record.steps = session.steps();
  record.state_hash = hash_text(session.world().state_hash());
  return record;
}

TEST(LiveCut, AHandCutsALoafWithItsKnife) {
  Scene scene = find_scene("slice");
  // The knife waits above the middle of the loaf for a hand.
  for (SceneBody& body : scene.bodies) {
    if (body.name() == "knife")
      std::get<ScriptedSceneBody>(body.body).keyframes = {{.time = 0, .placement = {.position = {0, 0.16, 0}}}};
  }
  LiveSession session(scene);
  const auto count_loaves = [&] {
    std::size_t count = 0;
    for (const BodyId id : session.world().bodies()) count += session.world().name(id).starts_with("loaf") ? 1U : 0U;
    return count;
  };
  const Vector3d held = session.world().positions(body_of(session.world(), "knife"))[0];
  session.apply(GrabInput{0, "knife", held});
  session.apply(MoveInput{0, held - Vector3d(0, 0.154, 0)});
  std::size_t crossed = 0;
  for (int i = 0; i < 40; ++i) {
    session.step();
    for (const WorldCut& cut : session.world().cuts()) crossed += cut.crossed;
  }
  EXPECT_EQ(crossed, 6U * 8U) << "a plane of voxels, 0.12 by 0.16 m at 0.02 m";
  EXPECT_EQ(count_loaves(), 2U);
  session.apply(ResetInput{});
  EXPECT_EQ(count_loaves(), 1U);
}

TEST(LiveCut, AHandTurnsItsKnife) {
  // The knife of the loaf is along z and cuts across; turned about the vertical, it cuts along.
  for (const bool turned : {false, true}) {
    Scene scene = find_scene("slice");
    for (SceneBody& body : scene.bodies) {
      if (body.name() == "knife")
        std::get<ScriptedSceneBody>(body.body).keyframes = {{.time = 0, .placement = {.position = {0, 0.19, 0}}}};
    }
    LiveSession session(scene);
    const World& world = session.world();
    const BodyId knife = body_of(world, "knife");
    const auto middle = [&] {
      Vector3d low = world.positions(knife)[0];
      Vector3d high = low;
      for (const Vector3d& p : world.positions(knife)) {
        low = low.cwiseMin(p);
        high = high.cwiseMax(p);
      }
      return Vector3d(0.5 * (low + high));
    };
    const Vector3d held = world.positions(knife)[0];
    session.apply(GrabInput{0, "knife", held, 0});
    if (turned) session.apply(TurnInput{0, turn_by(std::numbers::pi / 2, {0, 1, 0})});
    for (int i = 0; i < 60; ++i) session.step();
    const Vector3d off = middle();
    session.apply(MoveInput{0, held - Vector3d(off.x(), 0, off.z())});
    for (int i = 0; i < 60; ++i) session.step();
    session.apply(MoveInput{0, held - Vector3d(off.x(), 0.15, off.z())});
    for (int i = 0; i < 40; ++i) session.step();
    Vector3d area(0, 0, 0);  // of the faces of the cut, by direction
    for (const BodyId id : world.bodies()) {
      const std::vector<std::uint8_t> made = world.cut_triangles(id);
      for (std::size_t t = 0; t < made.size(); ++t) {
        if (made[t] == 0) continue;
        const auto corner = [&](std::size_t k) {
          return world.positions(id)[static_cast<std::size_t>(world.triangles(id)[t][k])];
        };
        area += 0.5 * (corner(1) - corner(0)).cross(corner(2) - corner(0)).cwiseAbs();
      }
    }
    EXPECT_GT(area.sum(), 0.01);
    EXPECT_GT(turned ? area.z() : area.x(), 0.8 * area.sum());
  }
}

TEST(LiveCut, AHandKeepsThePieceThatItHolds) {
  LiveSession session(find_scene("slice"));
  // The knife cuts at x = 0.16 first: the hands hold what comes off there, and what stays.
  session.apply(GrabInput{0, "loaf", {0.2, 0.08, 0}});
  session.apply(GrabInput{1, "loaf", {-0.2, 0.08, 0}});
  std::size_t pieces = 0;
  for (int i = 0; i < 40 && pieces == 0; ++i) {
    session.step();
    for (const WorldCut& cut : session.world().cuts()) pieces += cut.pieces.size();
  }
  ASSERT_EQ(pieces, 1U);
  ASSERT_EQ(session.hands().size(), 2U);
  EXPECT_EQ(session.hands()[0].body, "loaf-1");
  EXPECT_EQ(session.hands()[1].body, "loaf");
  session.apply(MoveInput{0, {0.3, 0.15, 0}});
  for (int i = 0; i < 10; ++i) session.step();
  EXPECT_GT(session.hands()[0].point.x(), 0.22) << "the piece follows";
}

TEST(LiveReplay, HasTheSameBitsForAnyNumberOfThreads) {
  const InputRecord record = record_of(1);
  EXPECT_EQ(record.inputs.size(), long_story().size());
  for (const int threads : {1, 2, 4}) {
    Scene scene = find_scene("tool-probe");
    scene.world.threads = threads;
    InputReplay replay(scene, record);
    while (!replay.ended()) replay.step();
    EXPECT_TRUE(replay.same_end()) << threads << " threads";
  }
}

TEST(LiveReplay, ACutByHandHasTheSameBitsForAnyNumberOfThreads) {
  // The knife of the loaf is taken from its path and pressed through the loaf.
  const auto scene_of = [](int threads) {
    Scene scene = find_scene("slice");
    scene.world.threads = threads;
    return scene;
  };
  const Scene scene = scene_of(1);
  LiveSession session(scene);
  const Vector3d held = session.world().positions(body_of(session.world(), "knife"))[0];
  InputRecord record{.scene = scene.name, .scene_hash = hash_of(scene)};
  record.inputs = {{1, GrabInput{0, "knife", held, 0}},
                   {2, MoveInput{0, held - Vector3d(0.11, 0, 0)}},
                   {9, MoveInput{0, held - Vector3d(0.11, 0.154, 0)}},
                   {18, TurnInput{0, turn_by(0.1, {0, 1, 0})}}};
  std::size_t crossed = 0;
  std::size_t pieces = 0;
  for (std::size_t next = 0; session.steps() < 24;) {
    for (; next < record.inputs.size() && record.inputs[next].step == session.steps(); ++next)
      session.apply(record.inputs[next].input);
    session.step();
    for (const WorldCut& cut : session.world().cuts()) {
      crossed += cut.crossed;
      pieces += cut.pieces.size();
    }
  }
  EXPECT_GE(crossed, 48U) << "a plane of voxels";
  EXPECT_EQ(pieces, 1U);
  record.closed = true;
  record.steps = session.steps();
  record.state_hash = hash_text(session.world().state_hash());
  for (const int threads : {1, 2, 4}) {
    InputReplay replay(scene_of(threads), record);
    while (!replay.ended()) replay.step();
    EXPECT_TRUE(replay.same_end()) << threads << " threads";
  }
}

TEST(LiveReplay, AnotherSceneOrAnotherInputIsSeen) {
  InputRecord record = record_of(2);
  EXPECT_THROW(InputReplay(find_scene("flag"), record), Error);
  std::get<MoveInput>(record.inputs[5].input).target.x() += 1e-9;
  InputReplay replay(find_scene("tool-probe"), record);
  for (int i = 0; i < 27; ++i) replay.step();
  EXPECT_FALSE(replay.ended());
  const std::uint64_t changed = replay.session().world().state_hash();
  InputReplay same(find_scene("tool-probe"), record_of(2));
  for (int i = 0; i < 27; ++i) same.step();
  EXPECT_NE(changed, same.session().world().state_hash());
}

TEST(LiveReplay, AnInputThatTheSessionRefusesIsNamedWithItsStep) {
  InputRecord record = record_of(1);
  record.inputs = {{3, MoveInput{5, {0, 0, 0}}}};
  InputReplay replay(find_scene("tool-probe"), record);
  replay.step();
  replay.step();
  try {
    replay.step();
    FAIL();
  } catch (const Error& error) {
    EXPECT_EQ(std::string(error.what()), "input at step 3: hand 5 holds nothing to move");
  }
}

/// A scripted sheet that a hand has lifted and a blade cuts: the piece that comes off is where the hand has put the
/// whole, and the hand that held it there goes on with it.
TEST(LiveCut, PiecesOfScriptedSheetsStayWhereAHandHasPutTheWhole) {
  for (const bool holds : {true, false}) {
    LiveSession session(
        parse_scene(R"({"gravity": [0, 0, 0], "dt": 0.0166666, "contact": {"distance": 0.004}, "bodies": [
      {"name": "sheet", "kind": "scripted", "cuttable": true,
       "mesh": {"generator": "sheet", "segments_x": 10, "segments_z": 10}},
      {"name": "knife", "kind": "scripted", "shape": {"kind": "box", "half": [0.01, 0.4, 0.001]},
       "position": [-0.9, 0, 0.03], "velocity": [1.5, 0, 0], "group": 2, "mask": 0,
       "blade": {"edge": [[0, -0.4, 0], [0, 0.4, 0]]}}]})",
                    "lifted.json", "."));
    session.apply(GrabInput{0, "sheet", {0, 0, 0.45}});
    session.apply(MoveInput{0, {0, 0.1, 0.45}});
    for (int i = 0; i < 90; ++i) {
      if (i == 20 && !holds) session.apply(ReleaseInput{0});
      if (i == 80 && !holds) {
        session.apply(GrabInput{0, "sheet-1", {0, 0.1, 0.45}});
        session.apply(MoveInput{0, {0, 0.1, 0.45}});
      }
      session.step();
    }
    EXPECT_EQ(session.steps(), 90U);
    const World& world = session.world();
    std::size_t sheets = 0;
    for (const BodyId id : world.bodies()) {
      if (world.triangles(id).empty()) continue;
      ++sheets;
      for (const Triangle& t : world.triangles(id)) {
        for (const Index v : t)
          EXPECT_NEAR(world.positions(id)[static_cast<std::size_t>(v)].y(), 0.1, 0.002) << world.name(id);
      }
    }
    EXPECT_EQ(sheets, 2U);
  }
}

}  // namespace
}  // namespace carom

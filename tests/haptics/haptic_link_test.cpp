#include "carom/haptics/haptic_link.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <numbers>
#include <thread>
#include <variant>
#include <vector>

#include "carom/core/error.hpp"
#include "carom/io/scene.hpp"
#include "carom/live/input.hpp"
#include "carom/mesh/generate.hpp"

namespace carom {
namespace {

using Eigen::Isometry3d;
using Eigen::Vector3d;

constexpr double period = 1e-3;

Isometry3d at(double x, double y, double z) {
  Isometry3d pose = Isometry3d::Identity();
  pose.translation() = Vector3d(x, y, z);
  return pose;
}

/// A ball of 1 kg above the ground: the tool.
struct BallOnGround {
  BallOnGround() {
    world.add(RigidBody{.name = "ground", .shape = Shape::half_space({0, 1, 0}, 0), .motion = MotionModel::fixed});
    ball = world.add(RigidBody{.name = "ball",
                               .shape = Shape::sphere(radius),
                               .pose = at(0, 0.1, 0),
                               .mass = MassOverride{.mass = 1, .inertia_from_shape = true},
                               .sleeping_allowed = false});
  }
  static constexpr double radius = 0.03;
  World world{WorldOptions{.dt = 1.0 / 60, .threads = 1}};
  BodyId ball;
};

/// One step of a world with its updates, 60 steps to the second. Returns the last wrench.
template <class Path>
HapticWrench run_step(World& world, HapticLink& link, HapticTool& tool, const Path& path, int& sample) {
  HapticWrench wrench;
  const int samples = static_cast<int>(std::round(world.options().dt / period));
  for (int i = 0; i < samples; ++i) wrench = tool.update(path(sample++ * period), period);
  link.before_step();
  world.step();
  link.after_step();
  return wrench;
}

TEST(HapticLink, TheBodyFollowsTheHandInFreeMotionWithoutForce) {
  BallOnGround scene;
  HapticTool tool({.stiffness = 1000});
  HapticLink link(scene.world, scene.ball, tool);
  const auto path = [](double t) { return at(0.1 * t, 0.15, 0.02 * std::sin(4 * t)); };
  int sample = 0;
  for (int step = 0; step < 120; ++step) {
    const HapticWrench wrench = run_step(scene.world, link, tool, path, sample);
    EXPECT_EQ(wrench.force, Vector3d::Zero()) << "step " << step;
  }
  const Vector3d hand = path(sample * period).translation();
  EXPECT_LT((scene.world.pose(scene.ball).translation() - hand).norm(), 0.01);
}

/// A hand that is a depth below the surface feels the coupling times the depth, and the world carries as much.
TEST(HapticLink, StaticPressOnTheGroundIsStiffnessTimesDepth) {
  for (const double depth : {0.001, 0.003}) {
    BallOnGround scene;
    HapticTool tool({.stiffness = 1000});
    HapticLink link(scene.world, scene.ball, tool);
    const auto path = [&](double t) { return at(0, scene.radius + std::max(0.02 - 0.04 * t, -depth), 0); };
    int sample = 0;
    HapticWrench wrench;
    for (int step = 0; step < 180; ++step) wrench = run_step(scene.world, link, tool, path, sample);
    EXPECT_NEAR(wrench.force.y(), 1000 * depth, 0.03 * 1000 * depth) << depth;
    double carried = 0;
    for (const WorldContact& c : scene.world.contacts()) carried += c.impulse / scene.world.options().dt;
    EXPECT_NEAR(carried, 1000 * depth, 0.03 * 1000 * depth) << "the weight of the tool is carried by the coupling";
  }
}

/// A sheet in a frame that gives way: the force is that of the coupling and of the sheet one behind the other. How far
/// the sheet gives way under that force is measured in a world without a hand.
TEST(HapticLink, StaticPressOnASheetIsTwoSpringsInSeries) {
  const auto make = [](World& world) {
    ClothBody sheet{.name = "sheet", .mesh = make_sheet(0.4, 0.4, 20, 20)};
    sheet.fabric = {.density = 0.4, .warp_stiffness = 3000, .weft_stiffness = 3000, .shear_stiffness = 800};
    sheet.fabric.warp_damping = sheet.fabric.weft_damping = 4;
    sheet.air_damping = 20;  // at rest: on a sheet that trembles the force fades (docs/limits.md)
    sheet.inner_steps = 60;  // with as many as a heavy probe asks for it trembles
    sheet.sleeping_allowed = false;
    for (std::size_t v = 0; v < sheet.mesh.positions.size(); ++v) {
      const Vector3d& p = sheet.mesh.positions[v];
      if (std::max(std::abs(p.x()), std::abs(p.z())) > 0.199) sheet.pinned.push_back(static_cast<Index>(v));
    }
    world.add(std::move(sheet));
    return world.add(RigidBody{.name = "probe",
                               .shape = Shape::sphere(0.03),
                               .pose = at(0, 0.05, 0),
                               .mass = MassOverride{.mass = 1, .inertia_from_shape = true},
                               .linear_damping = 1,
                               .sleeping_allowed = false});
  };
  WorldOptions options{.gravity = {0, 0, 0}, .dt = 1.0 / 60, .threads = 1};
  options.contact.distance = 0.005;
  World world(options);
  const BodyId probe = make(world);
  HapticTool tool({.stiffness = 300});
  HapticLink link(world, probe, tool);
  const double hand = -0.05;
  int sample = 0;
  HapticWrench wrench;
  for (int step = 0; step < 600; ++step) {
    wrench = run_step(
        world, link, tool, [&](double t) { return at(0, std::max(0.05 - 0.06 * t, hand), 0); }, sample);
  }
  const double force = wrench.force.y();
  const double pressed = world.pose(probe).translation().y();
  EXPECT_GT(force, 1);
  EXPECT_NEAR(force, 300 * (pressed - hand), 0.04 * force) << "the spring of the coupling";

  World alone(options);
  const BodyId weight = make(alone);
  for (int step = 0; step < 300; ++step) {
    alone.apply_force(weight, Vector3d(0, -force, 0));
    alone.step();
  }
  const double sunk = 0.035 - alone.pose(weight).translation().y();
  EXPECT_GT(sunk, 0.01) << "the sheet gives way";
  EXPECT_NEAR(0.035 - pressed, sunk, 0.05 * sunk) << "the spring of the sheet";
}

TEST(HapticLink, AToolThatIsTooLightOrNotRigidIsRefusedByName) {
  World world(WorldOptions{.dt = 1.0 / 60});
  const BodyId light = world.add(RigidBody{.name = "feather", .shape = Shape::sphere(0.01)});
  const BodyId fixed = world.add(RigidBody{.name = "rock", .motion = MotionModel::fixed});
  HapticTool tool({.stiffness = 1000});
  const auto message = [&](BodyId body) -> std::string {
    try {
      const HapticLink link(world, body, tool);
    } catch (const Error& error) {
      return error.what();
    }
    return "";
  };
  EXPECT_NE(message(light).find("'feather'"), std::string::npos) << message(light);
  EXPECT_NE(message(light).find("0.278 kg at the least"), std::string::npos) << message(light);
  EXPECT_NE(message(fixed).find("'rock' is fixed"), std::string::npos) << message(fixed);
}

/// The hand's thread runs beside the world; targets that were kept give the same world again.
TEST(HapticLink, TheSameTargetsGiveTheSameWorldBitForBit) {
  std::vector<HapticTarget> targets;
  std::uint64_t hash = 0;
  {
    World world = build_world(find_scene("tool-probe"));
    const BodyId probe = world.bodies()[1];
    HapticTool tool({.stiffness = 1000});
    HapticLink link(world, probe, tool);
    std::atomic<bool> end{false};
    std::thread hand([&] {
      Isometry3d pose = world.pose(probe);
      for (int i = 0; !end; ++i) {
        pose.translation() = Vector3d(0.0002 * (i % 200), 0.1 - 0.0005 * std::min(i, 150), 0);
        tool.update(pose, period);
        std::this_thread::sleep_for(std::chrono::milliseconds(1));
      }
    });
    for (int step = 0; step < 40; ++step) {
      targets.push_back(link.before_step());
      world.step();
      link.after_step();
    }
    end = true;
    hand.join();
    hash = world.state_hash();
  }
  EXPECT_GT(targets.back().samples, 10U);
  World again = build_world(find_scene("tool-probe"));
  HapticTool tool({.stiffness = 1000});
  HapticLink link(again, again.bodies()[1], tool);
  for (const HapticTarget& target : targets) {
    link.before_step(target);
    again.step();
    link.after_step();
  }
  EXPECT_EQ(again.state_hash(), hash);
}

/// Motion of a hand, recorded with `carom live tool-probe -o hand.input` and a mouse: down into the sheet, to and fro
/// on it, away with a jerk, taps. Straight between the inputs, from where the probe touches the sheet.
class RecordedHand {
 public:
  RecordedHand() : record_(read_input_record(CAROM_SOURCE_DIR "/tests/haptics/hand.input")) {
    for (const TimedInput& timed : record_.inputs) {
      if (const auto* grab = std::get_if<GrabInput>(&timed.input)) add(timed.step, grab->point);
      if (const auto* move = std::get_if<MoveInput>(&timed.input)) add(timed.step, move->target);
    }
  }

  const InputRecord& record() const { return record_; }
  double duration() const { return times_.back(); }
  /// Upright, as the probe is.
  Isometry3d operator()(double time) const {
    std::size_t i = 1;
    while (i + 1 < times_.size() && times_[i] < time) ++i;
    const double f = std::clamp((time - times_[i - 1]) / (times_[i] - times_[i - 1]), 0.0, 1.0);
    const Vector3d moved = (1 - f) * places_[i - 1] + f * places_[i] - places_[0];
    Isometry3d pose = at(moved.x(), 0.108 + moved.y(), moved.z());
    pose.linear() = Eigen::AngleAxisd(0.5 * std::numbers::pi, Vector3d::UnitX()).toRotationMatrix();
    return pose;
  }

 private:
  void add(std::uint64_t step, const Vector3d& place) {
    if (!times_.empty() && static_cast<double>(step) / 60 <= times_.back() + begin_) return;
    if (times_.empty()) begin_ = static_cast<double>(step) / 60;
    times_.push_back(static_cast<double>(step) / 60 - begin_);
    places_.push_back(place);
  }

  InputRecord record_;
  double begin_ = 0;
  std::vector<double> times_;  // s
  std::vector<Vector3d> places_;
};

TEST(HapticLink, ARecordedHandFeelsTheSheetAndGetsNoEnergyFromIt) {
  const RecordedHand hand;
  ASSERT_TRUE(hand.record().closed);
  ASSERT_EQ(hand.record().scene, "tool-probe");
  World world = build_world(find_scene("tool-probe"));
  const BodyId probe = world.bodies()[1];
  ASSERT_EQ(world.name(probe), "probe");
  const HapticOptions options{.stiffness = 400};
  HapticTool tool(options);
  HapticLink link(world, probe, tool);
  double work = 0;        // J, of the tool on the hand
  double dissipated = 0;  // J, by the device's own damping
  double strongest = 0;
  double fastest = 0;
  HapticWrench wrench;
  Vector3d before = hand(0).translation();
  int sample = 0;
  const int steps = static_cast<int>(hand.duration() * 60);
  ASSERT_GT(steps, 500);
  for (int step = 0; step < steps; ++step) {
    for (int i = 0; i < 17; ++i) {
      const Isometry3d pose = hand(sample++ * period);
      const Vector3d moved = pose.translation() - before;
      before = pose.translation();
      // The force of the last update acts until this one.
      work += wrench.force.dot(moved);
      dissipated += options.device_damping * moved.squaredNorm() / period;
      const double last = wrench.force.norm();
      wrench = tool.update(pose, period);
      ASSERT_TRUE(wrench.force.allFinite());
      ASSERT_LE(wrench.force.norm(), options.max_force * (1 + 1e-9));
      ASSERT_LE(wrench.force.norm(), last + options.max_force_rate * period * (1 + 1e-9));
      strongest = std::max(strongest, wrench.force.norm());
      fastest = std::max(fastest, moved.norm() / period);
    }
    link.before_step();
    world.step();
    link.after_step();
  }
  EXPECT_GT(strongest, 1) << "the sheet is felt";
  EXPECT_GT(fastest, 0.2) << "the hand is not a slow one";
  EXPECT_LT(work, dissipated + options.max_world_power * sample * period);
  EXPECT_EQ(tool.counts().refused, 0U);
  EXPECT_LT((world.pose(probe).translation() - before).norm(), 0.03) << "the probe is where the hand is";
}

}  // namespace
}  // namespace carom

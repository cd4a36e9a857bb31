#include "carom/haptics/haptic_tool.hpp"

#include <gtest/gtest.h>

#include <atomic>
#include <cmath>
#include <numbers>
#include <random>
#include <thread>
#include <vector>

#include "carom/core/error.hpp"

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

HapticPlane floor_plane(double compliance = 0) {
  HapticPlane plane;
  plane.compliance = compliance;
  return plane;
}

/// Options under which a press has its whole force from the start.
HapticOptions generous() {
  return {.max_force = 1000, .max_torque = 10, .max_force_rate = 1e9, .max_torque_rate = 1e9, .max_world_power = 1e6};
}

/// Moves a hand down through the plane y = 0 in small steps, and holds it at a depth.
HapticWrench press(HapticTool& tool, double depth) {
  HapticWrench wrench;
  for (int i = -50; i <= 200; ++i) wrench = tool.update(at(0, -depth * std::min(i, 100) / 100, 0), period);
  return wrench;
}

TEST(HapticTool, FreeMotionHasNoForce) {
  HapticTool tool({});
  tool.publish(std::vector{floor_plane()});
  std::mt19937 random(1);
  std::uniform_real_distribution<double> u(0, 0.2);
  for (int i = 0; i < 1000; ++i) {
    const double height = u(random);
    Isometry3d pose = at(u(random), height, u(random));
    pose.rotate(Eigen::AngleAxisd(u(random), Vector3d::UnitX()));
    const HapticWrench wrench = tool.update(pose, period);
    EXPECT_EQ(wrench.force, Vector3d::Zero());
    EXPECT_EQ(wrench.torque, Vector3d::Zero());
    EXPECT_TRUE(tool.proxy().isApprox(pose, 1e-12));
  }
  HapticTool nothing({});
  EXPECT_EQ(nothing.update(at(0, -1, 0), period).force, Vector3d::Zero()) << "no plane has been published";
}

TEST(HapticTool, StaticPressOnAHardSurfaceIsTheSpringOfTheCoupling) {
  for (const double depth : {0.0005, 0.002, 0.01}) {
    HapticOptions options = generous();
    options.stiffness = 500;
    HapticTool tool(options);
    tool.publish(std::vector{floor_plane()});
    const HapticWrench wrench = press(tool, depth);
    EXPECT_NEAR(wrench.force.y(), 500 * depth, 1e-6 * 500 * depth);
    EXPECT_NEAR(wrench.force.x(), 0, 1e-12);
    EXPECT_NEAR(tool.proxy().translation().y(), 0, 1e-9) << "the proxy stays on the surface";
  }
}

/// Two springs one behind the other: 1 / k = 1 / k1 + 1 / k2.
TEST(HapticTool, StaticPressOnASoftSurfaceIsTwoSpringsInSeries) {
  for (const double surface : {100.0, 500.0, 3000.0}) {
    HapticOptions options = generous();
    options.stiffness = 800;
    HapticTool tool(options);
    tool.publish(std::vector{floor_plane(1 / surface)});
    const double depth = 0.004;
    const HapticWrench wrench = press(tool, depth);
    EXPECT_NEAR(wrench.force.y(), depth / (1 / 800.0 + 1 / surface), 1e-6) << surface;
    EXPECT_NEAR(tool.proxy().translation().y(), -wrench.force.y() / surface, 1e-9) << "the surface has given way";
  }
}

TEST(HapticTool, ASurfaceIsWhereItsPlaneIsUnderTheForceOfItsPlane) {
  HapticOptions options = generous();
  options.stiffness = 1000;
  HapticTool tool(options);
  HapticPlane plane = floor_plane(1e-3);
  plane.force = 2;
  tool.publish(std::vector{plane});
  // Under 2 N, which are 2 mm of the coupling, the surface is at 0.
  const HapticWrench wrench = press(tool, 0.002);
  EXPECT_NEAR(wrench.force.y(), 2, 1e-6);
  EXPECT_NEAR(tool.proxy().translation().y(), 0, 1e-9);
}

/// Two walls and a floor: the proxy is the nearest point of the corner, the force what is perpendicular to it.
TEST(HapticTool, ACornerHoldsAgainstAllItsPlanes) {
  HapticOptions options = generous();
  options.stiffness = 700;
  HapticTool tool(options);
  HapticPlane wall = floor_plane();
  wall.normal = Vector3d(1, 1, 0).normalized();
  HapticPlane other = floor_plane();
  other.normal = Vector3d(-1, 1, 0).normalized();
  tool.publish(std::vector{wall, other, floor_plane()});
  HapticWrench wrench;
  for (int i = 0; i <= 100; ++i) wrench = tool.update(at(2e-5 * i, -5e-5 * i, 1e-4 * i), period);
  EXPECT_LT((tool.proxy().translation() - Vector3d(0, 0, 0.01)).norm(), 1e-8) << tool.proxy().translation();
  EXPECT_TRUE(wrench.force.isApprox(700 * Vector3d(-0.002, 0.005, 0), 1e-6)) << wrench.force;
}

/// Against the end of a rod the surface pushes and turns it. The proxy holds the least energy of both springs.
TEST(HapticTool, APointBesideTheOriginIsPushedAndTurned) {
  HapticOptions options = generous();
  options.stiffness = 800;
  options.angular_stiffness = 2;
  HapticTool tool(options);
  HapticPlane plane = floor_plane();
  plane.tool_point = Vector3d(0.05, 0, 0);
  tool.publish(std::vector{plane});
  const double depth = 0.001;
  const HapticWrench wrench = press(tool, depth);
  const double compliance = 1 / 800.0 + 0.05 * 0.05 / 2;  // of both springs at the point
  EXPECT_NEAR(wrench.force.y(), depth / compliance, 1e-3 * depth / compliance);
  EXPECT_NEAR(wrench.torque.z(), 0.05 * depth / compliance, 1e-3 * 0.05 * depth / compliance);
  EXPECT_NEAR((tool.proxy() * plane.tool_point).y(), 0, 1e-5);
}

TEST(HapticTool, WithoutTorquesItTurnsAsTheHandDoes) {
  HapticOptions options = generous();
  options.max_torque = 0;
  options.stiffness = 800;
  HapticTool tool(options);
  HapticPlane plane = floor_plane();
  plane.tool_point = Vector3d(0.05, 0, 0);
  tool.publish(std::vector{plane});
  const HapticWrench wrench = press(tool, 0.001);
  EXPECT_NEAR(wrench.force.y(), 0.8, 1e-6);
  EXPECT_EQ(wrench.torque, Vector3d::Zero());
}

TEST(HapticTool, SurfacesGoOnWithTheirVelocityBetweenSteps) {
  HapticOptions options = generous();
  options.stiffness = 500;
  HapticTool tool(options);
  HapticPlane plane = floor_plane();
  plane.velocity = Vector3d(0, 0.1, 0);
  tool.publish(std::vector{plane});
  HapticWrench wrench;
  for (int i = 1; i <= 10; ++i) wrench = tool.update(at(0, 0, 0), period);
  EXPECT_NEAR(wrench.force.y(), 500 * 0.1 * 0.010, 1e-6) << "10 ms at 0.1 m/s";
  for (int i = 0; i < 200; ++i) wrench = tool.update(at(0, 0, 0), period);
  EXPECT_NEAR(wrench.force.y(), 500 * 0.1 * 0.05, 1e-6) << "no farther than max_plane_age";
}

TEST(HapticTool, ACouplingThatIsNotPassiveIsRefusedWithTheLargestThatIs) {
  HapticOptions options{.device_damping = 0.5, .stiffness = 1001};
  EXPECT_NEAR(max_passive_stiffness(options), 1000, 1e-9);
  try {
    const HapticTool refused(options);
    FAIL();
  } catch (const Error& error) {
    EXPECT_EQ(error.code(), ErrorCode::unstable);
    EXPECT_NE(std::string(error.what()).find("stiffness is 1001"), std::string::npos) << error.what();
    EXPECT_NE(std::string(error.what()).find("1000"), std::string::npos) << error.what();
  }
  options.stiffness = 999;
  EXPECT_NO_THROW(HapticTool{options});
  options.damping = 0.3;
  EXPECT_THROW(HapticTool{options}, Error) << "the damper of the coupling takes part of the device's";
  options.stiffness = 0;
  EXPECT_NEAR(HapticTool(options).options().stiffness, 0.8 * 400, 1e-9);
  options.damping = 0.5;
  EXPECT_THROW(HapticTool{options}, Error) << "nothing is left";
  EXPECT_THROW(HapticTool({.max_force = -1}), Error);
  EXPECT_THROW(HapticTool({.device_damping = NAN}), Error);
  EXPECT_THROW(HapticTool({.angular_stiffness = 1e6}), Error);
}

TEST(HapticTool, ForceAndItsGrowthAreLimited) {
  HapticOptions options = generous();
  options.stiffness = 1000;
  options.max_force = 3;
  options.max_force_rate = 100;
  HapticTool tool(options);
  tool.publish(std::vector{floor_plane()});
  double before = 0;
  tool.update(at(0, 0.001, 0), period);
  for (int i = 0; i < 100; ++i) {
    const double force = tool.update(at(0, -0.02, 0), period).force.norm();
    EXPECT_LE(force, 3 + 1e-12);
    EXPECT_LE(force, before + 100 * period + 1e-9);
    before = force;
  }
  EXPECT_NEAR(before, 3, 1e-9);
  EXPECT_GT(tool.counts().limited, 90U);
  EXPECT_EQ(tool.update(at(0, 0.001, 0), period).force.norm(), 0) << "it falls at once";
}

TEST(HapticTool, APoseThatIsNoneHasNoForceAndIsCounted) {
  HapticTool tool(generous());
  tool.publish(std::vector{floor_plane()});
  press(tool, 0.001);
  EXPECT_EQ(tool.update(at(NAN, 0, 0), period).force, Vector3d::Zero());
  EXPECT_EQ(tool.update(at(0, -0.001, 0), 0).force, Vector3d::Zero());
  EXPECT_EQ(tool.update(at(0, -0.001, 0), -1).force, Vector3d::Zero());
  EXPECT_EQ(tool.counts().refused, 3U);
  tool.update(at(0, -0.001, 0), 0.002);
  EXPECT_EQ(tool.counts().late, 1U);
}

// ---- energy
// ----------------------------------------------------------------------------------------------------------

/// Work of a tool on a hand along a path, against what the damping of the device takes: their largest difference (J).
struct Balance {
  double work = 0;
  double damped = 0;
  double largest_gain = 0;
};

template <class Path, class Before>
Balance balance_of(HapticTool& tool, int steps, const Path& path, const Before& before) {
  Balance balance;
  Isometry3d last = path(0);
  before(0);
  HapticWrench wrench = tool.update(last, period);
  for (int i = 1; i < steps; ++i) {
    const Isometry3d now = path(i);
    const Vector3d moved = now.translation() - last.translation();
    const Eigen::AngleAxisd turn(now.linear() * last.linear().transpose());
    const Vector3d turned = turn.angle() * turn.axis();
    balance.work += wrench.force.dot(moved) + wrench.torque.dot(turned);
    balance.damped += (tool.options().device_damping * moved.squaredNorm() +
                       tool.options().device_angular_damping * turned.squaredNorm()) /
                      period;
    balance.largest_gain = std::max(balance.largest_gain, balance.work - balance.damped);
    before(i);
    wrench = tool.update(now, period);
    last = now;
  }
  return balance;
}

/// Hand that presses, slides and leaves at random: smooth strokes with a tremor of 9 Hz, in the steps of an encoder.
struct Hand {
  explicit Hand(unsigned seed) : random(seed) {
    std::uniform_real_distribution<double> u(-1, 1);
    for (int i = 0; i < 40; ++i) goals.emplace_back(0.03 * u(random), 0.012 * u(random), 0.03 * u(random));
  }
  Isometry3d operator()(int step) const {
    const double t = step * period / 0.25;  // four strokes a second
    const auto k = static_cast<std::size_t>(t) % (goals.size() - 1);
    const double s = t - std::floor(t);
    const double smooth = s * s * s * (10 - 15 * s + 6 * s * s);
    Vector3d p = (1 - smooth) * goals[k] + smooth * goals[k + 1];
    p.y() += 2e-4 * std::sin(2 * std::numbers::pi * 9 * step * period);
    for (Eigen::Index i = 0; i < 3; ++i) p[i] = 2e-5 * std::round(p[i] / 2e-5);
    Isometry3d pose = Isometry3d::Identity();
    pose.translation() = p;
    return pose;
  }
  std::mt19937 random;
  std::vector<Vector3d> goals;
};

std::vector<HapticPlane> random_planes(unsigned seed, bool soft) {
  std::mt19937 random(seed);
  std::normal_distribution<double> normal;
  std::vector<HapticPlane> planes;
  for (int i = 0; i < 6; ++i) {
    HapticPlane plane;
    plane.normal = Vector3d(normal(random), 2 + normal(random), normal(random)).normalized();
    plane.point = 0.004 * Vector3d(normal(random), normal(random), normal(random));
    plane.compliance = soft ? 1e-4 * std::abs(normal(random)) : 0;
    planes.push_back(plane);
  }
  return planes;
}

TEST(HapticEnergy, NeverMoreOutThanIn) {
  for (unsigned seed = 0; seed < 40; ++seed) {
    // As stiff as is passive, and with no energy from the world.
    HapticOptions options{.max_force = 30, .max_torque = 0, .max_force_rate = 1e9, .max_world_power = 0};
    options.stiffness = max_passive_stiffness(options);
    HapticTool tool(options);
    const auto planes = random_planes(seed, seed % 2 == 1);
    tool.publish(planes);
    const Balance balance = balance_of(tool, 5000, Hand(seed), [](int) {});
    EXPECT_LT(balance.largest_gain, 1e-9) << "seed " << seed;
    EXPECT_GT(balance.damped, 1e-4) << "the hand has moved";
    EXPECT_EQ(tool.counts().unsolved, 0U);
  }
}

/// A coupling that is passive by itself needs no weakening, but for its first touch.
TEST(HapticEnergy, ASlowHandOnStandingSurfacesIsNotWeakened) {
  HapticOptions options = generous();
  options.max_world_power = 0;
  HapticTool tool(options);
  tool.publish(std::vector{floor_plane()});
  press(tool, 0.003);
  EXPECT_EQ(tool.counts().weakened, 0U);
}

/// Forces that grow slowly return what was put in against them, and no more: else a fast press and a slow release
/// would gain energy.
TEST(HapticEnergy, SlowGrowthOfTheForceGainsNothing) {
  HapticOptions options{.max_torque = 0, .max_force_rate = 20, .max_world_power = 0};
  HapticTool tool(options);
  tool.publish(std::vector{floor_plane()});
  const auto path = [](int i) {
    const int k = i % 500;
    return at(0, 0.001 - (k < 20 ? 0.0004 * k : k < 300 ? 0.008 : 0.00004 * (500 - k)), 0);
  };
  const Balance balance = balance_of(tool, 5000, path, [](int) {});
  EXPECT_LT(balance.largest_gain, 1e-9);
  EXPECT_GT(tool.counts().weakened, 100U);
}

/// Planes that jump, as those of a world that is published anew: the hand gets no more than the power that is allowed.
TEST(HapticEnergy, PlanesThatJumpAddNoMoreThanTheyMay) {
  for (const double power : {0.0, 0.01}) {
    HapticOptions options{.max_torque = 0, .max_force_rate = 1e9, .max_world_power = power};
    HapticTool tool(options);
    std::mt19937 random(3);
    std::uniform_real_distribution<double> u(-0.004, 0.004);
    const int steps = 8000;
    const Balance balance = balance_of(tool, steps, Hand(7), [&](int i) {
      if (i % 16 != 0) return;
      HapticPlane plane = floor_plane();
      plane.point.y() = u(random);
      tool.publish(std::vector{plane});
    });
    EXPECT_LT(balance.largest_gain, steps * period * power + 1e-9) << power;
  }
}

/// A device with a mass, thrown at a wall and pressed against it, comes to rest by its own damping alone, of which the
/// sampled coupling takes half. The same with a spring four times as stiff as is passive, and without a tool, never
/// does: the test would see it.
TEST(HapticEnergy, AMassThrownAtAWallComesToRest) {
  HapticOptions options{.device_damping = 0.2, .max_force = 100, .max_torque = 0, .max_force_rate = 1e9};
  options.stiffness = 0.5 * max_passive_stiffness(options);
  const double mass = 0.1;
  const auto throw_at_wall = [&](const auto& force_at) {
    double x = 0.01;
    double v = -0.3;
    double largest_later = 0;
    for (int i = 0; i < 20000; ++i) {
      const double force = force_at(x) - 2.0;  // and a hand that presses with 2 N
      constexpr int pieces = 20;               // the device goes on between two updates
      for (int k = 0; k < pieces; ++k) {
        v += period / pieces * (force - options.device_damping * v) / mass;
        x += period / pieces * v;
      }
      if (i > 19000) largest_later = std::max(largest_later, std::abs(v));
    }
    return largest_later;
  };
  HapticTool tool(options);
  tool.publish(std::vector{floor_plane()});
  EXPECT_LT(throw_at_wall([&](double x) { return tool.update(at(0, x, 0), period).force.y(); }), 1e-3);
  const double stiff = 4 * max_passive_stiffness(options);
  EXPECT_GT(throw_at_wall([&](double x) { return x < 0 ? -stiff * x : 0.0; }), 0.1);
}

// ---- threads
// ---------------------------------------------------------------------------------------------------------

/// Sets of planes that are all at one height: a mixture of two sets would have another force.
TEST(HapticThreads, PlanesArriveWholeWhileTheHandMoves) {
  HapticOptions options = generous();
  options.stiffness = 1000;
  HapticTool tool(options);
  std::atomic<bool> end{false};
  std::thread world([&] {
    std::vector<HapticPlane> planes(max_haptic_planes);
    for (int i = 0; !end; ++i) {
      for (std::size_t k = 0; k < planes.size(); ++k) {
        // Normals that only together hold a point at its height: left and right in turn.
        planes[k].normal = Vector3d(k % 2 == 0 ? 1 : -1, 1, 0).normalized();
        planes[k].point = Vector3d(0, 0.001 * (1 + i % 5), 0);
      }
      tool.publish(planes);
      (void)tool.target();
    }
  });
  for (int i = 0; i < 20000; ++i) {
    const double force = tool.update(at(0, 0, 0), period).force.y();
    const double height = force;  // 1000 N/m: newtons are millimetres
    EXPECT_NEAR(height, std::round(height), 1e-5);
    EXPECT_LE(height, 5 + 1e-5);
  }
  end = true;
  world.join();
}

TEST(HapticThreads, TheTargetIsTheMeanOfTheSamplesSinceTheLast) {
  HapticTool tool({});
  EXPECT_EQ(tool.target().samples, 0U);
  for (int i = 1; i <= 4; ++i) tool.update(at(0.001 * i, 0, 0), period);
  HapticTarget target = tool.target();
  EXPECT_EQ(target.samples, 4U);
  EXPECT_NEAR(target.pose.translation().x(), 0.0025, 1e-12);
  for (int i = 5; i <= 6; ++i) tool.update(at(0.001 * i, 0, 0), period);
  target = tool.target();
  EXPECT_NEAR(target.pose.translation().x(), 0.0055, 1e-12);
  EXPECT_NEAR(target.velocity.x(), 1, 1e-9);
  EXPECT_NEAR(tool.target().pose.translation().x(), 0.006, 1e-12) << "no new sample: the last";
}

}  // namespace
}  // namespace carom

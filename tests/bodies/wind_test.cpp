#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <numbers>
#include <random>

#include "bodies/cloth.hpp"
#include "carom/mesh/generate.hpp"

// Wind on a single triangle against the formulas of its laws.
namespace carom::cloth {
namespace {

/// Force (N) on a triangle of 0.5 m^2 in the x-z plane that is too heavy to move.
Eigen::Vector3d force(const Wind& wind, const Eigen::Vector3d& speed = {0, 0, 0}) {
  const std::vector<Eigen::Vector3d> x{{0, 0, 0}, {0, 0, 1}, {1, 0, 0}};
  const std::vector<Eigen::Vector3d> none(3, Eigen::Vector3d::Zero());
  const std::vector<Triangle> triangles{{0, 1, 2}};
  std::vector<Eigen::Vector3d> v(3, speed);
  const std::vector<double> inverse_mass(3, 1e-9);
  const double interval = 0.01;
  const Impulse impulse = add_wind(wind, 0, triangles, interval, x, none, inverse_mass, v);
  // Momentum that is told is momentum that is given.
  Eigen::Vector3d given(0, 0, 0);
  for (const Eigen::Vector3d& u : v) given += (u - speed) * 1e9;
  EXPECT_LT((given - impulse.linear).norm(), 1e-6 * (1 + impulse.linear.norm()));
  return impulse.linear / interval;
}

TEST(Wind, LiftAndDragAreThoseOfAPlateAtAnAngle) {
  Wind wind{.density = 1.2, .law = WindLaw::lift_drag, .drag = 1.1, .lift = 0.7};
  for (const double degrees : {5.0, 30.0, 60.0, 90.0}) {
    const double angle = degrees * std::numbers::pi / 180;
    wind.velocity = 8 * Eigen::Vector3d(std::cos(angle), std::sin(angle), 0);
    const double pressure = 0.5 * 1.2 * 64 * 0.5;
    const Eigen::Vector3d along = wind.velocity / 8;
    const Eigen::Vector3d across(-std::sin(angle), std::cos(angle), 0);
    const Eigen::Vector3d f = force(wind);
    EXPECT_NEAR(f.dot(along), pressure * 1.1 * std::sin(angle), 1e-6) << degrees;
    EXPECT_NEAR(f.dot(across), pressure * 0.7 * std::sin(angle) * std::cos(angle), 1e-6) << degrees;
    EXPECT_NEAR(f.z(), 0, 1e-12);
    // The same from the other side.
    Wind back = wind;
    back.velocity = -wind.velocity;
    EXPECT_LT((force(back) + f).norm(), 1e-9);
  }
  // Only what is relative counts.
  wind.velocity = {3, 4, 5};
  EXPECT_LT(force(wind, {3, 4, 5}).norm(), 1e-12);
}

TEST(Wind, LinearLawIsTheNormalPartOfTheWind) {
  const Wind wind{.velocity = {3, -2, 1}, .density = 1, .law = WindLaw::linear, .linear_pressure = 7};
  EXPECT_LT((force(wind) - Eigen::Vector3d(0, -2 * 7 * 0.5, 0)).norm(), 1e-9);
}

TEST(Wind, PlateLawPushesAlongTheNormalAndDragsAlongTheRest) {
  const Wind wind{.velocity = {3, -4, 0}, .density = 1.2, .normal_drag = 1.2, .tangent_drag = 0.05};
  const Eigen::Vector3d f = force(wind);
  EXPECT_NEAR(f.y(), -0.5 * 1.2 * 0.5 * 1.2 * 16, 1e-6);
  EXPECT_NEAR(f.x(), 0.5 * 1.2 * 0.5 * 0.05 * 5 * 3, 1e-6);
}

TEST(Wind, GustsAreSmoothBoundedAndTheSameEveryTime) {
  const Wind wind{.velocity = {6, 0, 0}, .density = 1.2, .gust_strength = 0.4, .gust_period = 0.5, .gust_seed = 3};
  Wind other = wind;
  other.gust_seed = 4;
  double mean = 0;
  double most = -1;
  double least = 1;
  double differs = 0;
  const int count = 200000;
  const double step = 0.001;
  double last = wind.at(0).x();
  for (int k = 0; k < count; ++k) {
    const double now = wind.at(k * step).x();
    const double gust = now / 6 - 1;
    mean += gust / count;
    most = std::max(most, gust);
    least = std::min(least, gust);
    // Between two knots the slope is at most 15/8 of their difference.
    EXPECT_LE(std::abs(now - last), 6 * 0.4 * 2 * 1.875 * step / 0.5 + 1e-12);
    differs = std::max(differs, std::abs(other.at(k * step).x() - now));
    last = now;
  }
  EXPECT_LE(most, 0.4);
  EXPECT_GE(least, -0.4);
  EXPECT_GT(most, 0.3);
  EXPECT_LT(least, -0.3);
  EXPECT_NEAR(mean, 0, 0.04);  // of 400 knots, evenly from -0.4 to 0.4: deviation 0.012
  EXPECT_GT(differs, 1);
  EXPECT_EQ(wind.at(12.3), Wind(wind).at(12.3));
  Wind calm = wind;
  calm.gust_strength = 0;
  EXPECT_EQ(calm.at(7.7), calm.velocity);
}

/// A crumpled sheet whose vertices move at random, some pinned.
struct Crumpled {
  TriangleMesh mesh = make_sheet(1, 1, 9, 9);
  std::vector<Eigen::Vector3d> displacements;
  std::vector<Eigen::Vector3d> velocities;
  std::vector<double> inverse_mass;

  Crumpled() {
    std::mt19937_64 random(8);
    std::uniform_real_distribution<double> number(-1, 1);
    const auto vector = [&] { return Eigen::Vector3d(number(random), number(random), number(random)); };
    for (std::size_t v = 0; v < mesh.positions.size(); ++v) {
      displacements.push_back(0.05 * vector());
      velocities.push_back(2 * vector());
      inverse_mass.push_back(v % 7 == 0 ? 0 : 500 + 200 * number(random));
    }
  }
  std::span<const Eigen::Vector3d> find(WindLoad& load, const Wind& wind, double h, int threads = 1) const {
    Workers workers(threads);
    return load.find(workers, wind, 0.3, mesh.triangles, h, mesh.positions, displacements, inverse_mass, velocities);
  }
};

TEST(WindLoad, IsTheForceOfTriangleAfterTriangle) {
  const Crumpled sheet;
  for (const WindLaw law : {WindLaw::plate, WindLaw::lift_drag, WindLaw::linear}) {
    const Wind wind{.velocity = {3, -4, 1}, .density = 1.2, .law = law, .gust_strength = 0.5};
    WindLoad load;
    const std::span<const Eigen::Vector3d> found = sheet.find(load, wind, 1e-4);
    // In an interval this short nothing is braked.
    const double interval = 1e-9;
    std::vector<Eigen::Vector3d> v = sheet.velocities;
    add_wind(wind, 0.3, sheet.mesh.triangles, interval, sheet.mesh.positions, sheet.displacements, sheet.inverse_mass,
             v);
    for (std::size_t i = 0; i < v.size(); ++i) {
      const Eigen::Vector3d wanted = (v[i] - sheet.velocities[i]) / interval;
      EXPECT_LT((found[i] - wanted).norm(), 1e-4 * (1 + wanted.norm())) << i;
    }
    WindLoad other;
    const std::span<const Eigen::Vector3d> same = sheet.find(other, wind, 1e-4, 3);
    EXPECT_TRUE(std::ranges::equal(found, same)) << "for any number of threads";
  }
}

TEST(WindLoad, IsFoundAgainBeforeTheAirBringsATriangleToRest) {
  const Crumpled sheet;
  WindLoad load;
  sheet.find(load, {.velocity = {0, 0.1, 0}, .density = 1.2}, 1e-4);
  EXPECT_LE(load.interval(), wind_interval);
  const double calm = load.interval();
  WindLoad storm;
  sheet.find(storm, {.velocity = {0, 100, 0}, .density = 1.2}, 1e-4);
  EXPECT_LT(storm.interval(), 0.2 * calm);
  // With inner steps that are longer than that it brings the sheet to rest in the wind, but not beyond.
  const double h = 1;
  WindLoad coarse;
  Crumpled flat;
  std::ranges::fill(flat.displacements, Eigen::Vector3d::Zero());
  std::ranges::fill(flat.velocities, Eigen::Vector3d::Zero());
  std::ranges::fill(flat.inverse_mass, 500);
  const std::span<const Eigen::Vector3d> found = flat.find(coarse, {.velocity = {0, 100, 0}, .density = 1.2}, h);
  EXPECT_EQ(coarse.interval(), h);
  double mean = 0;
  for (const Eigen::Vector3d& a : found) {
    EXPECT_GE(a.y(), 0);
    mean += h * a.y() / static_cast<double>(found.size());
  }
  EXPECT_LE(mean, 100);
  EXPECT_GT(mean, 80) << "vertices of the border have fewer triangles than those beside them";
}

TEST(Loads, ImpulseOfTheAirIsWhatVerticesHaveGotBesideGravity) {
  const Crumpled sheet;
  const std::vector<Eigen::Vector3d> wind(sheet.velocities.size(), Eigen::Vector3d(5, 6, 7));
  const Loads loads{.gravity = {0, -9.81, 0}, .air_damping = 4, .wind = wind};
  const double h = 0.01;
  std::vector<Eigen::Vector3d> v = sheet.velocities;
  Workers workers(2);
  const Impulse air = apply(workers, loads, h, sheet.mesh.positions, sheet.displacements, sheet.inverse_mass, v);
  Impulse wanted;
  for (std::size_t i = 0; i < v.size(); ++i) {
    if (sheet.inverse_mass[i] == 0) {
      EXPECT_EQ(v[i], sheet.velocities[i]);
      continue;
    }
    EXPECT_LT((v[i] - ((sheet.velocities[i] + h * loads.gravity) / 1.04 + h * wind[i])).norm(), 1e-12);
    const Eigen::Vector3d momentum = (v[i] - sheet.velocities[i] - h * loads.gravity) / sheet.inverse_mass[i];
    wanted.linear += momentum;
    wanted.angular += (sheet.mesh.positions[i] + sheet.displacements[i]).cross(momentum);
  }
  EXPECT_LT((air.linear - wanted.linear).norm(), 1e-12 * (1 + wanted.linear.norm()));
  EXPECT_LT((air.angular - wanted.angular).norm(), 1e-12 * (1 + wanted.angular.norm()));
}

}  // namespace
}  // namespace carom::cloth

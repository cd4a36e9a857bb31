#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <random>

#include "bodies/free_motion.hpp"
#include "oracle/soup.hpp"
#include "rigid_scene.hpp"

// Energy and angular momentum of bodies that nothing touches, over a minute: of any inertia, at any spin, with any
// step.
namespace carom {
namespace {

using Eigen::Vector3d;
using rigid::Mass;
using rigid::Motion;
using rigid::Vec3;

class Random {
 public:
  explicit Random(std::uint64_t seed) : engine_(seed) {}
  double number(double low, double high) { return low + (high - low) * oracle::uniform(engine_); }
  double power(double low, double high) { return std::pow(10, number(low, high)); }
  Vec3 direction() {
    const Vec3 v{number(-1, 1), number(-1, 1), number(-1, 1)};
    return (1 / length(v)) * v;
  }

 private:
  std::mt19937_64 engine_;
};

enum Kind { any, flat, needle, nearly_symmetric, symmetric, about_middle_axis, given, kinds };

Mass mass_of(Random& random, int kind) {
  // Square extents: the ratio of two moments is up to a million.
  Vec3 square{random.power(-6, 0), random.power(-6, 0), random.power(-6, 0)};
  if (kind == flat) square.y = 1e-12 * square.x;
  if (kind == needle) square = {1, random.power(-6, -3), random.power(-6, -3)};
  if (kind == nearly_symmetric) square.y = square.x * (1 + random.power(-14, -6));
  if (kind == symmetric) square.z = square.y;
  Mass mass;
  mass.inverse = 1;
  mass.inertia = {square.y + square.z, square.x + square.z, square.x + square.y};
  // The largest that is accepted, which is more than any solid has.
  if (kind == given) mass.inertia.z = (1 + 1e-6) * (mass.inertia.x + mass.inertia.y);
  const double unit = random.power(-3, 3);
  mass.inertia = unit * mass.inertia;
  mass.inverse_inertia = {1 / mass.inertia.x, 1 / mass.inertia.y, 1 / mass.inertia.z};
  return mass;
}

Motion motion_of(Random& random, int kind, const Mass& mass, double spin) {
  Motion m;
  m.q = math::normalized({random.number(-1, 1), random.number(-1, 1), random.number(-1, 1), random.number(-1, 1)});
  Vec3 w = random.direction();
  if (kind == about_middle_axis) {
    double Vec3::*axis[] = {&Vec3::x, &Vec3::y, &Vec3::z};
    std::sort(std::begin(axis), std::end(axis), [&](auto i, auto j) { return mass.inertia.*i < mass.inertia.*j; });
    w.*axis[0] *= random.power(-16, -2);
    w.*axis[2] *= random.power(-16, -2);
  }
  m.w = math::matrix(m.q) * ((spin / length(w)) * w);
  return m;
}

/// Largest errors of energy and momentum, as fractions of them.
void keeps_both(const Mass& mass, Motion m, double dt, int steps) {
  const rigid::Info info;
  const auto momentum = [&] { return rigid::turned(math::matrix(m.q), mass.inertia, m.w); };
  const Vec3 begin = momentum();
  const double energy = dot(begin, m.w);
  for (int i = 0; i < steps; ++i) {
    const rigid::Free free = rigid::free_motion(m, math::matrix(m.q), mass, info, {}, {}, {}, dt);
    m.q = free.q;
    m.w = free.w;
    if (i % 64 != 0 && i + 1 != steps) continue;
    ASSERT_NEAR(dot(momentum(), m.w), energy, 1e-6 * energy) << "step " << i;
    ASSERT_LT(length(momentum() - begin), 1e-6 * length(begin)) << "step " << i;
  }
}

void try_kinds(std::uint64_t seed, double dt, int cases) {
  Random random(seed);
  for (int i = 0; i < cases; ++i) {
    const int kind = i % kinds;
    const Mass mass = mass_of(random, kind);
    const double spin = random.power(-5, 5);
    SCOPED_TRACE(testing::Message() << "case " << i << ", " << spin << " rad/s, dt " << dt << " s, inertia "
                                    << mass.inertia.x << ' ' << mass.inertia.y << ' ' << mass.inertia.z);
    keeps_both(mass, motion_of(random, kind, mass, spin), dt, static_cast<int>(std::lround(60 / dt)));
    if (testing::Test::HasFatalFailure()) return;
  }
}

TEST(FreeEnergy, IsKeptInLongSteps) {
  try_kinds(1, 0.1, 20 * kinds);
}
TEST(FreeEnergy, IsKeptInUsualSteps) {
  try_kinds(2, 1.0 / 60, 10 * kinds);
}
TEST(FreeEnergy, IsKeptInShortSteps) {
  try_kinds(3, 1e-3, kinds);
}
TEST(FreeEnergy, IsKeptInTinySteps) {
  try_kinds(4, 1e-4, kinds);
}

class FreeEnergyOf : public testing::TestWithParam<std::string_view> {};

/// Whatever answers contacts, a stick that has none keeps its energy.
TEST_P(FreeEnergyOf, ASlenderStickIsKept) {
  WorldOptions options = rigid_options(1.0 / 60);
  options.gravity.setZero();
  options.response = GetParam();
  World world(options);
  std::vector<BodyId> ids;
  for (const double half : {0.01, 0.001}) {
    for (const double spin : {15.0, 30.0, 1e5}) {
      RigidBody stick = box_body("stick", {half, 0.4, half}, at(static_cast<double>(ids.size()), 0, 0));
      stick.angular_velocity = spin * Vector3d(20, 5, 3).normalized();
      ids.push_back(world.add(stick));
    }
  }
  const auto momentum = [&](BodyId id) -> Vector3d { return world.inertia(id) * world.angular_velocity(id); };
  std::vector<double> before;
  std::vector<Vector3d> momenta;
  for (const BodyId id : ids) {
    before.push_back(energy(world, {id}));
    momenta.push_back(momentum(id));
  }
  for (int i = 0; i < 600; ++i) world.step();
  for (std::size_t k = 0; k < ids.size(); ++k) {
    EXPECT_NEAR(energy(world, {ids[k]}), before[k], 1e-6 * before[k]) << k;
    EXPECT_LT((momentum(ids[k]) - momenta[k]).norm(), 1e-6 * momenta[k].norm()) << k;
  }
}

INSTANTIATE_TEST_SUITE_P(Responses, FreeEnergyOf, testing::Values("soft", "impulse", "lcp", "penalty"),
                         [](const auto& test) { return std::string(test.param); });

}  // namespace
}  // namespace carom

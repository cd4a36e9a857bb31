#include <gtest/gtest.h>

#include <bit>
#include <random>
#include <vector>

#include "bodies/free_motion.hpp"
#include "every_target.hpp"
#include "oracle/soup.hpp"

// Free motions in vectors, on every instruction set this machine has, against those of one body alone, bit by bit.
namespace carom::rigid {
namespace {

class FreeSpin : public testing::TestWithParam<std::int64_t> {
 protected:
  void SetUp() override { hwy::SetSupportedTargetsForTest(GetParam()); }
  void TearDown() override { hwy::SetSupportedTargetsForTest(0); }
  std::mt19937_64 random_{23};

  double number(double low, double high) { return low + (high - low) * oracle::uniform(random_); }
  Vec3 vector(double size) { return Vec3{number(-size, size), number(-size, size), number(-size, size)}; }
};

INSTANTIATE_TEST_SUITE_P(OnEveryTarget, FreeSpin, testing::ValuesIn(targets()),
                         [](const auto& target) { return std::string(hwy::TargetName(target.param)); });

void expect_same(const Free& a, const Free& b) {
  const auto same = [](double x, double y) {
    EXPECT_EQ(std::bit_cast<std::uint64_t>(x), std::bit_cast<std::uint64_t>(y)) << x << ' ' << y;
  };
  const Vec3* const of_a[] = {&a.v, &a.momentum, &a.w};
  const Vec3* const of_b[] = {&b.v, &b.momentum, &b.w};
  for (std::size_t k = 0; k < 3; ++k) {
    same(of_a[k]->x, of_b[k]->x);
    same(of_a[k]->y, of_b[k]->y);
    same(of_a[k]->z, of_b[k]->z);
  }
  same(a.q.w, b.q.w);
  same(a.q.x, b.q.x);
  same(a.q.y, b.q.y);
  same(a.q.z, b.q.z);
  EXPECT_EQ(a.spins, b.spins);
}

TEST_P(FreeSpin, IsThatOfEachBodyAlone) {
  constexpr std::size_t count = 2003;  // the last ones do not fill the lanes
  std::vector<Motion> motions(count);
  std::vector<Mat3> rotations(count);
  std::vector<Mass> masses(count);
  std::vector<Info> infos(count);
  std::vector<Vec3> torques(count);
  // From none to more than a turn in a step, and with little to give back and much.
  const double spins[] = {0, 1e-9, 1e-3, 1, 10, 14, 20, 400};
  for (std::size_t i = 0; i < count; ++i) {
    Motion& m = motions[i];
    m.x = vector(100);
    m.v = vector(10);
    m.w = vector(spins[i % 8]);
    m.q = math::normalized({number(-1, 1), number(-1, 1), number(-1, 1), number(-1, 1)});
    rotations[i] = math::matrix(m.q);
    const double mass = number(0.1, 5);
    // A solid of any extents, flat ones and rods too; its inertia fulfils the inequality of triangles.
    const Vec3 square{number(0, 1), i % 5 == 0 ? 0 : number(0, 1), number(1e-6, 1)};
    masses[i].inverse = i % 11 == 0 ? 0 : 1 / mass;
    masses[i].round = i % 13 == 0;
    masses[i].locked = i % 17 == 0;
    masses[i].inertia = {mass * (square.y + square.z), mass * (square.x + square.z), mass * (square.x + square.y)};
    if (masses[i].round) masses[i].inertia = Vec3{mass, mass, mass};
    const Vec3& inertia = masses[i].inertia;
    masses[i].inverse_inertia = {1 / inertia.x, 1 / inertia.y, 1 / inertia.z};
    infos[i].angular_damping = i % 3 == 0 ? number(0, 2) : 0;
    infos[i].linear_damping = i % 4 == 0 ? number(0, 2) : 0;
    infos[i].locked_rotation[1] = masses[i].locked;
    torques[i] = i % 2 == 0 ? Vec3{} : vector(5);
  }
  const Vec3 gravity{0, -9.81, 0};
  constexpr double dt = 1.0 / 60;
  FreeMotions free(gravity, dt);
  std::vector<Free> found(count);
  std::size_t answers = 0;
  const auto note = [&](BodySlot i, const Free& f) {
    found[i.offset()] = f;
    ++answers;
  };
  for (std::size_t i = 0; i < count; ++i) {
    free.add({BodySlot(i), &motions[i], &rotations[i], &masses[i], &infos[i], torques[i], torques[i]}, note);
  }
  free.finish(note);
  EXPECT_EQ(answers, count);
  for (std::size_t i = 0; i < count; ++i) {
    SCOPED_TRACE(i);
    expect_same(found[i],
                free_motion(motions[i], rotations[i], masses[i], infos[i], gravity, torques[i], torques[i], dt));
  }
}

/// So that what is compared above is not one body alone on both sides.
TEST_P(FreeSpin, MostTurnsAreDoneInVectors) {
  kernels::SpinRows rows{};
  for (std::size_t lane = 0; lane < kernels::spin_lanes; ++lane) {
    rows.q[0][lane] = 1;
    rows.calmer[lane] = 1;
    for (std::size_t k = 0; k < 3; ++k) {
      rows.inertia[k][lane] = 1 + 0.2 * static_cast<double>(k);
      rows.inverse[k][lane] = 1 / rows.inertia[k][lane];
      rows.w[k][lane] = static_cast<double>(lane) * static_cast<double>(k + 1);
    }
  }
  kernels::free_spin(rows, 1.0 / 60);
  for (std::size_t lane = 0; lane < kernels::spin_lanes; ++lane) {
    const double turn = static_cast<double>(lane) * std::sqrt(14.0) / 60;  // rad
    EXPECT_EQ(rows.done[lane], turn > 0 && turn < 0.25 ? 1.0 : 0.0) << lane;
  }
}

}  // namespace
}  // namespace carom::rigid

#include "ccd/sweep.hpp"

#include <gtest/gtest.h>

#include <cmath>

#include "carom/query/query.hpp"
#include "narrow/convex/advance.hpp"
#include "scenes/rigid_parts.hpp"
#include "shapes/shape_data.hpp"

namespace carom::ccd {
namespace {

using convex::MovingCore;
using convex::MovingPair;

/// Bodies on their sweeps, some that turn by more than a round, with shapes that are not at their centres.
class Sweeps : public scenes::Chance {
 public:
  using Chance::Chance;

  Shape shape() {
    switch (integer(0, 4)) {
      case 0:
        return Shape::box(Eigen::Vector3d::Constant(0.1) + 0.5 * in_cube(0.15).cwiseAbs());
      case 1:
        return Shape::sphere(number(0.1, 0.3));
      case 2:
        return Shape::capsule(0.05, number(0.1, 0.5));
      default: {
        std::vector<Eigen::Vector3d> points;
        for (int i = 0; i < 16; ++i) points.push_back(number(0.15, 0.3) * direction());
        return Shape::hull(points);
      }
    }
  }

  Sweep sweep(double turn) {
    const Vec3 spin = math::to_vec3(turn * direction());
    Motion from;
    from.x = math::to_vec3(in_cube(0.4));
    from.q = math::normalized(math::rotation_by(math::to_vec3(3 * direction())));
    from.w = spin;
    Motion to = from;
    to.x = from.x + math::to_vec3(in_cube(1));
    to.q = math::normalized(math::rotation_by(spin) * from.q);
    return {from, to, 1};
  }
};

/// The rotation vector of the whole turn is asked of Eigen again and again, a hundredth of it at a time.
Eigen::Isometry3d placed(const Sweep& sweep, double turn, double time, const Eigen::Isometry3d& local) {
  Eigen::Isometry3d p = Eigen::Isometry3d::Identity();
  const Motion& from = sweep.from;
  const Eigen::Quaterniond start(from.q.w, from.q.x, from.q.y, from.q.z);
  const Eigen::Vector3d axis = math::to_eigen(from.w).normalized();
  p.linear() = (Eigen::AngleAxisd(time * turn, axis) * start).toRotationMatrix();
  p.translation() = math::to_eigen(from.x + time * (sweep.to.x - from.x));
  return p * local;
}

TEST(Sweep, GoesAsItsCourseSays) {
  Sweeps sweeps(1);
  for (int i = 0; i < 200; ++i) {
    const double turn = sweeps.number(0, 20);
    const Sweep sweep = sweeps.sweep(turn);
    for (const double t : {0.0, 0.3, 0.7, 1.0}) {
      const Eigen::Isometry3d truth = placed(sweep, turn, t, Eigen::Isometry3d::Identity());
      const Motion m = sweep.at(t);
      const Eigen::Isometry3d at = pose(m, {{1, 0, 0}, {0, 1, 0}, {0, 0, 1}}, {});
      EXPECT_LE((at.matrix() - truth.matrix()).cwiseAbs().maxCoeff(), 1e-12);
      EXPECT_LE((sweep.swept_pose.rotation(t) - truth.linear()).cwiseAbs().maxCoeff(), 1e-12);
      EXPECT_LE((sweep.swept_pose.from + t * sweep.swept_pose.travel - truth.translation()).norm(), 1e-12);
    }
  }
}

/// distance() at many times is the slow twin: of what one direction shows, and of a cast.
TEST(Sweep, DirectionsAndCastsNeverMissAnImpact) {
  Sweeps sweeps(2);
  constexpr int times = 100;
  int shown = 0;
  int hits = 0;
  for (int i = 0; i < 1500; ++i) {
    const double turn_a = sweeps.number(0, i % 10 == 0 ? 15 : 2);
    const double turn_b = sweeps.number(0, 2);
    const Sweep sweep_a = sweeps.sweep(turn_a);
    const Sweep sweep_b = sweeps.sweep(turn_b);
    const Shape a = sweeps.shape();
    const Shape b = sweeps.shape();
    Eigen::Isometry3d local = Eigen::Isometry3d::Identity();
    local.linear() = Eigen::AngleAxisd(1, sweeps.direction()).toRotationMatrix();
    local.translation() = sweeps.in_cube(0.2);
    const MovingCore core_a(a.data().core, sweep_a.swept_pose, local);
    const MovingCore core_b(b.data().core, sweep_b.swept_pose);
    const MovingPair pair(core_a, core_b);
    const double begin = i % 3 == 0 ? sweeps.number(0, 0.5) : 0;
    const double end = i % 3 == 1 ? sweeps.number(0.5, 1) : 1;
    const double apart = sweeps.number(0, 0.01);

    double smallest = INFINITY;
    double first = INFINITY;
    for (int k = 0; k <= times; ++k) {
      const double t = begin + (end - begin) * k / times;
      const double d =
          distance(a, placed(sweep_a, turn_a, t, local), b, placed(sweep_b, turn_b, t, Eigen::Isometry3d::Identity()))
              .distance;
      smallest = std::min(smallest, d);
      if (d <= apart) first = std::min(first, t);
    }
    for (int k = 0; k < 8; ++k) {
      const Eigen::Vector3d n = k == 0 ? pair.offset(0.5 * (begin + end)).normalized() : sweeps.direction();
      if (!pair.apart_along(n, begin, end, apart)) continue;
      ++shown;
      EXPECT_GT(smallest, apart) << "pair " << i;
    }
    const CastResult r = convex::advance(pair, {apart, 1e-5, 256, begin, end});
    if (r.hit) {
      ++hits;
      EXPECT_LE(r.time, first) << "pair " << i;
    } else {
      EXPECT_GT(smallest, apart) << "pair " << i;
    }
  }
  EXPECT_GT(shown, 1000);
  EXPECT_GT(hits, 200);
}

/// The gap at many times is the slow twin of the bound for all of them.
TEST(Sweep, ExtentsHoldUntilTheEndAndAreExactWithoutATurn) {
  Sweeps sweeps(3);
  for (int i = 0; i < 300; ++i) {
    const double turn = i % 3 == 0 ? 0 : sweeps.number(0, 2);
    const Sweep sweep_a = sweeps.sweep(turn);
    const Sweep sweep_b = sweeps.sweep(0.5 * turn);
    const Shape a = sweeps.shape();
    const Shape b = sweeps.shape();
    const MovingCore core_a(a.data().core, sweep_a.swept_pose,
                            Eigen::Isometry3d(Eigen::Translation3d(sweeps.in_cube(0.2))));
    const MovingCore core_b(b.data().core, sweep_b.swept_pose);
    const MovingPair pair(core_a, core_b);
    const Eigen::Vector3d n = sweeps.direction();
    const double begin = sweeps.number(0, 0.8);
    const double extents = pair.extents(n, begin);
    for (int k = 0; k <= 50; ++k) {
      const double t = begin + (1 - begin) * k / 50;
      const double gap = pair.gap(pair.axis(n), t);
      EXPECT_LE(n.dot(pair.offset(t)) - extents, gap + 1e-12) << "pair " << i;
      EXPECT_TRUE(turn > 0 || n.dot(pair.offset(t)) - extents > gap - 1e-12) << "pair " << i;
    }
  }
}

}  // namespace
}  // namespace carom::ccd

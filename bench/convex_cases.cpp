#include "bench/convex_cases.hpp"

#include "bench/draw.hpp"
#include "carom/query/query.hpp"

namespace carom::bench {
namespace {

;

Shape draw_shape(Draw& draw, int corners) {
  if (corners == 0) {
    const double x = draw.number(0.3, 1);
    const double y = draw.number(0.3, 1);
    return Shape::box({x, y, draw.number(0.3, 1)});
  }
  std::vector<Eigen::Vector3d> points;
  for (int i = 0; i < corners; ++i) points.push_back(draw.direction());
  return Shape::hull(points);
}

/// b moved along the normal until the gap is as wanted; where the way is not straight, some steps are needed.
void set_gap(const ConvexCases& cases, ConvexQuery& q, double gap) {
  const Shape& a = cases.shapes[static_cast<std::size_t>(q.a)];
  const Shape& b = cases.shapes[static_cast<std::size_t>(q.b)];
  for (int i = 0; i < 30; ++i) {
    const QueryResult r = distance(a, q.pose_a, b, q.pose_b);
    q.pose_b.translation() += (gap - r.distance) * r.normal;
    if (std::abs(gap - r.distance) < 1e-12) break;
  }
}

}  // namespace

ConvexCases make_convex_cases(int corners, int count) {
  ConvexCases cases;
  cases.shapes_name = corners == 0 ? "box" : "hull " + std::to_string(corners);
  Draw draw;
  for (int i = 0; i < 40; ++i) cases.shapes.push_back(draw_shape(draw, corners));
  for (int i = 0; i < count; ++i) {
    ConvexQuery q{draw.below(40), draw.below(40), draw.pose(), draw.pose()};
    const Eigen::Vector3d travel = draw.direction();
    const auto place = [&](double along) { q.pose_b.translation() = q.pose_a.translation() + along * travel; };
    place(draw.number(3, 6));
    cases.far.push_back(q);
    set_gap(cases, q, draw.number(0, 0.02));
    cases.apart.push_back(q);
    if (i % 2 == 0) set_gap(cases, q, -draw.number(0, 0.02));
    cases.near.push_back(q);
    set_gap(cases, q, i % 2 == 0 ? 1e-9 : -1e-9);
    cases.touching.push_back(q);
    place(draw.number(0.05, 0.4));
    cases.deep.push_back(q);
  }
  return cases;
}

std::vector<ConvexMotion> make_convex_motions(const ConvexCases& cases, int count, int steps, double angle,
                                              double step_travel) {
  std::vector<ConvexMotion> motions;
  Draw draw;
  for (int i = 0; i < count; ++i) {
    // Half of the steps before the first touch, half after it.
    ConvexQuery q = cases.apart[static_cast<std::size_t>(i)];
    const Eigen::Vector3d travel = (q.pose_a.translation() - q.pose_b.translation()).normalized();
    q.pose_b.translation() -= step_travel * steps / 2 * travel;
    ConvexMotion& motion = motions.emplace_back();
    for (int step = 0; step < steps; ++step) {
      q.pose_b.translation() += step_travel * travel;
      q.pose_b.rotate(Eigen::AngleAxisd(angle, draw.direction()));
      motion.push_back(q);
    }
  }
  return motions;
}

}  // namespace carom::bench

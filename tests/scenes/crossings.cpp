#include "scenes/crossings.hpp"

#include <Eigen/Geometry>
#include <algorithm>
#include <vector>

namespace carom::tests {
namespace {

using Eigen::Vector3d;

struct Segment {
  Edge ends;
  Eigen::AlignedBox3d box;
};

bool crosses(const Vector3d& p, const Vector3d& q, const Vector3d& a, const Vector3d& b, const Vector3d& c) {
  const Vector3d normal = (b - a).cross(c - a);
  const double side_p = normal.dot(p - a);
  const double side_q = normal.dot(q - a);
  if (side_p * side_q >= 0) return false;
  const Vector3d hit = p + side_p / (side_p - side_q) * (q - p);
  return normal.dot((b - a).cross(hit - a)) > 0 && normal.dot((c - b).cross(hit - b)) > 0 &&
         normal.dot((a - c).cross(hit - c)) > 0;
}

}  // namespace

std::size_t count_crossings(std::span<const Vector3d> positions, std::span<const Triangle> triangles) {
  const auto at = [&](Index v) { return positions[static_cast<std::size_t>(v)]; };
  std::vector<Segment> segments;
  for (const Edge& edge : build_topology(positions.size(), triangles).edges) {
    Eigen::AlignedBox3d box(at(edge[0]));
    segments.push_back({edge, box.extend(at(edge[1]))});
  }
  std::sort(segments.begin(), segments.end(),
            [](const Segment& l, const Segment& r) { return l.box.min().x() < r.box.min().x(); });
  double longest = 0;
  for (const Segment& s : segments) longest = std::max(longest, s.box.sizes().x());

  std::size_t count = 0;
  for (const Triangle& t : triangles) {
    Eigen::AlignedBox3d box(at(t[0]));
    box.extend(at(t[1])).extend(at(t[2]));
    const auto from = std::lower_bound(segments.begin(), segments.end(), box.min().x() - longest,
                                       [](const Segment& s, double x) { return s.box.min().x() < x; });
    for (auto s = from; s != segments.end() && s->box.min().x() <= box.max().x(); ++s) {
      if (!s->box.intersects(box)) continue;
      const bool shares = std::any_of(t.begin(), t.end(), [&](Index v) { return v == s->ends[0] || v == s->ends[1]; });
      if (!shares && crosses(at(s->ends[0]), at(s->ends[1]), at(t[0]), at(t[1]), at(t[2]))) ++count;
    }
  }
  return count;
}

}  // namespace carom::tests

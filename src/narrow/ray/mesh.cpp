#include "narrow/ray/mesh.hpp"

#include <algorithm>
#include <array>

#include "narrow/ray/polytope.hpp"

namespace carom::rays {
namespace {

/// When the line enters the box, larger by `slack` on all sides; infinite if it does not between `from` and `to`.
double box_entry(const Line& line, const shapes::BoxVolume& box, double slack, double from, double to) {
  const auto cut_by = [&](double offset, double slope, double half) {
    if (slope == 0) {
      if (std::abs(offset) > half + slack) to = -INFINITY;
      return;
    }
    const double first = (-half - slack - offset) / slope;
    const double second = (half + slack - offset) / slope;
    from = std::max(from, std::min(first, second));
    to = std::min(to, std::max(first, second));
  };
  const Vec3 o = line.origin - box.center;
  cut_by(o.x, line.direction.x, box.half.x);
  cut_by(o.y, line.direction.y, box.half.y);
  cut_by(o.z, line.direction.z, box.half.z);
  return from <= to ? from : INFINITY;
}

}  // namespace

Span mesh(const TriangleTest& test, const shapes::MeshData& mesh, double margin, double from, double to,
          double rounding) {
  const shapes::MeshTree& tree = mesh.tree;
  const Line& line = test.line();
  struct Waiting {
    std::uint32_t node;
    double entry;
  };
  std::array<Waiting, shapes::max_tree_depth + 2> waiting;
  std::size_t count = 0;
  Span best;
  // Boxes of triangles that lie in a plane across an axis have no thickness.
  const double slack = margin + 4 * rounding;
  const auto push = [&](const Waiting& w) {
    if (w.entry < INFINITY) waiting[count++] = w;
  };
  push({0, box_entry(line, tree.boxes[0], slack, from - slack, to + slack)});
  while (count > 0) {
    const Waiting w = waiting[--count];
    if (w.entry > best.enter + slack) continue;
    const shapes::TreeNode& node = tree.nodes[w.node];
    if (!node.leaf()) {
      const double end = std::min(best.enter, to) + slack;
      Waiting near{node.first, box_entry(line, tree.boxes[node.first], slack, from - slack, end)};
      Waiting far{node.first + 1, box_entry(line, tree.boxes[node.first + 1], slack, from - slack, end)};
      if (far.entry < near.entry) std::swap(near, far);
      push(far);
      push(near);
      continue;
    }
    for (std::uint32_t i = node.first; i < node.first + node.count; ++i) {
      const shapes::TriangleCorners& t = tree.corners[i];
      Span span = rounded_triangle(test, t[0], t[1], t[2], margin, rounding);
      if (span.empty() || span.leave < from - rounding || span.enter > to) continue;
      span.enter = std::max(span.enter, from);
      if (span.enter < best.enter) best = span;
    }
  }
  return best;
}

}  // namespace carom::rays

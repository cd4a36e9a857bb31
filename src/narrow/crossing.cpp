#include "narrow/crossing.hpp"

#include <algorithm>

#include "core/stage_timer.hpp"
#include "geometry/triangle_triangle.hpp"
#include "math/collinear.hpp"
#include "math/orientation.hpp"

namespace carom::narrow {

namespace {

using Eigen::Vector3d;
using geometry::SidedTriangle;

constexpr std::size_t crossing_grain = 512;

class CrossingTester {
 public:
  CrossingTester(const CrossingIn& in, CrossingScratch::Counts& counts) : in_(in), counts_(counts) {}

  bool test(const mid::TrianglePair& pair) {
    if (in_.cones != nullptr && in_.cones->exclude(pair.a, pair.b)) {
      ++counts_.cone;
      return false;
    }
    ++counts_.tests;
    const Triangle& a = corners(pair.a);
    const Triangle& b = corners(pair.b);
    std::array<Index, 3> common{};
    std::size_t count = 0;
    for (std::size_t k = 0; k < 3; ++k)
      if (is_corner(a[k], b) && std::find(common.begin(), common.begin() + count, a[k]) == common.begin() + count)
        common[count++] = a[k];
    if (count == 3) return true;
    SidedTriangle first{points(pair.a)};
    SidedTriangle second{points(pair.b)};
    const bool apart = beside(a, b, second.side);
    if (apart || (count < 2 && !coplanar(first, second) && beside(b, a, first.side))) {
      ++counts_.plane;
      return false;
    }
    std::array<Vector3d, 2> shared;
    for (std::size_t k = 0; k < count; ++k) shared[k] = at(common[k]);
    if (geometry::meet_beyond(first, second, std::span(shared).first(count))) return true;
    ++counts_.apart;
    return false;
  }

  Intersection describe(const mid::TrianglePair& pair) const {
    const TriangleIntersection where = geometry::intersection_of(points(pair.a), points(pair.b));
    return {pair.a, pair.b, where.kind, where.start, where.end};
  }

 private:
  const Vector3d& at(Index vertex) const { return in_.positions[static_cast<std::size_t>(vertex)]; }
  const Triangle& corners(Index triangle) const { return in_.surface.triangles()[static_cast<std::size_t>(triangle)]; }
  TrianglePoints points(Index triangle) const {
    const auto& [a, b, c] = corners(triangle);
    return {at(a), at(b), at(c)};
  }

  static bool is_corner(Index vertex, const Triangle& t) { return vertex == t[0] || vertex == t[1] || vertex == t[2]; }

  /// The sides of the corners of b against the plane of a, those that are shared being in it. Whether all
  /// others are on one side: then b meets the plane in the hull of shared corners, if at all. Most
  /// pairs end here. With two shared corners, the sides of a against b ask for the same determinant.
  bool beside(const Triangle& a, const Triangle& b, std::array<int, 3>& sides) const {
    int side = 0;
    bool one = true;
    for (std::size_t k = 0; k < 3; ++k) {
      if (is_corner(b[k], a)) continue;
      sides[k] = math::orient3d(at(a[0]), at(a[1]), at(a[2]), at(b[k]));
      one = one && sides[k] != 0 && sides[k] != -side;
      side = sides[k];
    }
    return one;
  }

  /// By the sides of the second, which are known: zero for all, and not because the first has no plane.
  static bool coplanar(const SidedTriangle& first, const SidedTriangle& second) {
    return second.side == std::array<int, 3>{} &&
           !math::collinear(first.corners[0], first.corners[1], first.corners[2]);
  }

  const CrossingIn& in_;
  CrossingScratch::Counts& counts_;
};

}  // namespace

void find_crossings(Context& context, const CrossingIn& in, CrossingScratch& scratch, std::vector<Intersection>& found,
                    StageStats& mid_stats, StageStats& stats) {
  const StageTimer timer(stats);
  scratch.counts.assign(chunk_count(in.pairs.size(), crossing_grain), {});
  scratch.append.run(context.workers, in.pairs.size(), crossing_grain, scratch.hits,
                     [&](std::size_t begin, std::size_t end, std::vector<mid::TrianglePair>& hits, std::size_t chunk) {
                       CrossingTester tester(in, scratch.counts[chunk]);
                       for (std::size_t i = begin; i < end; ++i)
                         if (tester.test(in.pairs[i])) hits.push_back(in.pairs[i]);
                     });
  std::sort(scratch.hits.begin(), scratch.hits.end(),
            [](const mid::TrianglePair& p, const mid::TrianglePair& q) { return p.a != q.a ? p.a < q.a : p.b < q.b; });
  found.resize(scratch.hits.size());
  parallel_for(context.workers, found.size(), crossing_grain / 8, [&](std::size_t i) {
    CrossingScratch::Counts unused;
    found[i] = CrossingTester(in, unused).describe(scratch.hits[i]);
  });

  std::uint64_t cone = 0;
  for (const CrossingScratch::Counts& counts : scratch.counts) {
    cone += counts.cone;
    stats.in += counts.tests;
    stats.add_culled("plane", counts.plane);
    stats.add_culled("apart", counts.apart);
  }
  if (in.cones != nullptr) mid_stats.add_culled("cone", cone);
  mid_stats.out -= cone;
  stats.out += found.size();
  stats.set_unit("pairs of triangles");
}

}  // namespace carom::narrow

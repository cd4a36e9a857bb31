#include <gtest/gtest.h>

#include <set>

#include "carom/detect/intersect.hpp"
#include "carom/mesh/closest.hpp"
#include "carom/mesh/generate.hpp"
#include "detect/detection.hpp"
#include "oracle/soup_gen.hpp"

namespace carom {
namespace {

/// Boxes of triangles in double precision, grown by half the distance: what a tree must not lose.
struct ExactBox {
  Eigen::Array3d low, high;
};

std::vector<ExactBox> exact_boxes(const oracle::Soup& soup, double distance) {
  std::vector<ExactBox> boxes;
  for (const Triangle& t : soup.triangles) {
    const auto at = [&](std::size_t k) { return soup.positions[static_cast<std::size_t>(t[k])].array(); };
    boxes.push_back({at(0).min(at(1)).min(at(2)) - distance / 2, at(0).max(at(1)).max(at(2)) + distance / 2});
  }
  return boxes;
}

/// Whether two triangles have a point in common or features closer than a distance, by formulas that know no boxes.
bool touch(const oracle::Soup& soup, std::size_t i, std::size_t j, double distance) {
  TrianglePoints a, b;
  for (std::size_t k = 0; k < 3; ++k) {
    a[k] = soup.positions[static_cast<std::size_t>(soup.triangles[i][k])];
    b[k] = soup.positions[static_cast<std::size_t>(soup.triangles[j][k])];
  }
  for (std::size_t k = 0; k < 3; ++k) {
    if (closest_vertex_triangle(a[k], b[0], b[1], b[2]).distance < distance) return true;
    if (closest_vertex_triangle(b[k], a[0], a[1], a[2]).distance < distance) return true;
    for (std::size_t l = 0; l < 3; ++l)
      if (closest_edge_edge(a[k], a[(k + 1) % 3], b[l], b[(l + 1) % 3]).distance < distance) return true;
  }
  return intersects(a, b);
}

class BvhCheck {
 public:
  /// How many pairs there are that must be found.
  std::size_t compare(const oracle::Soup& soup, const std::vector<Eigen::Vector3d>& positions, double distance) {
    const Surface surface(soup.positions.size(), soup.triangles, soup.object_of_triangle);
    return compare(surface, {positions, soup.triangles, soup.object_of_triangle}, distance);
  }

  std::size_t compare(const Surface& surface, const oracle::Soup& soup, double distance) {
    const std::vector<ExactBox> boxes = exact_boxes(soup, distance);
    std::size_t total = 0;
    for (const PairScope scope : {PairScope::all, PairScope::between, PairScope::self}) {
      for (const mid::Method method : {mid::Method::clusters, mid::Method::bvh14, mid::Method::bvh18}) {
        arena_.reset();
        Context context{workers_, arena_};
        PipelineStats stats;
        detection::find_triangle_pairs(context, {surface, soup.positions},
                                       {.distance = distance, .pairs = scope, .method = method}, candidates_, stats);
        std::set<std::pair<Index, Index>> found;
        for (const mid::TrianglePair& pair : candidates_.mid.pairs) {
          EXPECT_LT(pair.a, pair.b);
          EXPECT_TRUE(found.insert({pair.a, pair.b}).second) << to_string(method) << ": a pair came twice";
        }
        const StageStats& mid_stats = stats[Stage::mid];
        EXPECT_EQ(mid_stats.in - mid_stats.culled_total(), mid_stats.out);
        EXPECT_EQ(mid_stats.out, found.size());
        for (std::size_t i = 0; i < boxes.size(); ++i) {
          for (std::size_t j = i + 1; j < boxes.size(); ++j) {
            const bool same = soup.object_of_triangle[i] == soup.object_of_triangle[j];
            const bool wanted = scope == PairScope::all || same == (scope == PairScope::self);
            const bool overlap = (boxes[i].low <= boxes[j].high).all() && (boxes[j].low <= boxes[i].high).all();
            const bool has = found.contains({static_cast<Index>(i), static_cast<Index>(j)});
            EXPECT_FALSE(has && !wanted) << to_string(method) << ": " << i << ' ' << j;
            // Along more directions some of these are apart.
            EXPECT_FALSE(wanted && overlap && !has && touch(soup, i, j, distance))
                << to_string(method) << ": " << i << ' ' << j;
            total += wanted && overlap ? 1 : 0;
          }
        }
      }
    }
    return total;
  }

 private:
  // Kept from soup to soup: nothing of the last call may show in the next.
  Workers workers_{2};
  Arena arena_;
  detection::Candidates candidates_;
};

TEST(Bvh, LosesNoPairOfOverlappingBoxesInAnySoup) {
  BvhCheck check;
  std::size_t pairs = 0;
  EXPECT_TRUE(rc::check("no pair is lost and none comes twice", [&] {
    const auto [soup, distance] = oracle::draw_soup(50);
    pairs += check.compare(soup, soup.positions, distance);
    RC_ASSERT(!testing::Test::HasFailure());
  }));
  EXPECT_GT(pairs, 10'000U) << "the soups must have something to find";
}

/// Several levels of nodes, and positions that wear the clusters out until they are cut anew.
TEST(Bvh, LosesNothingWhileTheShapeChangesBeyondRecognition) {
  const TriangleMesh mesh = make_icosphere(1, 3);
  const oracle::Soup soup{mesh.positions, mesh.triangles, std::vector<Index>(mesh.triangles.size(), 0)};
  const Surface surface(soup.positions.size(), soup.triangles);
  BvhCheck check;
  std::mt19937_64 random(3);
  oracle::Soup moved = soup;
  for (int frame = 0; frame < 4; ++frame) {
    for (Eigen::Vector3d& p : moved.positions)
      for (int k = 0; k < 3; ++k) p[k] += 0.02 * frame * (2 * oracle::uniform(random) - 1) * (frame == 2 ? 10 : 1);
    EXPECT_GT(check.compare(surface, moved, 0.01), 5'000U);
  }
}

}  // namespace
}  // namespace carom

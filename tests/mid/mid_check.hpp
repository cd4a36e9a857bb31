#pragma once

#include <gtest/gtest.h>

#include <set>

#include "bounds/bounds.hpp"
#include "mid/mid.hpp"
#include "oracle/soup.hpp"

namespace carom {

using PairSet = std::set<std::pair<Index, Index>>;

/// The twin of the mid phase: every pair of triangles.
inline PairSet all_pairs(const Surface& surface, std::span<const Box> boxes, PairScope scope,
                         const broad::ObjectFilter* filter) {
  const auto object_of = surface.object_index_of_triangle();
  PairSet pairs;
  for (std::size_t i = 0; i < boxes.size(); ++i) {
    for (std::size_t j = i + 1; j < boxes.size(); ++j) {
      const bool same = object_of[i] == object_of[j];
      if (scope != PairScope::all && same != (scope == PairScope::self)) continue;
      if (boxes[i].empty() || boxes[j].empty()) continue;  // dead triangles
      if (filter != nullptr && filter->verdict(object_of[i], object_of[j]) != broad::Verdict::allowed) continue;
      if (overlap(boxes[i], boxes[j])) pairs.insert({static_cast<Index>(i), static_cast<Index>(j)});
    }
  }
  return pairs;
}

/// Every method that goes by triangles, and every way to run it, against the twin, for each scope: the pairs, each
/// once, and counts that add up. The number of pairs there are.
class MidCheck {
 public:
  std::size_t compare(const oracle::Soup& soup, double distance) {
    return compare(Surface(soup.positions.size(), soup.triangles, soup.object_of_triangle), soup.positions, distance);
  }

  std::size_t compare(const Surface& surface, std::span<const Eigen::Vector3d> positions, double distance,
                      const broad::ObjectFilter* filter = nullptr) {
    std::size_t total = 0;
    for (const PairScope scope : {PairScope::all, PairScope::between, PairScope::self}) {
      arena_.reset();
      Context context{workers_, arena_};
      StageStats ignored;
      bounds::run(context, {surface, positions}, {.distance = distance}, bounds_, ignored);
      broad::run(context, {bounds_.objects}, {scope, filter}, broad_, ignored);
      const PairSet expected = all_pairs(surface, bounds_.triangles, scope, filter);
      total += expected.size();
      for (const std::string_view name : detect_methods()) {
        const mid::Method method = mid::method_by_name(name);
        if (mid::takes_steps(method)) continue;        // clusters, not triangles: bvh_test.cpp
        if (method == mid::Method::spheres) continue;  // leaves out more: spheres_test.cpp
        StageStats stats;
        mid::run(context, {surface, bounds_.triangles, bounds_.objects, broad_.pairs},
                 {.method = method, .pairs = scope, .filter = filter}, out_, stats);
        PairSet found;
        for (const mid::TrianglePair& pair : out_.pairs) found.insert({pair.a, pair.b});
        EXPECT_EQ(found.size(), out_.pairs.size()) << name << ": a pair came twice";
        EXPECT_TRUE(found == expected) << name << ", scope " << static_cast<int>(scope) << ": " << found.size()
                                       << " pairs, expected " << expected.size();
        EXPECT_EQ(stats.in - stats.culled_total(), stats.out) << name;
        EXPECT_EQ(stats.out, expected.size()) << name;
      }
    }
    return total;
  }

 private:
  // Kept from soup to soup, as a caller would: nothing of the last call may show in the next.
  Workers workers_{2};
  Arena arena_;
  bounds::Out bounds_;
  broad::Out broad_;
  mid::Out out_;
};

}  // namespace carom

#include "mid/sweep.hpp"

#include <gtest/gtest.h>

#include <set>

#include "bounds/bounds.hpp"
#include "carom/core/error.hpp"
#include "oracle/soup.hpp"

namespace carom {
namespace {

TEST(Sweep, FindsEachPairOfOverlappingBoxesOnce) {
  for (std::uint64_t seed = 0; seed < 30; ++seed) {
    const oracle::Soup soup =
        oracle::make_soup(seed, {.on_grid = seed % 2 == 0, .outlier = seed % 3 == 0 ? 50.0 : 0.0});
    const Surface surface(soup.positions.size(), soup.triangles, soup.object_of_triangle);
    Workers workers(2);
    Arena arena;
    Context context{workers, arena};
    bounds::Out bounds;
    StageStats ignored;
    bounds::run(context, {surface, soup.positions}, {.distance = 0.05}, bounds, ignored);
    for (const PairScope scope : {PairScope::all, PairScope::between, PairScope::self}) {
      broad::Out broad;
      broad::run(context, {bounds.objects}, {scope}, broad, ignored);
      mid::Out out;
      StageStats stats;
      mid::run(context, {surface, bounds.triangles, bounds.objects, broad.pairs}, {mid::Method::sweep, scope}, out,
               stats);

      std::set<std::pair<Index, Index>> expected;
      for (Index i = 0; i < static_cast<Index>(soup.triangles.size()); ++i) {
        for (Index j = i + 1; j < static_cast<Index>(soup.triangles.size()); ++j) {
          const auto a = static_cast<std::size_t>(i);
          const auto b = static_cast<std::size_t>(j);
          const bool same = soup.object_of_triangle[a] == soup.object_of_triangle[b];
          if (scope != PairScope::all && same != (scope == PairScope::self)) continue;
          if (overlap(bounds.triangles[a], bounds.triangles[b])) expected.insert({i, j});
        }
      }
      std::set<std::pair<Index, Index>> found;
      for (const mid::TrianglePair& pair : out.pairs) found.insert({pair.a, pair.b});
      ASSERT_EQ(found.size(), out.pairs.size()) << "a pair came twice";
      ASSERT_EQ(found, expected);
      EXPECT_EQ(stats.in - stats.culled_total(), stats.out);
      EXPECT_EQ(stats.out, out.pairs.size());
    }
  }
}

TEST(MidMethods, AnUnknownNameIsRefusedWithTheList) {
  for (const std::string_view name : detect_methods()) EXPECT_NO_THROW(mid::method_by_name(name)) << name;
  try {
    mid::method_by_name("magic");
    FAIL() << "accepted";
  } catch (const Error& error) {
    EXPECT_EQ(error.code(), ErrorCode::unknown_name);
    const std::string message = error.what();
    EXPECT_EQ(message.find("no detection method is called 'magic'; expected one of: auto, "), 0U) << message;
    for (const std::string_view name : detect_methods()) EXPECT_NE(message.find(name), std::string::npos) << name;
  }
}

}  // namespace
}  // namespace carom

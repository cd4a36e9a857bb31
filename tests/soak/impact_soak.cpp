#include <gtest/gtest.h>

#include "core/parallel.hpp"
#include "oracle/impact_check.hpp"
#include "oracle/moving_pairs.hpp"
#include "oracle/soup.hpp"

namespace carom {
namespace {

/// Two million queries of every kind against rational arithmetic: about an hour on two cores.
TEST(Soak, ImpactsAreThoseOfRationalArithmetic) {
  constexpr std::size_t chunks = 640;
  constexpr int rounds = 100;
  struct Tally {
    std::size_t collisions = 0;
    std::size_t queries = 0;
    std::string wrong;
  };
  std::vector<Tally> tallies(chunks);
  Workers workers;
  parallel_for(workers, chunks, 1, [&](std::size_t chunk) {
    std::mt19937_64 random(7000 + chunk);
    Tally& tally = tallies[chunk];
    for (int round = 0; round < rounds && tally.wrong.empty(); ++round) {
      for (int degeneracy = 0; degeneracy < oracle::degeneracy_count && tally.wrong.empty(); ++degeneracy) {
        // Numbers of all sizes are thousands of bits long for the oracle: fewer of these.
        if (static_cast<oracle::Degeneracy>(degeneracy) == oracle::Degeneracy::wild && round % 20 != 0) continue;
        for (const ContactKind kind : {ContactKind::vertex_face, ContactKind::edge_edge}) {
          const FeatureMotion motion =
              oracle::make_moving_pair(kind, static_cast<oracle::Degeneracy>(degeneracy), random);
          bool collides = false;
          tally.wrong += oracle::impact_violation(kind, motion, collides);
          const double size = (motion.start[0] - motion.end[3]).cwiseAbs().maxCoeff();
          const double separation = std::min(size * std::pow(10.0, -8 * oracle::uniform(random)), 1e300);
          tally.wrong += oracle::separation_violation(kind, motion, separation, 16);
          tally.collisions += collides ? 1 : 0;
          ++tally.queries;
        }
      }
    }
  });
  Tally all;
  for (const Tally& tally : tallies) {
    EXPECT_EQ(tally.wrong, "");
    all.collisions += tally.collisions;
    all.queries += tally.queries;
  }
  std::printf("%zu queries, %zu of them collide, all as in rational arithmetic\n", all.queries, all.collisions);
  EXPECT_GT(all.collisions, all.queries / 4);
  EXPECT_LT(all.collisions, all.queries);
}

}  // namespace
}  // namespace carom

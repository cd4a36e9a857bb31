// Searches for overlaps that are ended: nothing that was measured in part passes for an answer.
#include <gtest/gtest.h>

#include "narrow/overlap/overlap.hpp"
#include "overlap/parts.hpp"
#include "shapes/shape_data.hpp"

namespace carom {
namespace {

using namespace overlap_parts;

TEST(OverlapInterrupt, ASearchThatIsEndedSaysSoWhereverItIs) {
  const Shape a = Shape::mesh(bumpy_ball(60, 40, 0.02, 0), {.volume = MeshVolume::box});
  const Shape b = Shape::mesh(bumpy_ball(60, 40, 0.02, 1), {.volume = MeshVolume::box});
  const mesh::MeshData& ma = *a.data().mesh;
  const mesh::MeshData& mb = *b.data().mesh;
  const mesh::RelativePose pose = convex::relative_pose(Eigen::Isometry3d::Identity(), Eigen::Isometry3d::Identity());
  std::size_t asked = 0;
  const overlap::OverlapSearch all = overlap::find_overlaps(ma, mb, pose, 1e-6, [&] {
    ++asked;
    return true;
  });
  ASSERT_FALSE(all.ended);
  ASSERT_FALSE(all.overlaps.empty());
  ASSERT_GT(asked, 3 * all.overlaps.size()) << "within the overlaps too";
  for (std::size_t last = 0; last < asked; last += 1 + asked / 50) {
    std::size_t count = 0;
    const overlap::OverlapSearch part = overlap::find_overlaps(ma, mb, pose, 1e-6, [&] { return ++count <= last; });
    EXPECT_TRUE(part.ended) << last << " of " << asked;
    for (std::size_t i = 0; i + 1 < part.overlaps.size(); ++i)
      EXPECT_EQ(part.overlaps[i].volume, all.overlaps[i].volume) << last;
  }
}

}  // namespace
}  // namespace carom

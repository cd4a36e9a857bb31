#include "carom/mesh/surface_builder.hpp"

#include <gtest/gtest.h>

#include "carom/core/error.hpp"
#include "carom/detect/detect.hpp"
#include "carom/mesh/generate.hpp"

namespace carom {
namespace {

using Eigen::Vector3d;

TEST(SurfaceBuilder, JoinsMeshesEndToEnd) {
  const TriangleMesh box = make_box({1, 1, 1});
  const TriangleMesh ball = make_icosphere(1, 1);
  SurfaceBuilder builder;
  EXPECT_EQ(builder.add(box), 0);
  EXPECT_EQ(builder.add(ball, Eigen::Affine3d(Eigen::Translation3d(5, 0, 0))), 1);
  EXPECT_EQ(builder.object_count(), 2);
  ASSERT_EQ(builder.positions().size(), box.positions.size() + ball.positions.size());
  ASSERT_EQ(builder.triangles().size(), box.triangles.size() + ball.triangles.size());
  for (std::size_t i = 0; i < ball.triangles.size(); ++i) {
    const std::size_t joined = box.triangles.size() + i;
    EXPECT_EQ(builder.object_of_triangle()[joined], 1);
    for (std::size_t k = 0; k < 3; ++k) {
      const auto corner = static_cast<std::size_t>(builder.triangles()[joined][k]);
      const auto own = static_cast<std::size_t>(ball.triangles[i][k]);
      EXPECT_EQ(builder.positions()[corner], ball.positions[own] + Vector3d(5, 0, 0));
    }
  }
  const Surface surface = builder.surface();
  EXPECT_EQ(surface.vertex_count(), builder.positions().size());
  EXPECT_EQ(surface.objects().size(), 2U);
}

TEST(SurfaceBuilder, FindsTwoBallsThatAreClose) {
  const TriangleMesh ball = make_icosphere(1, 3);
  SurfaceBuilder builder;
  builder.add(ball);
  builder.add(ball, Eigen::Affine3d(Eigen::Translation3d(2.05, 0, 0)));
  const Surface surface = builder.surface();
  EXPECT_FALSE(detect(surface, builder.positions(), {.distance = 0.1}).empty());
  EXPECT_TRUE(detect(surface, builder.positions(), {.distance = 0.01}).empty());
}

TEST(SurfaceBuilder, NamesTheTriangleThatIsWrongAndStaysAsItWas) {
  SurfaceBuilder builder;
  builder.add(make_box({1, 1, 1}));
  TriangleMesh bad = make_box({1, 1, 1});
  bad.triangles[3][1] = 8;
  try {
    builder.add(bad);
    FAIL() << "no error";
  } catch (const Error& error) {
    EXPECT_EQ(error.code(), ErrorCode::bad_index);
    EXPECT_NE(std::string(error.what()).find("object 1: triangle 3 has corner 8"), std::string::npos) << error.what();
  }
  EXPECT_EQ(builder.object_count(), 1);
  EXPECT_EQ(builder.positions().size(), 8U);
}

TEST(SurfaceBuilder, MakesAnEmptySurface) {
  const Surface surface = SurfaceBuilder().surface();
  EXPECT_EQ(surface.vertex_count(), 0U);
  EXPECT_TRUE(surface.triangles().empty());
}

}  // namespace
}  // namespace carom

#include "carom/field/distance_field.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <functional>

#include "carom/core/error.hpp"
#include "carom/query/query.hpp"
#include "field/field_data.hpp"
#include "field_meshes.hpp"
#include "narrow/mesh/point_queries.hpp"
#include "shapes/shape_data.hpp"

namespace carom {
namespace {

using Eigen::Vector3d;
using fields::NamedMesh;

/// Visits every cell: low corner in units of the smallest possible cell, level, number.
void each_cell(const field::FieldData& field,
               const std::function<void(const field::GridPoint&, int level, std::uint32_t cell)>& visit) {
  const std::function<void(std::uint32_t, const field::GridPoint&, int)> go =
      [&](std::uint32_t entry, const field::GridPoint& low, int level) {
        const std::uint32_t content = field.tree[entry];
        if ((content & field::cell_bit) != 0) return visit(low, level, content & ~field::cell_bit);
        const std::uint32_t half = field::root_units >> static_cast<unsigned>(level + 1);
        for (std::uint32_t k = 0; k < 8; ++k) go(content + k, field::corner_at(low, half, k), level + 1);
      };
  for (std::uint32_t z = 0; z < field.roots[2]; ++z) {
    for (std::uint32_t y = 0; y < field.roots[1]; ++y) {
      for (std::uint32_t x = 0; x < field.roots[0]; ++x) {
        go(static_cast<std::uint32_t>(field.root_entry({x, y, z})),
           {x * field::root_units, y * field::root_units, z * field::root_units}, 0);
      }
    }
  }
}

std::string message_of(const std::function<void()>& call) {
  try {
    call();
  } catch (const Error& error) {
    return error.what();
  }
  return "no error";
}

class FieldOfMesh : public testing::TestWithParam<NamedMesh> {};

INSTANTIATE_TEST_SUITE_P(Meshes, FieldOfMesh, testing::ValuesIn(fields::closed_meshes()), [](const auto& mesh) {
  std::string name = mesh.param.name;
  std::replace(name.begin(), name.end(), ' ', '_');
  return name;
});

TEST_P(FieldOfMesh, StatedErrorHoldsEverywhereAndIsNotFarFromTheTrueOne) {
  const TriangleMesh& mesh = GetParam().mesh;
  const Shape shape = Shape::mesh(mesh);
  const DistanceField field(shape, {.tolerance = 0.01, .band = 0.02});
  const FieldReport& report = field.report();
  EXPECT_EQ(report.limited, 0U);
  EXPECT_LE(report.error, report.tolerance);
  EXPECT_GT(report.error, 0.2 * report.tolerance) << "cells are smaller than they need to be";
  double worst = 0;
  for (const Vector3d& p : fields::hard_points(mesh, report.band, 6000, 7)) {
    const double exact = fields::signed_distance(mesh, shape.is_room(), p);
    const FieldSample s = field.sample(p);
    ASSERT_LE(std::abs(s.distance - exact), s.error) << p.transpose() << " exact " << exact;
    if (std::abs(exact) < report.band) {
      ASSERT_LE(s.error, report.error);
      worst = std::max(worst, std::abs(s.distance - exact));
    }
    if (std::abs(exact) > s.error) {
      ASSERT_EQ(s.distance > 0, exact > 0) << p.transpose();
    }
  }
  EXPECT_GT(worst, report.error / 15);
}

TEST_P(FieldOfMesh, SignIsExactAtEveryCornerOfEveryCell) {
  const Shape shape = Shape::mesh(GetParam().mesh);
  const DistanceField field(shape, {.tolerance = 0.02});
  const field::FieldData& data = field.data();
  std::size_t corners = 0;
  each_cell(data, [&](const field::GridPoint& low, int level, std::uint32_t cell) {
    for (std::size_t k = 0; k < 8; ++k) {
      const math::Vec3 p = data.position(field::corner_at(low, field::root_units >> static_cast<unsigned>(level), k));
      ASSERT_EQ(data.cells[cell][k] <= 0, mesh::inside(*shape.data().mesh, p)) << p.x << " " << p.y << " " << p.z;
      ++corners;
    }
  });
  EXPECT_EQ(corners, 8 * field.report().cells);
}

TEST_P(FieldOfMesh, IsContinuousAndItsGradientIsItsDerivative) {
  const TriangleMesh& mesh = GetParam().mesh;
  const DistanceField field(Shape::mesh(mesh), {.tolerance = 0.02});
  const field::FieldData& data = field.data();
  const double size = data.root_size;
  double reach = 0;
  for (const Vector3d& p : mesh.positions) reach = std::max(reach, p.norm());
  const double step = 1e-7 * size + 1e-11 * reach;
  std::mt19937_64 random(3);
  std::size_t faces = 0;
  std::size_t inner = 0;
  each_cell(data, [&](const field::GridPoint& low, int level, std::uint32_t) {
    if (random() % 8 != 0) return;
    const double h = size / (1U << static_cast<unsigned>(level));
    const Vector3d corner = math::to_eigen(data.position(low));
    const Vector3d t = 0.5 * (fields::random_vector(random, 1) + Vector3d::Ones());
    // Across a face, an edge or a corner of the cell.
    Vector3d on_face = corner + h * t;
    for (int axis = 0; axis < 3; ++axis) {
      if (axis == 0 || random() % 3 == 0) on_face[axis] = corner[axis];
    }
    const Vector3d off = fields::random_vector(random, step);
    const double jump = std::abs(field.sample(on_face + off).distance - field.sample(on_face - off).distance);
    ASSERT_LE(jump, 5 * off.norm() + 1e-6 * size) << on_face.transpose();
    ++faces;
    // The difference of two points in a cell is that of the gradient halfway: exact for a product of three lines.
    const Vector3d p = corner + h * (0.1 * Vector3d::Ones() + 0.8 * t);
    for (int axis = 0; axis < 3; ++axis) {
      const double d = 0.05 * h;
      const double slope =
          (field.sample(p + d * Vector3d::Unit(axis)).distance - field.sample(p - d * Vector3d::Unit(axis)).distance) /
          (2 * d);
      ASSERT_NEAR(slope, field.sample(p).gradient[axis], 1e-6);
    }
    ++inner;
  });
  EXPECT_GT(faces, 100U);
  EXPECT_EQ(inner, faces);
}

TEST_P(FieldOfMesh, IsTheSameForAnyNumberOfThreads) {
  const Shape shape = Shape::mesh(GetParam().mesh);
  const DistanceField one(shape, {.tolerance = 0.01, .threads = 1});
  for (const int threads : {2, 4}) {
    const DistanceField field(shape, {.tolerance = 0.01, .threads = threads});
    EXPECT_EQ(field.data().tree, one.data().tree);
    EXPECT_EQ(field.data().cells, one.data().cells);
    EXPECT_EQ(field.data().errors, one.data().errors);
  }
}

TEST(DistanceField, SignAtAMillionPointsIsThatOfTheExactPredicate) {
  const TriangleMesh mesh = make_torus(0.5, 0.2, 64, 32);
  const Shape shape = Shape::mesh(mesh);
  const DistanceField field(shape, {.tolerance = 0.01});
  std::mt19937_64 random(5);
  std::size_t decided = 0;
  for (int i = 0; i < 1'000'000; ++i) {
    const Vector3d p = fields::random_vector(random, 0.8).cwiseProduct(Vector3d(1, 0.4, 1));
    const FieldSample s = field.sample(p);
    if (std::abs(s.distance) <= s.error) continue;
    ++decided;
    ASSERT_EQ(s.distance < 0, mesh::inside(*shape.data().mesh, math::to_vec3(p))) << p.transpose();
  }
  EXPECT_GT(decided, 900'000U);
}

TEST(DistanceField, IsTheClosedFormOfBallsAndBoxes) {
  const DistanceField ball(Shape::sphere(0.5));
  const DistanceField box(Shape::box({0.5, 0.3, 0.2}));
  const DistanceField rounded(Shape::box({0.5, 0.3, 0.2}).with_margin(0.05));
  std::mt19937_64 random(11);
  for (int i = 0; i < 20000; ++i) {
    const Vector3d p = fields::random_vector(random, i % 4 == 0 ? 3 : 0.7);
    FieldSample s = ball.sample(p);
    ASSERT_LE(std::abs(s.distance - (p.norm() - 0.5)), s.error);
    const Vector3d beyond = p.cwiseAbs() - Vector3d(0.5, 0.3, 0.2);
    const double exact = beyond.cwiseMax(0).norm() + std::min(beyond.maxCoeff(), 0.0);
    s = box.sample(p);
    ASSERT_LE(std::abs(s.distance - exact), s.error);
    s = rounded.sample(p);
    ASSERT_LE(std::abs(s.distance - (exact - 0.05)), s.error);
  }
  EXPECT_LE(ball.report().error, ball.report().tolerance);
  EXPECT_LE(box.report().error, box.report().tolerance);
}

TEST(DistanceField, OfEveryShapeIsWithinItsErrorOfTheDistanceQuery) {
  const std::vector<Vector3d> points{{0, 0, 0}, {1, 0, 0}, {0, 1, 0}, {0.2, 0.3, 1}, {0.8, 0.7, 0.2}};
  const std::array<Shape::Part, 2> parts{{{Shape::sphere(0.3), Eigen::Isometry3d(Eigen::Translation3d(0.5, 0, 0))},
                                          {Shape::box({0.3, 0.2, 0.1}), Eigen::Isometry3d::Identity()}}};
  const std::vector<Shape> shapes{Shape::capsule(0.2, 0.5), Shape::cylinder(0.3, 0.5),
                                  Shape::cone(0.4, 0.5),    Shape::ellipsoid({0.5, 0.3, 0.2}),
                                  Shape::hull(points),      Shape::triangle({0, 0, 0}, {1, 0, 0}, {0, 1, 0}),
                                  Shape::compound(parts)};
  const Shape point = Shape::sphere(1e-9);
  std::mt19937_64 random(13);
  for (const Shape& shape : shapes) {
    const DistanceField field(shape, {.tolerance = 0.01});
    EXPECT_EQ(field.report().limited, 0U) << to_string(shape.kind());
    EXPECT_LE(field.report().error, field.report().tolerance) << to_string(shape.kind());
    for (int i = 0; i < 2000; ++i) {
      const Vector3d p = fields::random_vector(random, 1.2);
      const FieldSample s = field.sample(p);
      const Eigen::Isometry3d at(Eigen::Translation3d{p});
      const double exact = distance(shape, Eigen::Isometry3d::Identity(), point, at).distance + 1e-9;
      // The depth of round shapes is searched for by the query, to 2e-5 of their size.
      const double slack = exact < 0 ? 1e-4 : 1e-8;
      ASSERT_LE(std::abs(s.distance - exact), s.error + slack) << to_string(shape.kind()) << " " << p.transpose();
    }
  }
}

TEST(DistanceField, AnswersFarAwayAndForNumbersThatAreNone) {
  const TriangleMesh mesh = make_torus(0.5, 0.2, 32, 16);
  const DistanceField field(Shape::mesh(mesh));
  std::mt19937_64 random(17);
  for (double size = 1; size < 1e12; size *= 10) {
    for (int i = 0; i < 50; ++i) {
      const Vector3d p = fields::random_vector(random, size);
      const FieldSample s = field.sample(p);
      const double exact = fields::signed_distance(mesh, false, p);
      ASSERT_LE(std::abs(s.distance - exact), s.error + 1e-12 * size);
      ASSERT_TRUE(s.gradient.allFinite());
      ASSERT_LT(s.error, 1.0) << "the box of the shape bounds the distance";
    }
  }
  for (const double bad : {std::numeric_limits<double>::quiet_NaN(), std::numeric_limits<double>::infinity()}) {
    EXPECT_TRUE(std::isnan(field.sample({0, bad, 0}).distance));
  }
}

TEST(DistanceField, CellsAreAsManyAsTheSurfaceAsksFor) {
  // Along the edges of a box, cells are proportional to the inverse of the tolerance; on a smooth surface to the
  // inverse of its square root for each of two directions.
  const auto cells = [](const TriangleMesh& mesh, double tolerance) {
    return static_cast<double>(
        DistanceField(Shape::mesh(mesh), {.tolerance = tolerance, .band = 2 * tolerance}).report().cells);
  };
  const TriangleMesh box = fields::turned(make_box({1, 1, 1}));
  EXPECT_LT(cells(box, 0.0025), 5.5 * cells(box, 0.01));
  const TriangleMesh ball = make_icosphere(0.5, 5);
  EXPECT_LT(cells(ball, 0.0025), 7 * cells(ball, 0.01));
}

TEST(DistanceField, WhatIsLeftTooCoarseIsCountedAndItsErrorStated) {
  const TriangleMesh mesh = fields::turned(make_box({1, 0.8, 0.6}));
  const DistanceField field(Shape::mesh(mesh), {.tolerance = 0.001, .max_cells = 5000});
  EXPECT_GT(field.report().limited, 0U);
  EXPECT_LE(field.report().cells, 5000U);
  EXPECT_GT(field.report().error, field.report().tolerance);
  for (const Vector3d& p : fields::hard_points(mesh, field.report().band, 2000, 3)) {
    const FieldSample s = field.sample(p);
    ASSERT_LE(std::abs(s.distance - fields::signed_distance(mesh, false, p)), s.error);
  }
}

TEST(DistanceField, AMarginLowersEveryDistance) {
  const TriangleMesh mesh = make_icosphere(0.5, 2);
  const DistanceField sharp(Shape::mesh(mesh), {.tolerance = 0.02});
  const DistanceField rounded(Shape::mesh(mesh).with_margin(0.1), {.tolerance = 0.02});
  std::mt19937_64 random(19);
  for (int i = 0; i < 1000; ++i) {
    const Vector3d p = fields::random_vector(random, 2);
    ASSERT_EQ(rounded.sample(p).distance, sharp.sample(p).distance - 0.1);
  }
}

TEST(DistanceField, CrumpledMeshesOfAllSeeds) {
  for (std::uint64_t seed = 1; seed <= 12; ++seed) {
    const TriangleMesh mesh = fields::crumpled(seed, 0.02 * static_cast<double>(seed));
    const Shape shape = Shape::mesh(mesh);
    const DistanceField field(shape, {.tolerance = 0.03, .band = 0.01});
    for (const Vector3d& p : fields::hard_points(mesh, 0.1, 1500, seed)) {
      const FieldSample s = field.sample(p);
      ASSERT_LE(std::abs(s.distance - fields::signed_distance(mesh, shape.is_room(), p)), s.error)
          << "seed " << seed << ": " << p.transpose();
    }
  }
}

TEST(DistanceField, BadInputIsRefusedByName) {
  TriangleMesh open = make_box({1, 1, 1});
  open.triangles.pop_back();
  EXPECT_NE(message_of([&] { DistanceField field(Shape::mesh(open)); }).find("open at the edge of vertices"),
            std::string::npos);
  EXPECT_NE(message_of([] { DistanceField field(Shape::mesh(make_sheet(1, 1, 2, 2))); }).find("expected a closed mesh"),
            std::string::npos);
  EXPECT_NE(message_of([] {
              DistanceField field(Shape::half_space({0, 1, 0}, 0));
            }).find("half-space"),
            std::string::npos);
  EXPECT_NE(message_of([] {
              DistanceField field(Shape::mesh(make_box({1, 1, 1}), {.solid = MeshSolid::surface}));
            }).find("surface without inside"),
            std::string::npos);
  const auto with = [](const FieldOptions& options) {
    return message_of([&] { DistanceField field(Shape::sphere(1), options); });
  };
  EXPECT_EQ(with({.tolerance = 0}), "distance field: tolerance is 0; expected 1e-05 to 1");
  EXPECT_EQ(with({.tolerance = NAN}), "distance field: tolerance is nan; expected 1e-05 to 1");
  EXPECT_EQ(with({.band = -1}), "distance field: band is -1; expected 0 to 10");
  EXPECT_EQ(with({.far_error = 2}), "distance field: far_error is 2; expected 0 to 1");
  EXPECT_EQ(with({.max_cells = 0}), "distance field: max_cells is 0; expected 1 to 268435456");
  EXPECT_EQ(with({.threads = -1}), "distance field: threads is -1; expected 0 to 1024");
}

}  // namespace
}  // namespace carom

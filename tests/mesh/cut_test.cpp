#include "carom/query/cut.hpp"

#include <gtest/gtest.h>
#include <rapidcheck.h>

#include <Eigen/Geometry>
#include <random>

#include "carom/core/error.hpp"
#include "carom/detect/intersect.hpp"
#include "carom/mesh/generate.hpp"

namespace carom {
namespace {

using Eigen::Vector3d;

/// A box of 1 m with a closed cavity of 0.4 m in its middle.
TriangleMesh hollow_box() {
  TriangleMesh mesh = make_box({1, 1, 1}, 3);
  const TriangleMesh inner = make_box({0.4, 0.4, 0.4}, 2);
  const auto offset = static_cast<Index>(mesh.positions.size());
  mesh.positions.insert(mesh.positions.end(), inner.positions.begin(), inner.positions.end());
  for (const Triangle& t : inner.triangles) mesh.triangles.push_back({t[2] + offset, t[1] + offset, t[0] + offset});
  return mesh;
}

/// Solid with holes, concave: a comb with three teeth of square section, all faces along the axes.
TriangleMesh comb() {
  return make_extrusion(std::vector<Eigen::Vector2d>{{0, 0},
                                                     {0.5, 0},
                                                     {0.5, 1},
                                                     {0.4, 1},
                                                     {0.4, 0.2},
                                                     {0.3, 0.2},
                                                     {0.3, 1},
                                                     {0.2, 1},
                                                     {0.2, 0.2},
                                                     {0.1, 0.2},
                                                     {0.1, 1},
                                                     {0, 1}},
                        0.3);
}

const std::vector<std::pair<const char*, TriangleMesh>>& solids() {
  static const std::vector<std::pair<const char*, TriangleMesh>> list{
      {"box", make_box({1, 1, 1}, 4)},
      {"ball", make_icosphere(0.5, 3)},
      {"torus", make_torus(0.5, 0.2, 32, 16)},
      {"knot", make_tube([](double t) { return trefoil(t, 0.5, 0.2); }, 0.12, 60, 8)},
      {"hollow box", hollow_box()},
      {"comb", comb()},
  };
  return list;
}

double volume_of(const TriangleMesh& mesh) {
  double volume = 0;
  const Vector3d origin = mesh.positions[0];
  for (const Triangle& t : mesh.triangles) {
    const Vector3d a = mesh.positions[static_cast<std::size_t>(t[0])] - origin;
    const Vector3d b = mesh.positions[static_cast<std::size_t>(t[1])] - origin;
    const Vector3d c = mesh.positions[static_cast<std::size_t>(t[2])] - origin;
    volume += a.dot(b.cross(c)) / 6;
  }
  return volume;
}

/// Pieces are solids, their volumes are that of the mesh, and none intersects itself.
void expect_solid_pieces(const TriangleMesh& mesh, const CutResult& result) {
  double sum = 0;
  for (const MeshPiece& piece : result.pieces) {
    const MeshReport report = inspect(piece.mesh);
    RC_ASSERT(report.watertight());
    RC_ASSERT(report.manifold());
    RC_ASSERT(report.oriented());
    RC_ASSERT(report.unused_vertices.empty());
    RC_ASSERT(piece.volume > 0);
    RC_ASSERT(std::abs(piece.volume - volume_of(piece.mesh)) < 1e-12);
    RC_ASSERT(piece.source.size() == piece.mesh.triangles.size());
    // Nothing in common but a vertex or an edge of both, where the cut went through a saddle or along a valley.
    for (const Intersection& found :
         intersections(Surface(piece.mesh.positions.size(), piece.mesh.triangles), piece.mesh.positions)) {
      RC_ASSERT(found.kind != IntersectionKind::coplanar);
      for (const Index t : {found.a, found.b}) {
        for (const Vector3d& end : {found.start, found.end}) {
          const Triangle& corners = piece.mesh.triangles[static_cast<std::size_t>(t)];
          RC_ASSERT(std::any_of(corners.begin(), corners.end(),
                                [&](Index v) { return piece.mesh.positions[static_cast<std::size_t>(v)] == end; }));
        }
      }
    }
    sum += piece.volume;
  }
  RC_ASSERT(std::abs(sum - volume_of(mesh)) < 1e-9 * volume_of(mesh));
}

/// Number of regions of cells of a grid that are inside of the mesh and not separated by the plane: an independent
/// count, for solids and planes whose parts are all larger than the cells. `inside` says where the solid is.
template <class Inside, class Side>
std::size_t flood_fill(Inside inside, Side side, double half, int n) {
  const auto index = [n](int i, int j, int k) { return static_cast<std::size_t>((i * n + j) * n + k); };
  std::vector<int> label(index(n - 1, n - 1, n - 1) + 1, 0);
  const auto point = [&](int i, int j, int k) {
    return Vector3d(-half + (i + 0.5) * 2 * half / n, -half + (j + 0.5) * 2 * half / n,
                    -half + (k + 0.5) * 2 * half / n);
  };
  for (int i = 0; i < n; ++i) {
    for (int j = 0; j < n; ++j) {
      for (int k = 0; k < n; ++k) {
        const Vector3d p = point(i, j, k);
        if (inside(p)) label[index(i, j, k)] = side(p) ? -1 : -2;
      }
    }
  }
  std::size_t count = 0;
  std::vector<std::array<int, 3>> stack;
  for (int i = 0; i < n; ++i) {
    for (int j = 0; j < n; ++j) {
      for (int k = 0; k < n; ++k) {
        if (label[index(i, j, k)] >= 0) continue;
        ++count;
        stack.push_back({i, j, k});
        const int kind = label[index(i, j, k)];
        while (!stack.empty()) {
          const auto [a, b, c] = stack.back();
          stack.pop_back();
          if (a < 0 || b < 0 || c < 0 || a >= n || b >= n || c >= n || label[index(a, b, c)] != kind) continue;
          label[index(a, b, c)] = 1;
          for (const auto& d : {std::array{1, 0, 0}, {-1, 0, 0}, {0, 1, 0}, {0, -1, 0}, {0, 0, 1}, {0, 0, -1}})
            stack.push_back({a + d[0], b + d[1], c + d[2]});
        }
      }
    }
  }
  return count;
}

Vector3d random_direction(std::mt19937_64& random) {
  std::normal_distribution<double> normal;
  Vector3d v;
  do v = {normal(random), normal(random), normal(random)};
  while (v.norm() < 1e-3);
  return v.normalized();
}

TEST(Cut, AnyPlaneMakesSolids) {
  EXPECT_TRUE(rc::check("planes at random, through vertices and along faces", [] {
    std::mt19937_64 random(*rc::gen::arbitrary<std::uint64_t>());
    const auto& mesh = solids()[random() % solids().size()].second;
    CutPlane plane;
    switch (random() % 3) {
      case 0:
        plane.normal = random_direction(random);
        plane.offset = std::uniform_real_distribution<double>(-0.6, 0.6)(random);
        break;
      case 1: {  // through three vertices
        const auto vertex = [&]() -> const Vector3d& { return mesh.positions[random() % mesh.positions.size()]; };
        const Vector3d a = vertex();
        plane.normal = (vertex() - a).cross(vertex() - a);
        if (!(plane.normal.norm() > 1e-6)) plane.normal = {0, 1, 0};
        plane.normal.normalize();
        plane.offset = plane.normal.dot(a);
        break;
      }
      default:  // along an axis through a vertex
        plane.normal = Vector3d::Zero();
        plane.normal[static_cast<Eigen::Index>(random() % 3)] = random() % 2 == 0 ? 1 : -1;
        plane.offset = plane.normal.dot(mesh.positions[random() % mesh.positions.size()]);
    }
    const CutResult result = cut(mesh, plane);
    expect_solid_pieces(mesh, result);
    const double tolerance = 1e-8;
    for (const MeshPiece& piece : result.pieces) {
      double low = 1e9;
      double high = -1e9;
      for (const Vector3d& p : piece.mesh.positions) {
        low = std::min(low, plane.normal.dot(p) - plane.offset);
        high = std::max(high, plane.normal.dot(p) - plane.offset);
      }
      RC_ASSERT(low > -tolerance || high < tolerance);
      for (std::size_t t = 0; t < piece.source.size(); ++t) {
        if (piece.source[t] != none) continue;
        for (const Index v : piece.mesh.triangles[t]) {
          const double h = plane.normal.dot(piece.mesh.positions[static_cast<std::size_t>(v)]) - plane.offset;
          RC_ASSERT(std::abs(h) < tolerance);
        }
      }
    }
  }));
}

TEST(Cut, AnyBladeMakesSolids) {
  EXPECT_TRUE(rc::check("blades at random: bent, turning, that stop inside", [] {
    std::mt19937_64 random(*rc::gen::arbitrary<std::uint64_t>());
    const auto& mesh = solids()[random() % solids().size()].second;
    const Vector3d along = random_direction(random);
    const Vector3d across = along.unitOrthogonal();
    std::uniform_real_distribution<double> wobble(-0.15, 0.15);
    BladePath blade;
    const int poses = 2 + static_cast<int>(random() % 4);
    const int points = 2 + static_cast<int>(random() % 3);
    const double reach = random() % 2 == 0 ? 1.5 : 0.3;  // through, or to somewhere inside
    for (int i = 0; i < poses; ++i) {
      std::vector<Vector3d> pose;
      for (int k = 0; k < points; ++k) {
        const double u = -1.5 + (1.5 + reach) * i / (poses - 1);
        const double v = -1.5 + 3.0 * k / (points - 1);
        pose.emplace_back(u * along + v * across + wobble(random) * along.cross(across));
      }
      blade.poses.push_back(std::move(pose));
    }
    const CutResult result = cut(mesh, blade);
    expect_solid_pieces(mesh, result);
    if (reach > 1) RC_ASSERT(result.unseparated_area < 1e-12);
  }));
}

TEST(Cut, NumberOfPiecesIsThatOfAFloodFill) {
  const TriangleMesh torus = make_torus(0.5, 0.2, 64, 32);  // about the y axis
  const auto in_torus = [](const Vector3d& p) { return std::hypot(std::hypot(p.x(), p.z()) - 0.5, p.y()) < 0.197; };
  for (const auto& plane : {std::pair{Vector3d(1, 0, 0), 0.0},
                            {Vector3d(0, 1, 0), 0.05},
                            {Vector3d(1, 0, 0), 0.5},
                            {Vector3d(0.6, 0.0, 0.8), 0.1},
                            {Vector3d(0, 0.3, 1).normalized(), 0.35}}) {
    const Vector3d& normal = plane.first;
    const double offset = plane.second;
    const auto filled = flood_fill(
        in_torus, [&](const Vector3d& p) { return normal.dot(p) > offset; }, 0.8, 80);
    EXPECT_EQ(cut(torus, CutPlane{normal, offset}).pieces.size(), filled) << normal.transpose();
  }
}

TEST(Cut, CombFallsIntoItsTeeth) {
  const TriangleMesh mesh = comb();
  const CutResult result = cut(mesh, CutPlane{{0, 1, 0}, 0.5}, "comb");
  ASSERT_EQ(result.pieces.size(), 4U);
  EXPECT_EQ(result.pieces[0].name, "comb-1");
  EXPECT_EQ(result.pieces[3].name, "comb-4");
  for (std::size_t i = 1; i < 4; ++i) EXPECT_NEAR(result.pieces[i].volume, 0.1 * 0.5 * 0.3, 1e-15);
  EXPECT_NEAR(result.pieces[0].volume, 0.5 * 0.2 * 0.3 + 3 * 0.1 * 0.3 * 0.3, 1e-15);
  EXPECT_NEAR(result.cut_area, 3 * 0.1 * 0.3, 1e-15);
}

TEST(Cut, PlaneOfAFaceCutsNothing) {
  const TriangleMesh box = make_box({1, 1, 1}, 2);
  for (const double offset : {-0.5, 0.5, 0.7}) {
    const CutResult result = cut(box, CutPlane{{0, 0, 1}, offset});
    ASSERT_EQ(result.pieces.size(), 1U);
    EXPECT_EQ(result.pieces[0].mesh.triangles.size(), box.triangles.size());
    EXPECT_EQ(result.split_triangles, 0U);
    EXPECT_EQ(result.cut_area, 0);
  }
  // A step: the plane of the upper face of the lower part.
  const TriangleMesh step =
      make_extrusion(std::vector<Eigen::Vector2d>{{0, 0}, {2, 0}, {2, 1}, {1, 1}, {1, 2}, {0, 2}}, 1);
  const CutResult result = cut(step, CutPlane{{0, 1, 0}, 1});
  ASSERT_EQ(result.pieces.size(), 2U);
  EXPECT_NEAR(result.pieces[0].volume, 2, 1e-15);
  EXPECT_NEAR(result.pieces[1].volume, 1, 1e-15);
  EXPECT_NEAR(result.cut_area, 1, 1e-15);
}

TEST(Cut, ValleyThatTouchesThePlaneSeparatesWhatIsAboveIt) {
  // The plane runs along the bottom edge of a notch: what is above it hangs together along a line only.
  const TriangleMesh mesh =
      make_extrusion(std::vector<Eigen::Vector2d>{{0, 0}, {3, 0}, {3, 2}, {2, 2}, {1.5, 1}, {1, 2}, {0, 2}}, 1);
  const CutResult result = cut(mesh, CutPlane{{0, 1, 0}, 1});
  ASSERT_EQ(result.pieces.size(), 3U);
  EXPECT_NEAR(result.pieces[0].volume, 3, 1e-14);
  EXPECT_NEAR(result.pieces[1].volume, 1.25, 1e-14);
  EXPECT_NEAR(result.pieces[2].volume, 1.25, 1e-14);
  for (const MeshPiece& piece : result.pieces) EXPECT_TRUE(inspect(piece.mesh).watertight());
}

TEST(Cut, CavityStaysWithItsPieceOrIsCutToo) {
  const TriangleMesh mesh = hollow_box();
  const CutResult aside = cut(mesh, CutPlane{{1, 0, 0}, 0.3});
  ASSERT_EQ(aside.pieces.size(), 2U);
  EXPECT_NEAR(aside.pieces[0].volume, 0.8 - 0.064, 1e-15);
  EXPECT_NEAR(aside.pieces[1].volume, 0.2, 1e-15);
  const CutResult through = cut(mesh, CutPlane{{1, 0, 0}, 0.1});
  ASSERT_EQ(through.pieces.size(), 2U);
  EXPECT_NEAR(through.cut_area, 1 - 0.16, 1e-15);
}

TEST(Cut, HalvesOfASymmetricCutMirrorEachOther) {
  const TriangleMesh mesh = make_torus(0.5, 0.2, 33, 17);
  const CutResult result = cut(mesh, CutPlane{{0, 1, 0}, 0});
  ASSERT_EQ(result.pieces.size(), 2U);
  EXPECT_NEAR(result.pieces[0].volume, result.pieces[1].volume, 1e-15);
  EXPECT_EQ(result.pieces[0].cut_area, result.pieces[1].cut_area);
}

TEST(Cut, BladeThatStopsInsideLeavesTheMeshWholeAndTellsIt) {
  const TriangleMesh box = make_box({1, 1, 1}, 3);
  const CutResult result =
      cut(box, BladePath{{{{-1, -1, 0.013}, {-1, 1, 0.013}}, {{0.25, -1, 0.013}, {0.25, 1, 0.013}}}});
  ASSERT_EQ(result.pieces.size(), 1U);
  EXPECT_NEAR(result.pieces[0].volume, 1, 1e-14);
  EXPECT_NEAR(result.unseparated_area, 0.75, 1e-12);
  EXPECT_EQ(result.cut_area, 0);
}

TEST(Cut, BentBladeCutsOutAWedge) {
  const TriangleMesh box = make_box({1, 1, 1}, 3);
  // An edge bent at a right angle that moves along z: it cuts out the corner beyond (0.1, 0.2).
  const std::vector<Vector3d> chain{{0.1, 2, 0}, {0.1, 0.2, 0}, {2, 0.2, 0}};
  BladePath blade;
  for (const double z : {-1.0, 0.2, 1.0}) {
    blade.poses.emplace_back();
    for (const Vector3d& p : chain) blade.poses.back().emplace_back(p.x(), p.y(), z);
  }
  const CutResult result = cut(box, blade);
  ASSERT_EQ(result.pieces.size(), 2U);
  EXPECT_NEAR(result.pieces[1].volume, 0.4 * 0.3, 1e-8);
  EXPECT_NEAR(result.pieces[0].volume, 1 - 0.4 * 0.3, 1e-8);
}

TEST(Cut, BladeThroughVerticesAndAlongEdgesOfTheMesh) {
  const TriangleMesh box = make_box({1, 1, 1}, 4);  // vertices at multiples of 0.25
  const CutResult result = cut(box, BladePath{{{{-0.5, -0.5, 0}, {-0.5, 0.5, 0}}, {{0.5, -0.5, 0}, {0.5, 0.5, 0}}}});
  double sum = 0;
  for (const MeshPiece& piece : result.pieces) {
    EXPECT_TRUE(inspect(piece.mesh).watertight());
    sum += piece.volume;
  }
  EXPECT_NEAR(sum, 1, 1e-12);
}

TEST(Cut, OpenMeshesHaveOpenPieces) {
  const TriangleMesh sheet = make_sheet(1, 1, 4, 4);
  const CutResult result = cut(sheet, CutPlane{{1, 0, 0}, 0.1});
  ASSERT_EQ(result.pieces.size(), 2U);
  for (const MeshPiece& piece : result.pieces) {
    EXPECT_FALSE(piece.closed);
    EXPECT_TRUE(inspect(piece.mesh).manifold());
    EXPECT_EQ(inspect(piece.mesh).boundary_loops, 1U);
  }
  EXPECT_NEAR(inspect(result.pieces[0].mesh).area, 0.6, 1e-15);
  EXPECT_NEAR(inspect(result.pieces[1].mesh).area, 0.4, 1e-15);
  const CutResult bladed = cut(sheet, BladePath{{{{0.1, -1, -1}, {0.1, 1, -1}}, {{0.1, -1, 1}, {0.1, 1, 1}}}});
  EXPECT_EQ(bladed.pieces.size(), 2U);
}

TEST(Cut, UntouchedTrianglesKeepTheirCorners) {
  const TriangleMesh ball = make_icosphere(1, 3);
  const CutResult result = cut(ball, CutPlane{{0, 0, 1}, 0.31});
  std::size_t kept = 0;
  for (const MeshPiece& piece : result.pieces) {
    for (std::size_t t = 0; t < piece.source.size(); ++t) {
      if (piece.source[t] == none) continue;
      const Triangle& was = ball.triangles[static_cast<std::size_t>(piece.source[t])];
      std::size_t same = 0;
      for (std::size_t k = 0; k < 3; ++k) {
        same += piece.mesh.positions[static_cast<std::size_t>(piece.mesh.triangles[t][k])] ==
                ball.positions[static_cast<std::size_t>(was[k])];
      }
      kept += same == 3 ? 1 : 0;
    }
  }
  EXPECT_EQ(kept + result.split_triangles, ball.triangles.size());
}

TEST(Cut, WhatCannotBeCutIsNamed) {
  const auto message = [](auto&& call) -> std::string {
    try {
      call();
    } catch (const Error& error) {
      return error.what();
    }
    return "nothing";
  };
  TriangleMesh twice = make_box({1, 1, 1});
  twice.triangles.push_back(twice.triangles[0]);
  EXPECT_NE(message([&] { cut(twice, CutPlane{}); }).find("more than two triangles"), std::string::npos);
  const TriangleMesh box = make_box({1, 1, 1});
  EXPECT_NE(message([&] { cut(box, CutPlane{{0, 0, 0}, 0}); }).find("normal"), std::string::npos);
  EXPECT_NE(message([&] { cut(box, BladePath{{{{0, 0, 0}, {1, 0, 0}}}}); }).find("1 poses"), std::string::npos);
  EXPECT_NE(message([&] {
              cut(box, BladePath{{{{0, 0, 0}, {1, 0, 0}}, {{0, 1, 0}}}});
            }).find("pose 1"),
            std::string::npos);
  const BladePath folded{{{{-1, -1, 0}, {-1, 1, 0}}, {{1, -1, 0}, {1, 1, 0}}, {{0, -1, 0}, {0, 1, 0}}}};
  EXPECT_NE(message([&] { cut(box, folded); }).find("crosses or touches itself"), std::string::npos);
  EXPECT_NE(message([&] { cut(TriangleMesh{}, CutPlane{}); }).find("no triangles"), std::string::npos);
}

}  // namespace
}  // namespace carom

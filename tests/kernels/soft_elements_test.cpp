#include "kernels/soft_elements.hpp"

#include <gtest/gtest.h>

#include <Eigen/Dense>
#include <bit>
#include <cmath>
#include <cstdint>
#include <random>
#include <vector>

#include "every_target.hpp"
#include "oracle/soup.hpp"

// Elements in vectors, on every instruction set this machine has, against one after the other, bit by bit.
namespace carom::kernels {
namespace {

class SoftElements : public testing::TestWithParam<std::int64_t> {
 protected:
  void SetUp() override { hwy::SetSupportedTargetsForTest(GetParam()); }
  void TearDown() override { hwy::SetSupportedTargetsForTest(0); }
  std::mt19937_64 random_{23};

  double number(double low, double high) { return low + (high - low) * oracle::uniform(random_); }

  static constexpr std::size_t batches = 40;

  /// Some are fixed; some coincide, so that there are elements without a volume.
  std::vector<ElementPoint> points(std::size_t count) {
    std::vector<ElementPoint> all(count);
    for (std::size_t i = 0; i < count; ++i) {
      all[i] = {number(-1, 1), number(-1, 1), number(-1, 1), number(0, 1) < 0.2 ? 0 : number(1, 1e3)};
      if (i > 0 && number(0, 1) < 0.1) all[i] = all[i - 1];
    }
    return all;
  }

  template <class Batch>
  std::vector<Batch> elements() {
    std::vector<Batch> all(batches);
    std::int32_t next = 0;
    constexpr std::size_t corners = sizeof(Batch::nodes) / sizeof(Batch::nodes[0]);
    for (Batch& batch : all) {
      for (std::size_t lane = 0; lane < element_lanes; ++lane) {
        const bool spare = &batch == &all.back() && lane > 4;
        batch.shear[lane] = spare ? 0 : number(1e-2, 1e3);
        batch.volume[lane] = spare ? 0 : number(1e-2, 1e5);
        batch.inertia[lane] = spare ? 0 : number(1, 1e6);
        batch.rate[lane] = spare ? 0 : batch.inertia[lane] * number(1, 1e5);
        batch.follow[lane] = number(0, 4);
        for (std::size_t k = 0; k < corners; ++k)
          batch.nodes[k][lane] = spare ? static_cast<std::int32_t>(batches * element_lanes * corners) : next++;
      }
    }
    return all;
  }

  template <class Batch, class Project>
  void expect_same(std::span<const Batch> all, double damping, const Project& project, const Project& reference) {
    std::vector<RestBatch> rest(all.size());
    for (RestBatch& batch : rest) {
      for (auto& row : batch.g) {
        for (auto& column : row) {
          for (double& value : column) value = number(-1, 1);
        }
      }
      for (double& value : batch.scale) value = number(1, 3);
    }
    expect_same(all, damping, project, reference, nullptr);
    expect_same(all, damping, project, reference, rest.data());
  }

  template <class Batch, class Damp>
  void expect_same_damping(std::span<const Batch> all, const Damp& damp, const Damp& reference) {
    expect_same(
        all, 1e-2, [&](auto batches, const ElementStep& step, const RestBatch*) { damp(batches, step); },
        [&](auto batches, const ElementStep& step, const RestBatch*) { reference(batches, step); }, nullptr);
  }

  template <class Batch, class Project, class Reference>
  void expect_same(std::span<const Batch> all, double damping, const Project& project, const Reference& reference,
                   const RestBatch* rest) {
    constexpr std::size_t corners = sizeof(Batch::nodes) / sizeof(Batch::nodes[0]);
    std::vector<ElementPoint> one = points(batches * element_lanes * corners + 1);
    one.back() = {};
    const std::vector<ElementPoint> before = points(one.size());
    std::vector<ElementPoint> other = one;
    const std::vector<ElementPoint> start = one;
    const std::vector<ElementPoint> ends = points(one.size());
    ElementStep step{.h = 1e-3,
                     .points = one.data(),
                     .before = before.data(),
                     .ends = ends.data(),
                     .damping = damping,
                     .inverse_size = 2};
    project(all, step, rest);
    step.points = other.data();
    reference(all, step, rest);
    std::size_t moved = 0;
    for (std::size_t i = 0; i < one.size(); ++i) {
      const double left[] = {one[i].x, one[i].y, one[i].z, one[i].inverse_mass};
      const double right[] = {other[i].x, other[i].y, other[i].z, other[i].inverse_mass};
      for (std::size_t k = 0; k < 4; ++k)
        ASSERT_EQ(std::bit_cast<std::uint64_t>(left[k]), std::bit_cast<std::uint64_t>(right[k]))
            << i << ": " << left[k] << " and " << right[k];
      ASSERT_TRUE(std::isfinite(one[i].x + one[i].y + one[i].z)) << i;
      moved += one[i].x != start[i].x ? 1 : 0;
    }
    EXPECT_GT(moved, one.size() / 2);
  }
};

INSTANTIATE_TEST_SUITE_P(OnEveryTarget, SoftElements, testing::ValuesIn(targets()),
                         [](const auto& target) { return std::string(hwy::TargetName(target.param)); });

TEST_P(SoftElements, VoxelsHaveTheBitsOfTheReference) {
  const std::vector<VoxelBatch> all = elements<VoxelBatch>();
  expect_same(std::span<const VoxelBatch>(all), 0, project_voxels, project_voxels_reference);
  expect_same_damping(std::span<const VoxelBatch>(all), damp_voxels, damp_voxels_reference);
}

TEST_P(SoftElements, TetrahedraHaveTheBitsOfTheReference) {
  std::vector<TetrahedronBatch> all = elements<TetrahedronBatch>();
  for (TetrahedronBatch& batch : all) {
    for (auto& axis : batch.gradient) {
      for (auto& g : axis) {
        for (double& value : g) value = number(-3, 3);
      }
    }
  }
  expect_same(std::span<const TetrahedronBatch>(all), 0, project_tetrahedra, project_tetrahedra_reference);
  expect_same_damping(std::span<const TetrahedronBatch>(all), damp_tetrahedra, damp_tetrahedra_reference);
}

using Eigen::Matrix3d;
using Eigen::Vector3d;

/// Energy of a voxel by points of Gauss: mu over the trilinear shape, lambda at the center.
double voxel_energy(const std::vector<Vector3d>& x, double size, double shear, double volume) {
  const auto gradient = [&](const Vector3d& t) {
    Matrix3d f = Matrix3d::Zero();
    for (std::size_t c = 0; c < 8; ++c) {
      const std::array<bool, 3> high{(c & 1) != 0, (c & 2) != 0, (c & 4) != 0};
      for (Eigen::Index k = 0; k < 3; ++k) {
        double weight = 1 / size;
        for (Eigen::Index l = 0; l < 3; ++l) {
          const bool up = high[static_cast<std::size_t>(l)];
          weight *= l == k ? (up ? 1 : -1) : (up ? t[l] : 1 - t[l]);
        }
        f.col(k) += weight * x[c];
      }
    }
    return f;
  };
  double energy = 0;
  const double offset = 0.5 / std::sqrt(3.0);
  for (int i = 0; i < 8; ++i) {
    const Vector3d t(0.5 + (i % 2 == 0 ? -offset : offset), 0.5 + (i / 2 % 2 == 0 ? -offset : offset),
                     0.5 + (i / 4 == 0 ? -offset : offset));
    energy += shear / 16 * gradient(t).squaredNorm();
  }
  const double change = gradient({0.5, 0.5, 0.5}).determinant() - 1 - shear / volume;
  return energy + 0.5 * volume * change * change;
}

/// Slow twin: with a short inner step the nodes move by h^2 times inverse mass times force, and the force is the
/// gradient of the energy, here by differences.
TEST(SoftVoxel, ForceIsTheGradientOfTheEnergy) {
  std::mt19937_64 random(5);
  const double size = 0.5;
  for (int trial = 0; trial < 50; ++trial) {
    std::vector<Vector3d> x(8);
    std::vector<ElementPoint> p(9);
    const bool inverted = trial % 5 == 4;
    for (std::size_t c = 0; c < 8; ++c) {
      x[c] = size * Vector3d(c & 1, c >> 1 & 1, c >> 2 & 1);
      if (inverted) x[c].x() = -x[c].x();
      for (int k = 0; k < 3; ++k) x[c][k] += 0.2 * (oracle::uniform(random) - 0.5);
      p[c] = {x[c].x(), x[c].y(), x[c].z(), 1 + oracle::uniform(random)};
    }
    VoxelBatch batch{};
    for (std::size_t c = 0; c < 8; ++c) {
      for (std::size_t lane = 0; lane < element_lanes; ++lane) batch.nodes[c][lane] = 8;
      batch.nodes[c][0] = static_cast<std::int32_t>(c);
    }
    batch.shear[0] = 3;
    batch.volume[0] = 7;
    batch.inertia[0] = 2 / (2 * size * size);
    batch.rate[0] = batch.inertia[0] * (2 * 3 + 3 * 7);
    batch.follow[0] = follow_of(batch.rate[0], batch.inertia[0], 3, 7);
    const double h = 1e-5;
    const std::vector<ElementPoint> ends = p;
    project_voxels(
        std::span(&batch, 1),
        {.h = h, .points = p.data(), .before = nullptr, .ends = ends.data(), .damping = 0, .inverse_size = 1 / size});
    for (std::size_t c = 0; c < 8; ++c) {
      const Vector3d moved = (Vector3d(p[c].x, p[c].y, p[c].z) - x[c]) / (h * h * p[c].inverse_mass);
      for (Eigen::Index k = 0; k < 3; ++k) {
        const double e = 1e-5;
        std::vector<Vector3d> high = x;
        std::vector<Vector3d> low = x;
        high[c][k] += e;
        low[c][k] -= e;
        const double force = -(voxel_energy(high, size, 3, 7) - voxel_energy(low, size, 3, 7)) / (2 * e);
        EXPECT_NEAR(moved[k], force, 2e-4 * (1 + std::abs(force))) << trial << " corner " << c;
      }
    }
  }
}

/// A voxel whose shape at rest is stretched has the force of one that sees F G instead of F.
TEST(SoftVoxel, ForceOfAShapeAtRestIsTheGradientOfItsEnergy) {
  std::mt19937_64 random(9);
  const double size = 0.5;
  for (int trial = 0; trial < 20; ++trial) {
    Matrix3d g = Matrix3d::Identity();
    for (Eigen::Index k = 0; k < 9; ++k) g(k / 3, k % 3) += 0.4 * (oracle::uniform(random) - 0.5);
    std::vector<Vector3d> x(8);
    std::vector<ElementPoint> p(9);
    Matrix3d map = Matrix3d::Identity();
    for (Eigen::Index k = 0; k < 9; ++k) map(k / 3, k % 3) += 0.4 * (oracle::uniform(random) - 0.5);
    // Affine: hourglass modes have a rest of their own.
    for (std::size_t c = 0; c < 8; ++c) {
      x[c] = map * (size * Vector3d(c & 1, c >> 1 & 1, c >> 2 & 1));
      p[c] = {x[c].x(), x[c].y(), x[c].z(), 1};
    }
    VoxelBatch batch{};
    RestBatch rest{};
    for (std::size_t c = 0; c < 8; ++c) {
      for (std::size_t lane = 0; lane < element_lanes; ++lane) batch.nodes[c][lane] = 8;
      batch.nodes[c][0] = static_cast<std::int32_t>(c);
    }
    for (std::size_t k = 0; k < 9; ++k)
      rest.g[k / 3][k % 3][0] = g(static_cast<Eigen::Index>(k / 3), static_cast<Eigen::Index>(k % 3));
    rest.scale[0] = 4;
    batch.shear[0] = 3;
    batch.volume[0] = 7;
    batch.inertia[0] = 2 / (2 * size * size);
    batch.rate[0] = batch.inertia[0] * (2 * 3 + 3 * 7);
    batch.follow[0] = follow_of(batch.rate[0], batch.inertia[0], 3, 7);
    const double h = 1e-5;
    const std::vector<ElementPoint> ends = p;
    project_voxels(
        std::span(&batch, 1),
        {.h = h, .points = p.data(), .before = nullptr, .ends = ends.data(), .damping = 0, .inverse_size = 1 / size},
        &rest);
    // Piola stress of F G, back through G, on the gradient of each corner's weight in the middle.
    const Matrix3d f = map * g;
    const Matrix3d stress =
        3 * f + (7 * (f.determinant() - 1) - 3) * f.determinant() * Matrix3d(f.inverse().transpose());
    const Matrix3d force = -stress * g.transpose() / (4 * size);
    for (std::size_t c = 0; c < 8; ++c) {
      const Vector3d sign((c & 1) != 0 ? 1 : -1, (c & 2) != 0 ? 1 : -1, (c & 4) != 0 ? 1 : -1);
      const Vector3d moved = (Vector3d(p[c].x, p[c].y, p[c].z) - x[c]) / (h * h);
      EXPECT_LT((moved - force * sign).norm(), 2e-4 * (1 + force.norm())) << trial << " corner " << c;
    }
  }
}

/// One element without neighbors, in inner steps without end, comes to rest from any shape.
TEST(SoftVoxel, ProjectionEndsAtRestFromAnyShape) {
  std::mt19937_64 random(6);
  const double size = 0.5;
  for (int trial = 0; trial < 40; ++trial) {
    std::vector<ElementPoint> p(9);
    for (std::size_t c = 0; c < 8; ++c)
      p[c] = {oracle::uniform(random), oracle::uniform(random), oracle::uniform(random), 1};
    VoxelBatch batch{};
    for (std::size_t c = 0; c < 8; ++c) {
      for (std::size_t lane = 0; lane < element_lanes; ++lane) batch.nodes[c][lane] = 8;
      batch.nodes[c][0] = static_cast<std::int32_t>(c);
    }
    batch.shear[0] = 10;
    batch.volume[0] = 10 * std::pow(10.0, trial % 4);
    batch.inertia[0] = 1 / (2 * size * size);
    batch.rate[0] = batch.inertia[0] * (2 * batch.shear[0] + 3 * batch.volume[0]);
    batch.follow[0] = follow_of(batch.rate[0], batch.inertia[0], batch.shear[0], batch.volume[0]);
    const auto energy = [&] {
      std::vector<Vector3d> x(8);
      for (std::size_t c = 0; c < 8; ++c) x[c] = {p[c].x, p[c].y, p[c].z};
      return voxel_energy(x, size, batch.shear[0], batch.volume[0]);
    };
    std::vector<Vector3d> rest(8);
    for (std::size_t c = 0; c < 8; ++c) rest[c] = size * Vector3d(c & 1, c >> 1 & 1, c >> 2 & 1);
    const double least = voxel_energy(rest, size, batch.shear[0], batch.volume[0]);
    for (int i = 0; i < 3000; ++i) {
      const std::vector<ElementPoint> ends = p;
      project_voxels(std::span(&batch, 1), {.h = 10,
                                            .points = p.data(),
                                            .before = nullptr,
                                            .ends = ends.data(),
                                            .damping = 0,
                                            .inverse_size = 1 / size});
    }
    EXPECT_NEAR(energy(), least, 1e-6 * least) << trial;
  }
}

}  // namespace
}  // namespace carom::kernels

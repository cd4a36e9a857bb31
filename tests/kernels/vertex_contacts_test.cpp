#include "kernels/vertex_contacts.hpp"

#include <gtest/gtest.h>

#include <bit>
#include <cmath>
#include <random>
#include <vector>

#include "every_target.hpp"
#include "oracle/soup.hpp"

// Contacts in vectors, on every instruction set this machine has, against one after the other, bit by bit.
namespace carom::kernels {
namespace {

class VertexContacts : public testing::TestWithParam<std::int64_t> {
 protected:
  void SetUp() override { hwy::SetSupportedTargetsForTest(GetParam()); }
  void TearDown() override { hwy::SetSupportedTargetsForTest(0); }

  std::mt19937_64 random_{23};
  static constexpr std::size_t count = 40;
  static constexpr std::size_t points = count * contact_lanes * 4 + 1;

  double number(double low, double high) { return low + (high - low) * oracle::uniform(random_); }

  std::vector<ClothPoint> make_points(double size) {
    std::vector<ClothPoint> all(points);
    for (ClothPoint& p : all) p = {number(-size, size), number(-size, size), number(-size, size), number(1, 1e4)};
    all.back() = {};
    return all;
  }

  /// Overlaps and gaps, at rest and sliding, some without friction, some without a contact.
  std::vector<VertexContactBatch> make_batches(int slots) {
    std::vector<VertexContactBatch> all(count);
    std::int32_t next = 0;
    for (VertexContactBatch& batch : all) {
      for (std::size_t lane = 0; lane < contact_lanes; ++lane) {
        const bool spare = &batch == &all.back() && lane > 4;
        double n[3] = {number(-1, 1), number(-1, 1), number(-1, 1)};
        const double length = std::sqrt(n[0] * n[0] + n[1] * n[1] + n[2] * n[2]);
        for (std::size_t k = 0; k < 3; ++k) {
          batch.normal[k][lane] = spare ? 0 : n[k] / length;
          batch.base[k][lane] = spare || number(0, 1) < 0.5 ? 0 : number(-1, 1);
        }
        batch.mass[lane] = spare ? 0 : number(1e-4, 1e-2);
        batch.friction[lane] = number(0, 1) < 0.2 ? 0 : number(0, 1);
        batch.gap[lane] = batch.now[lane] = number(-1e-3, 1e-3);
        batch.normal_impulse[lane] = spare || number(0, 1) < 0.5 ? 0 : number(0, 1e-3);
        for (std::size_t k = 0; k < 4; ++k) {
          const bool used = !spare && static_cast<int>(k) < slots;
          batch.vertices[k][lane] = used ? next++ : static_cast<std::int32_t>(points - 1);
          batch.weight[k][lane] = used ? number(-1, 1) : 0;
        }
      }
    }
    return all;
  }
};

INSTANTIATE_TEST_SUITE_P(OnEveryTarget, VertexContacts, testing::ValuesIn(targets()),
                         [](const auto& target) { return std::string(hwy::TargetName(target.param)); });

template <class T>
void expect_same_bits(const std::vector<T>& one, const std::vector<T>& other) {
  static_assert(sizeof(T) % sizeof(double) == 0);
  ASSERT_EQ(one.size(), other.size());
  const auto* a = reinterpret_cast<const unsigned char*>(one.data());
  const auto* b = reinterpret_cast<const unsigned char*>(other.data());
  for (std::size_t i = 0; i < one.size() * sizeof(T); ++i)
    ASSERT_EQ(a[i], b[i]) << i / sizeof(T) << ' ' << i % sizeof(T);
}

TEST_P(VertexContacts, HaveTheBitsOfTheScalarReference) {
  for (const int slots : {1, 4}) {
    std::vector<VertexContactBatch> one = make_batches(slots);
    std::vector<VertexContactBatch> other = one;
    std::vector<ClothPoint> velocities = make_points(1);
    std::vector<ClothPoint> reference = velocities;
    const std::vector<ClothPoint> start = velocities;
    const std::vector<ClothPoint> displacements = make_points(1e-3);
    VertexContactStep step{.h = 1e-3,
                           .elapsed = 3e-3,
                           .max_push_speed = 0.02,
                           .push_rate = 40,
                           .velocities = velocities.data(),
                           .displacements = displacements.data(),
                           .slots = slots};
    VertexContactStep scalar = step;
    scalar.velocities = reference.data();
    for (int sweep = 0; sweep < 3; ++sweep) {
      push_vertex_contacts(one, step);
      push_vertex_contacts_reference(other, scalar);
      expect_same_bits(one, other);
      expect_same_bits(velocities, reference);
      relax_vertex_contacts(one, step, sweep == 2);
      relax_vertex_contacts_reference(other, scalar, sweep == 2);
      expect_same_bits(one, other);
      expect_same_bits(velocities, reference);
    }
    std::size_t moved = 0;
    for (std::size_t i = 0; i < points; ++i) moved += velocities[i].x != start[i].x ? 1 : 0;
    EXPECT_GT(moved, count * contact_lanes * static_cast<std::size_t>(slots) / 4);
  }
}

TEST_P(VertexContacts, StopClosingKeepMomentumAndFrictionInItsDisc) {
  std::vector<VertexContactBatch> batches = make_batches(4);
  std::vector<ClothPoint> velocities = make_points(1);
  for (VertexContactBatch& batch : batches) {
    for (std::size_t lane = 0; lane < contact_lanes; ++lane) {
      if (batch.mass[lane] == 0) continue;
      batch.gap[lane] = batch.now[lane] = 0;
      batch.normal_impulse[lane] = 0;
      // A vertex on a face: weights of either side add up to one.
      const double w = number(0.2, 0.4);
      const double weight[4] = {-1, w, w, 1 - 2 * w};
      double inverse = 0;
      for (std::size_t k = 0; k < 4; ++k) {
        batch.weight[k][lane] = weight[k];
        inverse += weight[k] * weight[k] * velocities[static_cast<std::size_t>(batch.vertices[k][lane])].inverse_mass;
      }
      batch.mass[lane] = 1 / inverse;
      for (auto& b : batch.base) b[lane] = 0;
    }
  }
  const std::vector<ClothPoint> before = velocities;
  push_vertex_contacts(batches, {.h = 1e-3, .max_push_speed = 3, .push_rate = 40, .velocities = velocities.data()});
  for (const VertexContactBatch& batch : batches) {
    for (std::size_t lane = 0; lane < contact_lanes; ++lane) {
      if (batch.mass[lane] == 0) continue;
      double speed = 0;
      double momentum = 0;
      for (std::size_t k = 0; k < 4; ++k) {
        const auto v = static_cast<std::size_t>(batch.vertices[k][lane]);
        speed +=
            batch.weight[k][lane] * (batch.normal[0][lane] * velocities[v].x + batch.normal[1][lane] * velocities[v].y +
                                     batch.normal[2][lane] * velocities[v].z);
        momentum += (velocities[v].x - before[v].x) / velocities[v].inverse_mass;
      }
      EXPECT_GT(speed, -1e-12);
      if (batch.normal_impulse[lane] > 0) {
        EXPECT_LT(speed, 1e-12);
      }
      EXPECT_NEAR(momentum, 0, 1e-15);
      const double friction =
          std::hypot(batch.friction_impulse[0][lane], batch.friction_impulse[1][lane], batch.friction_impulse[2][lane]);
      EXPECT_LE(friction, batch.friction[lane] * batch.normal_impulse[lane] * (1 + 1e-12));
    }
  }
}

}  // namespace
}  // namespace carom::kernels

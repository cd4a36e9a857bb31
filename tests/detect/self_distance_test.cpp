#include <gtest/gtest.h>

#include <Eigen/Geometry>
#include <cmath>
#include <random>

#include "carom/mesh/surface.hpp"
#include "ccd/motion_certificate.hpp"
#include "contact/thin_contacts.hpp"
#include "detect/detection.hpp"
#include "narrow/build_contacts.hpp"

namespace carom::detection {
namespace {

using Eigen::Vector3d;

constexpr Index cells = 30;

/// Two wavy sheets of cells of size 1, one above the other. `rough` says how far from smooth and flat.
struct Layers {
  Surface surface{0, {}};
  std::vector<Vector3d> positions;

  explicit Layers(std::uint64_t seed, double rough = 1) {
    std::mt19937_64 random(seed);
    const auto off = [&] { return 0.2 * rough * std::uniform_real_distribution<double>(-1, 1)(random); };
    std::vector<Triangle> triangles;
    std::vector<Index> objects;
    for (const Index layer : {0, 1}) {
      const auto first = static_cast<Index>(positions.size());
      const auto vertex = [&](Index i, Index k) { return first + i * (cells + 1) + k; };
      for (Index i = 0; i <= cells; ++i) {
        for (Index k = 0; k <= cells; ++k) {
          const double x = i + off();
          const double y = k + off();
          positions.emplace_back(x, y, 0.8 * layer + 1.5 * rough * std::sin(0.6 * x) + off());
        }
      }
      for (Index i = 0; i < cells; ++i) {
        for (Index k = 0; k < cells; ++k) {
          triangles.push_back({vertex(i, k), vertex(i + 1, k), vertex(i + 1, k + 1)});
          triangles.push_back({vertex(i, k), vertex(i + 1, k + 1), vertex(i, k + 1)});
          objects.insert(objects.end(), 2, layer);
        }
      }
    }
    surface = Surface(positions.size(), std::move(triangles), std::move(objects));
  }

  bool same_object(const Contact& c) const {
    const auto half = static_cast<Index>(positions.size() / 2);
    return (c.vertices[0] < half) == (c.vertices[3] < half);
  }
};

struct Finder {
  Workers workers{2};
  Arena arena;
  Context context{workers, arena};
  FlatClusters flat;
  Scratch scratch;

  std::vector<Contact> contacts(const Layers& layers, std::span<const Vector3d> positions, double distance,
                                double self_distance, bool coherent, bool by_flat = false) {
    PipelineStats stats;
    find_pairs(context, {.surface = layers.surface, .positions = positions},
               {.distance = distance,
                .method = mid::Method::clusters,
                .coherent = coherent,
                .flat = by_flat ? &flat : nullptr,
                .self_distance = self_distance},
               scratch, stats);
    std::vector<Contact> found;
    narrow::build_contacts(context, layers.surface.triangles(), positions, scratch.narrow.hits, found);
    return found;
  }
};

void expect_same(std::span<const Contact> a, std::span<const Contact> b) {
  ASSERT_EQ(a.size(), b.size());
  for (std::size_t i = 0; i < a.size(); ++i) {
    EXPECT_EQ(a[i].kind, b[i].kind);
    EXPECT_EQ(a[i].vertices, b[i].vertices);
    EXPECT_EQ(a[i].distance, b[i].distance);
  }
}

std::vector<Vector3d> moved(const Layers& layers, double phase) {
  std::vector<Vector3d> positions = layers.positions;
  const Eigen::AngleAxisd turn(0.3 * phase, Vector3d(1, 2, 3).normalized());
  for (Vector3d& p : positions) p = turn * (p + 0.4 * phase * Vector3d(0, 0, std::sin(0.5 * p.y())));
  return positions;
}

/// The slow twin: everything within the longer distance, and then what is too far on one surface taken out.
TEST(SelfDistance, LeavesOutWhatIsFartherAwayOnOneSurface) {
  for (std::uint64_t seed = 1; seed <= 3; ++seed) {
    const Layers layers(seed);
    for (const bool coherent : {false, true}) {
      Finder all;
      Finder some;
      std::size_t left_out = 0;
      for (int frame = 0; frame < 6; ++frame) {
        const std::vector<Vector3d> positions = moved(layers, 0.02 * frame);
        const double self_distance = 0.3 + 0.2 * (frame % 3);
        std::vector<Contact> expected = all.contacts(layers, positions, 1.6, INFINITY, coherent);
        left_out += std::erase_if(
            expected, [&](const Contact& c) { return layers.same_object(c) && c.distance >= self_distance; });
        expect_same(expected, some.contacts(layers, positions, 1.6, self_distance, coherent));
        if (HasFailure()) return;
      }
      EXPECT_GT(left_out, 1000u);
    }
  }
}

/// Clusters that are not looked at for some calls, or never, change nothing in what carries force.
TEST(SelfDistance, FlatClustersThatAreLookedAtSeldomLoseNoForce) {
  const Layers layers(4, 0.25);
  Finder all;
  Finder some;
  const std::vector<std::uint8_t> wanted(2, 1);
  std::size_t most = 0;
  for (int frame = 0; frame < 80; ++frame) {
    const std::vector<Vector3d> positions = moved(layers, 0.01 * frame);
    const double distance = frame < 30 ? 1.4 : 0.2 + 0.02 * frame;
    some.flat.find(some.context, {.surface = layers.surface,
                                  .positions = positions,
                                  .reach = distance,
                                  .wanted = wanted,
                                  .hits = some.scratch.candidates.search.self_hits()});
    most = std::max(most, static_cast<std::size_t>(std::ranges::count(some.flat.flat(), std::uint8_t{1})));
    const auto carrying = [&](std::vector<Contact> found) {
      std::erase_if(found, [&](const Contact& c) { return !contact::carries_force(layers.surface, positions, c); });
      return found;
    };
    expect_same(carrying(all.contacts(layers, positions, distance, INFINITY, false)),
                carrying(some.contacts(layers, positions, distance, INFINITY, true, true)));
    if (HasFailure()) return;
  }
  EXPECT_GT(most, 20u);
}

/// Pairs of one surface that are not in the list are tested by their clusters, so what is certified is the same.
TEST(SelfDistance, CertificatesOfMotionSayTheSame) {
  int certified = 0;
  int refused = 0;
  for (std::uint64_t seed = 1; seed <= 2; ++seed) {
    const Layers layers(seed);
    Finder finder;
    for (double size = 0.01; size < 8; size *= 1.6) {
      std::vector<Vector3d> end = layers.positions;
      for (std::size_t v = 0; v < end.size(); ++v)
        end[v] += (2 * v < end.size() ? 1 : 0.5) * size *
                      Vector3d(0.3 * std::sin(end[v].y()), 0, std::sin(0.5 * end[v].x() + seed)) +
                  Vector3d(5, 6, 7);
      bool holds[2];
      for (const bool shorter : {false, true}) {
        const double self_distance = shorter ? 0.4 : 1.5;
        std::vector<contact::NearPair> near;
        for (const Contact& c : finder.contacts(layers, layers.positions, 1.5, self_distance, false))
          near.push_back(contact::near_pair_of(c));
        ccd::CertificateScratch scratch;
        holds[shorter ? 1 : 0] = ccd::certify_motion(finder.context,
                                                     {.surface = layers.surface,
                                                      .start = layers.positions,
                                                      .end = end,
                                                      .pairs = near,
                                                      .distance = 1.5,
                                                      .self_distance = self_distance,
                                                      .near = 4},
                                                     scratch);
        EXPECT_LE(scratch.self_motion, scratch.near_motion);
      }
      EXPECT_EQ(holds[0], holds[1]) << "seed " << seed << ", size " << size;
      ++(holds[1] ? certified : refused);
    }
  }
  EXPECT_GT(certified, 3);
  EXPECT_GT(refused, 3);
}

}  // namespace
}  // namespace carom::detection

#include "detect/flat_clusters.hpp"

#include <gtest/gtest.h>

#include <Eigen/Geometry>
#include <cmath>
#include <random>

#include "carom/mesh/surface.hpp"
#include "ccd/motion_certificate.hpp"
#include "contact/thin_contacts.hpp"
#include "detect/detection.hpp"
#include "mesh/surface_clusters.hpp"
#include "narrow/build_contacts.hpp"

namespace carom::detection {
namespace {

using Eigen::Vector3d;

struct Sheet {
  Surface surface{0, {}};
  std::vector<Vector3d> positions;
};

/// Square of n x n cells of a size, with vertices moved at random by up to `jitter` of it.
Sheet make_sheet(Index n, double cell, double jitter, std::uint64_t seed) {
  std::mt19937_64 random(seed);
  Sheet sheet;
  std::vector<Triangle> triangles;
  const auto vertex = [&](Index i, Index k) { return i * (n + 1) + k; };
  for (Index i = 0; i <= n; ++i) {
    for (Index k = 0; k <= n; ++k) {
      const auto off = [&] { return jitter * cell * (2 * std::uniform_real_distribution<double>(0, 1)(random) - 1); };
      const double x = off();
      const double y = off();
      sheet.positions.emplace_back(i * cell + x, k * cell + y, off());
    }
  }
  for (Index i = 0; i < n; ++i) {
    for (Index k = 0; k < n; ++k) {
      triangles.push_back({vertex(i, k), vertex(i + 1, k), vertex(i + 1, k + 1)});
      triangles.push_back({vertex(i, k), vertex(i + 1, k + 1), vertex(i, k + 1)});
    }
  }
  const std::size_t count = sheet.positions.size();
  sheet.surface = Surface(count, std::move(triangles), {});
  return sheet;
}

/// Rolls a sheet up around y with a radius that grows: layers lie on each other.
void roll(std::vector<Vector3d>& positions, double radius, double gap) {
  for (Vector3d& p : positions) {
    const double angle = p.x() / radius;
    const double r = radius + gap * angle / (2 * M_PI) + p.z();
    p = {r * std::sin(angle), p.y(), -r * std::cos(angle)};
  }
}

struct FlatFinder {
  Workers workers{2};
  Arena arena;
  Context context{workers, arena};
  FlatClusters flat;
  Scratch scratch;

  void find(const Sheet& sheet, std::span<const Vector3d> positions, double reach) {
    const std::vector<std::uint8_t> wanted(sheet.surface.objects().size(), 1);
    for (int i = 0; i < 4; ++i)
      flat.find(context, {.surface = sheet.surface, .positions = positions, .reach = reach, .wanted = wanted});
  }

  std::vector<narrow::Hit> pairs(const Sheet& sheet, std::span<const Vector3d> positions, double reach, bool by_flat) {
    PipelineStats stats;
    find_pairs(
        context, {.surface = sheet.surface, .positions = positions},
        {.distance = reach, .method = mid::Method::clusters, .coherent = false, .flat = by_flat ? &flat : nullptr},
        scratch, stats);
    return scratch.narrow.hits;
  }

  std::vector<Contact> carrying(const Sheet& sheet, std::span<const Vector3d> positions,
                                std::span<const narrow::Hit> hits) {
    std::vector<Contact> all;
    narrow::build_contacts(context, sheet.surface.triangles(), positions, hits, all);
    std::erase_if(all, [&](const Contact& c) { return !contact::carries_force(sheet.surface, positions, c); });
    return all;
  }

  std::size_t count() const {
    return static_cast<std::size_t>(std::count(flat.flat().begin(), flat.flat().end(), std::uint8_t{1}));
  }
};

void expect_same(std::span<const Contact> a, std::span<const Contact> b) {
  ASSERT_EQ(a.size(), b.size());
  for (std::size_t i = 0; i < a.size(); ++i) {
    EXPECT_EQ(a[i].kind, b[i].kind);
    EXPECT_EQ(a[i].vertices, b[i].vertices);
    EXPECT_EQ(a[i].distance, b[i].distance);
    EXPECT_EQ(a[i].normal, b[i].normal);
  }
}

TEST(FlatClusters, LeaveOutMostPairsOfASheetAndNoneThatCarryForce) {
  for (std::uint64_t seed = 1; seed <= 2; ++seed) {
    for (const double jitter : {0.0, 0.1, 0.3}) {
      for (const double reach : {0.5, 1.2, 2.5}) {
        const Sheet sheet = make_sheet(36, 1.0, jitter, seed);
        FlatFinder finder;
        finder.find(sheet, sheet.positions, reach);
        const auto all = finder.pairs(sheet, sheet.positions, reach, false);
        const auto left = finder.pairs(sheet, sheet.positions, reach, true);
        if (jitter < 0.3 && reach < 2) {
          EXPECT_GT(finder.count(), 20u) << "jitter " << jitter << ", reach " << reach;
          EXPECT_TRUE(all.empty() || left.size() < all.size());
        }
        expect_same(finder.carrying(sheet, sheet.positions, all), finder.carrying(sheet, sheet.positions, left));
      }
    }
  }
}

/// Rolls, waves and crumples: at every degree of folding what carries force is the same.
TEST(FlatClusters, WhatCarriesForceIsTheSameHoweverASurfaceFolds) {
  std::size_t carrying = 0;
  std::size_t flat = 0;
  for (std::uint64_t seed = 1; seed <= 2; ++seed) {
    Sheet sheet = make_sheet(40, 1.0, 0.15, seed);
    const std::vector<Vector3d> rest = sheet.positions;
    FlatFinder finder;
    finder.find(sheet, rest, 1.5);  // patches are those of the flat sheet
    for (const double radius : {40.0, 12.0, 6.0, 4.0, 2.5, 1.2, 0.6}) {
      for (const double gap : {1.0, 0.3, 0.02}) {
        std::vector<Vector3d> positions = rest;
        roll(positions, radius, gap);
        for (const double reach : {0.8, 1.5}) {
          finder.find(sheet, positions, reach);
          flat += finder.count();
          const auto all = finder.pairs(sheet, positions, reach, false);
          const auto left = finder.pairs(sheet, positions, reach, true);
          const auto full = finder.carrying(sheet, positions, all);
          carrying += full.size();
          expect_same(full, finder.carrying(sheet, positions, left));
          if (HasFailure()) return;
        }
      }
    }
    std::mt19937_64 random(seed);
    for (double size = 0.1; size < 4; size *= 1.5) {
      std::vector<Vector3d> positions = rest;
      for (Vector3d& p : positions)
        p += size * Vector3d(std::sin(0.7 * p.x() + 1.3 * p.y()), std::sin(0.9 * p.y() - 0.4 * p.x()),
                             2 * std::sin(0.8 * p.x()) * std::cos(0.5 * p.y()));
      finder.find(sheet, positions, 1.5);
      flat += finder.count();
      const auto all = finder.pairs(sheet, positions, 1.5, false);
      const auto left = finder.pairs(sheet, positions, 1.5, true);
      expect_same(finder.carrying(sheet, positions, all), finder.carrying(sheet, positions, left));
      if (HasFailure()) return;
    }
  }
  EXPECT_GT(carrying, 1000u);  // some layers do face each other
  EXPECT_GT(flat, 1000u);
}

/// Certificates with and without flat clusters say the same of any motion, and it is right.
TEST(FlatClusters, CertificatesOfMotionSayTheSame) {
  int certified = 0;
  int refused = 0;
  std::size_t apart = 0;
  for (std::uint64_t seed = 1; seed <= 3; ++seed) {
    std::mt19937_64 random(seed);
    Sheet sheet = make_sheet(30, 1.0, 0.1, seed);
    FlatFinder finder;
    constexpr double reach = 1.4;
    for (double size = 0.02; size < 8; size *= 1.7) {
      std::vector<Vector3d> end = sheet.positions;
      const Eigen::AngleAxisd turn(0.3 * std::uniform_real_distribution<double>(0, 1)(random),
                                   Vector3d(1, 2, 3).normalized());
      for (std::size_t v = 0; v < end.size(); ++v) {
        const Vector3d p = sheet.positions[v];
        // A smooth wave, and a bump that is as sharp as an edge.
        end[v] = turn * (p + size * Vector3d(0.3 * std::sin(p.y()), 0, std::sin(0.5 * p.x()))) + Vector3d(5, 6, 7);
        if (v == end.size() / 2) end[v] += 0.5 * size * Vector3d(1, 1, 0.2);
      }
      finder.find(sheet, sheet.positions, reach);
      std::vector<contact::NearPair> near[2];
      for (const bool by_flat : {false, true}) {
        std::vector<Contact> contacts;
        narrow::build_contacts(finder.context, sheet.surface.triangles(), sheet.positions,
                               finder.pairs(sheet, sheet.positions, reach, by_flat), contacts);
        for (const Contact& c : contacts) near[by_flat ? 1 : 0].push_back(contact::near_pair_of(c));
      }
      bool holds[2];
      for (const bool by_flat : {false, true}) {
        ccd::CertificateScratch scratch;
        holds[by_flat ? 1 : 0] = ccd::certify_motion(finder.context,
                                                     {.surface = sheet.surface,
                                                      .start = sheet.positions,
                                                      .end = end,
                                                      .pairs = near[by_flat ? 1 : 0],
                                                      .distance = reach,
                                                      .near = 4,
                                                      .flat = by_flat ? &finder.flat : nullptr},
                                                     scratch);
        if (by_flat)
          apart += static_cast<std::size_t>(std::count(scratch.apart.begin(), scratch.apart.end(), std::uint8_t{1}));
      }
      EXPECT_EQ(holds[0], holds[1]) << "seed " << seed << ", size " << size;
      ++(holds[1] ? certified : refused);
    }
  }
  EXPECT_GT(certified, 5);
  EXPECT_GT(refused, 5);
  EXPECT_GT(apart, 100u);
}

/// A strip that winds around an axis like a spiral staircase faces one way everywhere and lies over itself.
TEST(FlatClusters, LayersOfASpiralStaircaseAreNotFlat) {
  Sheet sheet;
  std::vector<Triangle> triangles;
  constexpr Index turns = 120;
  for (Index i = 0; i <= turns; ++i) {
    const double angle = 4 * M_PI * i / turns;
    for (const double r : {2.0, 3.0, 4.0, 5.0})
      sheet.positions.emplace_back(r * std::cos(angle), r * std::sin(angle), 0.05 * angle);
  }
  for (Index i = 0; i < turns; ++i) {
    for (Index k = 0; k < 3; ++k) {
      const Index v = 4 * i + k;
      triangles.push_back({v, v + 1, v + 5});
      triangles.push_back({v, v + 5, v + 4});
    }
  }
  const std::size_t count = sheet.positions.size();
  sheet.surface = Surface(count, std::move(triangles), {});
  FlatFinder finder;
  finder.find(sheet, sheet.positions, 0.5);
  const auto all = finder.pairs(sheet, sheet.positions, 0.5, false);
  const auto left = finder.pairs(sheet, sheet.positions, 0.5, true);
  const auto carrying = finder.carrying(sheet, sheet.positions, all);
  EXPECT_GT(carrying.size(), 100u);
  expect_same(carrying, finder.carrying(sheet, sheet.positions, left));
}

}  // namespace
}  // namespace carom::detection

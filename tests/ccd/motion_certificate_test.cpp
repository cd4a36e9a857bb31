#include "ccd/motion_certificate.hpp"

#include <gtest/gtest.h>

#include <Eigen/Geometry>
#include <algorithm>
#include <cmath>
#include <random>
#include <utility>

#include "carom/detect/detect_continuous.hpp"
#include "carom/mesh/generate.hpp"
#include "oracle/soup.hpp"

// The certificate against the exact search for impacts over all pairs: where it is given there are none.
namespace carom::ccd {
namespace {

constexpr double distance = 0.02;

struct Sheets {
  std::vector<Eigen::Vector3d> positions;
  std::vector<Triangle> triangles;
  std::vector<Index> objects;

  explicit Sheets(int layers, int segments = 12, double gap = 0.03) {
    for (int layer = 0; layer < layers; ++layer) {
      const TriangleMesh mesh = make_sheet(1, 1, segments, segments);
      const auto first = static_cast<Index>(positions.size());
      for (const Eigen::Vector3d& p : mesh.positions)
        positions.push_back(p + Eigen::Vector3d(0.01 * layer, gap * layer, 0.013 * layer));
      for (const Triangle& t : mesh.triangles) {
        triangles.push_back({t[0] + first, t[1] + first, t[2] + first});
        objects.push_back(layer);
      }
    }
  }
  Surface surface() const { return Surface(positions.size(), triangles, objects); }
};

struct Answer {
  bool certified = false;
  std::uint64_t tested = 0;
  double near_motion = 0;
  double self_motion = 0;
};

constexpr double motion_of_interest = 1e-6;

Answer certify(const Surface& surface, std::span<const Eigen::Vector3d> start, std::span<const Eigen::Vector3d> end,
               int threads = 1, double reach = distance, CertificateScratch&& scratch = {}) {
  Workers workers(threads);
  Arena arena;
  Context context{workers, arena};
  std::vector<contact::NearPair> pairs;
  for (const Contact& c : detect(surface, start, {.distance = reach, .threads = 1}))
    pairs.push_back(contact::near_pair_of(c));
  const bool certified = certify_motion(context,
                                        {.surface = surface,
                                         .start = start,
                                         .end = end,
                                         .pairs = pairs,
                                         .distance = reach,
                                         .near = 10 * reach,
                                         .motion_of_interest = motion_of_interest},
                                        scratch);
  return {certified, scratch.tested, scratch.near_motion, scratch.self_motion};
}

/// A turn by an angle about a line through a point, and a shift.
Eigen::Isometry3d turn(double angle, const Eigen::Vector3d& axis, const Eigen::Vector3d& center,
                       const Eigen::Vector3d& shift) {
  return Eigen::Translation3d(shift + center) * Eigen::AngleAxisd(angle, axis.normalized()) *
         Eigen::Translation3d(-center);
}

TEST(MotionCertificate, IsGivenForMotionInCommonHoweverFarAndTestsNothing) {
  const Sheets sheets(2);
  const Surface surface = sheets.surface();
  std::vector<Eigen::Vector3d> end = sheets.positions;
  for (Eigen::Vector3d& p : end) p += Eigen::Vector3d(0.3, -5, 0.1);
  const Answer answer = certify(surface, sheets.positions, end);
  EXPECT_TRUE(answer.certified);
  EXPECT_EQ(answer.tested, 0U);
}

TEST(MotionCertificate, IsNotGivenWhereASheetGoesThroughAnother) {
  const Sheets sheets(2);
  const Surface surface = sheets.surface();
  for (const double down : {0.031, 0.1, 3.0}) {
    std::vector<Eigen::Vector3d> end = sheets.positions;
    for (std::size_t v = end.size() / 2; v < end.size(); ++v) end[v].y() -= down;
    EXPECT_FALSE(certify(surface, sheets.positions, end).certified) << down;
  }
}

TEST(MotionCertificate, IsNeverGivenWhereTheExactSearchFindsAnImpact) {
  std::mt19937_64 random(5);
  const auto number = [&](double low, double high) { return low + (high - low) * oracle::uniform(random); };
  int given = 0;
  int tested = 0;
  int impacts = 0;
  for (int trial = 0; trial < 120; ++trial) {
    Sheets sheets(3, 8, number(0.004, 0.03));
    for (Eigen::Vector3d& p : sheets.positions)
      p += 0.001 * Eigen::Vector3d(number(-1, 1), number(-1, 1), number(-1, 1));
    const Surface surface = sheets.surface();
    // Waves, each sheet its own, on top of a motion in common: from far below what closes gaps to far beyond.
    const double size = std::pow(10.0, number(-4, -0.5));
    const Eigen::Vector3d common(number(-1, 1), number(-1, 1), number(-1, 1));
    std::vector<Eigen::Vector3d> end = sheets.positions;
    const std::size_t each = end.size() / 3;
    double phase[3];
    for (double& p : phase) p = number(0, 6);
    for (std::size_t v = 0; v < end.size(); ++v) {
      const Eigen::Vector3d& p = sheets.positions[v];
      end[v] += common + size * Eigen::Vector3d(0.3 * std::sin(4 * p.z() + phase[v / each]),
                                                std::sin(5 * p.x() + phase[v / each]), 0.2 * std::cos(6 * p.x()));
    }
    const bool some = !detect_continuous(surface, sheets.positions, end, {.threads = 1, .exact = true}).empty();
    const Answer answer = certify(surface, sheets.positions, end);
    ASSERT_FALSE(answer.certified && some) << trial << ' ' << size;
    given += answer.certified ? 1 : 0;
    tested += answer.certified && answer.tested > 0 ? 1 : 0;
    impacts += some ? 1 : 0;
    EXPECT_EQ(certify(surface, sheets.positions, end, 2).certified, answer.certified);
    // Nothing is left out that the exact search would certify: planes and clusters only come first.
    EXPECT_EQ(answer.certified, !some) << trial << ' ' << size;
  }
  EXPECT_GT(given, 20);
  EXPECT_GT(tested, 1);
  EXPECT_GT(impacts, 20);
}

TEST(MotionCertificate, TestsNothingOfABodyThatTurns) {
  const TriangleMesh torus = make_torus(1, 0.4, 32, 16);
  const Surface surface(torus.positions.size(), torus.triangles);
  // Features that have no vertex in common are 0.05 to 0.3 m apart: some are listed.
  for (const double reach : {0.02, 0.12}) {
    for (const double angle : {0.01, 0.3, 1.5, 3.0}) {
      const Eigen::Isometry3d motion = turn(angle, {1, 2, 0.5}, {3, -1, 2}, {1, -4, 2});
      std::vector<Eigen::Vector3d> end;
      for (const Eigen::Vector3d& p : torus.positions) end.push_back(motion * p);
      const Answer answer = certify(surface, torus.positions, end, 1, reach);
      EXPECT_TRUE(answer.certified) << angle;
      EXPECT_EQ(answer.tested, 0U) << angle;
      // What the bodies do as a whole brings nothing of them together.
      EXPECT_EQ(answer.near_motion, motion_of_interest) << angle;
      EXPECT_EQ(answer.self_motion, motion_of_interest) << angle;
    }
  }
}

/// So that boxes of layers overlap.
const Eigen::AngleAxisd tilt(0.6, Eigen::Vector3d(1, 0, 1).normalized());

TEST(MotionCertificate, KnowsHowLayersOfABodyThatTurnsComeTogether) {
  Sheets sheets(2, 24, 0.06);
  std::ranges::fill(sheets.objects, 0);
  const Surface surface = sheets.surface();
  for (const double angle : {0.0, 0.4, 2.0}) {
    std::vector<Eigen::Vector3d> end = sheets.positions;
    for (std::size_t v = end.size() / 2; v < end.size(); ++v) end[v].y() -= 0.004;
    const Eigen::Isometry3d motion = turn(angle, {0.2, 1, 0.4}, {0.4, 0, 0}, {0, -1, 0});
    for (Eigen::Vector3d& p : end) p = motion * p;
    std::vector<Eigen::Vector3d> start = sheets.positions;
    for (auto* list : {&start, &end}) {
      for (Eigen::Vector3d& p : *list) p = tilt * p;
    }
    const Answer answer = certify(surface, start, end);
    EXPECT_TRUE(answer.certified) << angle;
    EXPECT_NEAR(answer.near_motion, 0.004, 2e-4) << angle;
    EXPECT_NEAR(answer.self_motion, 0.004, 2e-4) << angle;
  }
}

TEST(MotionCertificate, CountsTheTurnOfABodyAgainstOthers) {
  const Sheets sheets(2, 24, 0.06);
  const Surface surface = sheets.surface();
  std::vector<Eigen::Vector3d> start = sheets.positions;
  std::vector<Eigen::Vector3d> end = start;
  const Eigen::Isometry3d motion = turn(0.03, {0, 1, 0}, {0.5, 0, 0.5}, {0, 0, 0});
  for (std::size_t v = end.size() / 2; v < end.size(); ++v) end[v] = motion * end[v];
  for (auto* list : {&start, &end}) {
    for (Eigen::Vector3d& p : *list) p = tilt * p;
  }
  const Answer answer = certify(surface, start, end);
  EXPECT_TRUE(answer.certified);
  EXPECT_GE(answer.near_motion, 0.03 * 0.6);
  EXPECT_EQ(answer.self_motion, motion_of_interest);
}

TEST(MotionCertificate, ForgetsWhatWasFastWhereItIsFarAway) {
  const Sheets sheets(2);
  const Surface surface = sheets.surface();
  std::vector<Eigen::Vector3d> end = sheets.positions;
  for (std::size_t v = end.size() / 2; v < end.size(); ++v) end[v].y() += 0.005;
  const Answer fresh = certify(surface, sheets.positions, end);
  // Layers that are apart do not count for motion, whatever an earlier call found.
  for (std::uint32_t one = 0; one < 10; ++one) {
    for (std::uint32_t other = 10; other < 50; ++other) {
      CertificateScratch scratch;
      scratch.fastest.fill({one, other});
      const Answer answer = certify(surface, sheets.positions, end, 1, distance, std::move(scratch));
      EXPECT_EQ(answer.near_motion, fresh.near_motion);
      EXPECT_EQ(answer.self_motion, fresh.self_motion);
    }
  }
}

TEST(MotionCertificate, IsNeverGivenWhereLayersOfABodyThatTurnsMeet) {
  std::mt19937_64 random(7);
  const auto number = [&](double low, double high) { return low + (high - low) * oracle::uniform(random); };
  int given = 0;
  int by_bounds = 0;
  int differing = 0;
  int impacts = 0;
  for (int trial = 0; trial < 100; ++trial) {
    Sheets sheets(3, 6, number(0.01, 0.06));
    std::ranges::fill(sheets.objects, 0);
    for (Eigen::Vector3d& p : sheets.positions)
      p += 0.001 * Eigen::Vector3d(number(-1, 1), number(-1, 1), number(-1, 1));
    const Surface surface = sheets.surface();
    // Waves, each layer its own, then all turn about an axis that may be far away.
    const double size = std::pow(10.0, number(-4, -0.8));
    const Eigen::Isometry3d motion = turn(number(0, 3), {number(-1, 1), number(-1, 1), number(-1, 1)},
                                          {number(-2, 2), number(-2, 2), number(-2, 2)}, {0, number(-1, 1), 0});
    std::vector<Eigen::Vector3d> end = sheets.positions;
    const std::size_t each = end.size() / 3;
    double phase[3];
    for (double& p : phase) p = number(0, 6);
    for (std::size_t v = 0; v < end.size(); ++v) {
      const Eigen::Vector3d& p = sheets.positions[v];
      end[v] = motion * (p + size * Eigen::Vector3d(0.3 * std::sin(4 * p.z() + phase[v / each]),
                                                    std::sin(5 * p.x() + phase[v / each]), 0.2 * std::cos(6 * p.x())));
    }
    const bool some = !detect_continuous(surface, sheets.positions, end, {.threads = 1, .exact = true}).empty();
    const Answer answer = certify(surface, sheets.positions, end);
    ASSERT_FALSE(answer.certified && some) << trial << ' ' << size;
    EXPECT_EQ(answer.certified, !some) << trial << ' ' << size;
    EXPECT_EQ(certify(surface, sheets.positions, end, 2).near_motion, answer.near_motion);
    // Pairs that were the fastest in another call change nothing.
    CertificateScratch other;
    const auto some_cluster = [&] { return static_cast<std::uint32_t>(number(0, 50)); };
    for (auto& pair : other.fastest) pair = {some_cluster(), some_cluster()};
    const Answer again = certify(surface, sheets.positions, end, 1, distance, std::move(other));
    EXPECT_EQ(again.certified, answer.certified);
    EXPECT_EQ(again.near_motion, answer.near_motion);
    EXPECT_EQ(again.self_motion, answer.self_motion);
    differing += answer.near_motion != answer.self_motion ? 1 : 0;
    given += answer.certified ? 1 : 0;
    by_bounds += answer.certified && answer.tested == 0 ? 1 : 0;
    impacts += some ? 1 : 0;
  }
  EXPECT_GT(given, 20);
  EXPECT_GT(by_bounds, 10);
  EXPECT_GT(differing, 10);
  EXPECT_GT(impacts, 20);
}

TEST(MotionCertificate, KnowsThatATurnBringsThingsTogetherHalfway) {
  // Turned by an angle a along straight paths, a body is smaller by cos(a / 2) halfway: what would not close a gap
  // closes that.
  Sheets sheets(2, 6, 0.05);
  std::ranges::fill(sheets.objects, 0);
  const Surface surface = sheets.surface();
  int impacts = 0;
  for (const double angle : {0.5, 1.0, 2.0, 2.5, 2.9, 3.1}) {
    for (const double closed : {0.1, 0.2, 0.4, 0.6, 0.8, 0.95}) {
      // At the end upper vertices are nearer, in the middle they go past the lower ones.
      std::vector<Eigen::Vector3d> end = sheets.positions;
      for (std::size_t v = end.size() / 2; v < end.size(); ++v) end[v].y() -= 0.05 * closed;
      const Eigen::Isometry3d motion = turn(angle, {1, 0, 0.1}, {0.5, 0, 0.5}, {0, 0, 0});
      for (Eigen::Vector3d& p : end) p = motion * p;
      const bool some = !detect_continuous(surface, sheets.positions, end, {.threads = 1, .exact = true}).empty();
      EXPECT_EQ(certify(surface, sheets.positions, end).certified, !some) << angle << ' ' << closed;
      impacts += some ? 1 : 0;
    }
  }
  EXPECT_GT(impacts, 5);
}

}  // namespace
}  // namespace carom::ccd

#include "ccd/motion_certificate.hpp"

#include <gtest/gtest.h>

#include <cmath>
#include <random>

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
};

Answer certify(const Surface& surface, std::span<const Eigen::Vector3d> start, std::span<const Eigen::Vector3d> end,
               int threads = 1) {
  Workers workers(threads);
  Arena arena;
  Context context{workers, arena};
  CertificateScratch scratch;
  std::vector<contact::NearPair> pairs;
  for (const Contact& c : detect(surface, start, {.distance = distance, .threads = 1}))
    pairs.push_back(contact::near_pair_of(c));
  const bool certified = certify_motion(
      context, {.surface = surface, .start = start, .end = end, .pairs = pairs, .distance = distance}, scratch);
  return {certified, scratch.tested};
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

}  // namespace
}  // namespace carom::ccd

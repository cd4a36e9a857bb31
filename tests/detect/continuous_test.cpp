#include <gtest/gtest.h>

#include <Eigen/Geometry>
#include <set>

#include "carom/core/error.hpp"
#include "carom/detect/detect_continuous.hpp"
#include "carom/mesh/generate.hpp"
#include "oracle/soup_gen.hpp"

namespace carom {
namespace {

using Points = std::vector<Eigen::Vector3d>;

/// Every vertex against every triangle and every edge against every edge, one by one.
std::vector<MovingContact> brute_force(const oracle::Soup& soup, const Points& end, double distance, PairScope scope) {
  std::vector<Index> object(soup.positions.size(), none);
  std::set<Edge> edges;
  for (std::size_t t = 0; t < soup.triangles.size(); ++t) {
    for (std::size_t k = 0; k < 3; ++k) {
      const Index from = soup.triangles[t][k];
      const Index to = soup.triangles[t][(k + 1) % 3];
      object[static_cast<std::size_t>(from)] = soup.object_of_triangle[t];
      if (from != to) edges.insert({std::min(from, to), std::max(from, to)});
    }
  }
  const auto wanted = [&](Index a, Index b) {
    const bool same = object[static_cast<std::size_t>(a)] == object[static_cast<std::size_t>(b)];
    return scope == PairScope::all || same == (scope == PairScope::self);
  };
  std::vector<MovingContact> contacts;
  const auto test = [&](ContactKind kind, const Edge& a, const Edge& b, const std::array<Index, 4>& vertices) {
    FeatureMotion motion;
    for (std::size_t k = 0; k < 4; ++k) {
      motion.start[k] = soup.positions[static_cast<std::size_t>(vertices[k])];
      motion.end[k] = end[static_cast<std::size_t>(vertices[k])];
    }
    const Impact impact = first_impact(kind, motion, {.separation = distance});
    if (impact.collides) contacts.push_back({kind, a, b, vertices, impact});
  };
  for (std::size_t v = 0; v < soup.positions.size(); ++v) {
    const auto vertex = static_cast<Index>(v);
    if (object[v] == none) continue;
    for (std::size_t t = 0; t < soup.triangles.size(); ++t) {
      const auto& [a, b, c] = soup.triangles[t];
      if (vertex == a || vertex == b || vertex == c || !wanted(vertex, a)) continue;
      test(ContactKind::vertex_face, {vertex, none}, {static_cast<Index>(t), none}, {vertex, a, b, c});
    }
  }
  for (const Edge& a : edges) {
    for (const Edge& b : edges) {
      if (!(a < b) || a[0] == b[0] || a[0] == b[1] || a[1] == b[0] || a[1] == b[1] || !wanted(a[0], b[0])) continue;
      test(ContactKind::edge_edge, a, b, {a[0], a[1], b[0], b[1]});
    }
  }
  std::stable_sort(contacts.begin(), contacts.end(), [](const MovingContact& left, const MovingContact& right) {
    return left.impact.time < right.impact.time;
  });
  return contacts;
}

/// Of the twin's contacts those may be missing that are within the tolerance of one and not certain: that boxes stay
/// apart is certain.
void expect_same(const std::vector<MovingContact>& found, const std::vector<MovingContact>& expected) {
  std::size_t i = 0;
  for (const MovingContact& twin : expected) {
    const bool same = i < found.size() && found[i].kind == twin.kind && found[i].a == twin.a && found[i].b == twin.b;
    if (!same && twin.impact.tolerance > 0) continue;
    ASSERT_TRUE(same) << "a pair is missing, at " << twin.impact.time << ": " << twin.vertices[0] << ' '
                      << twin.vertices[1] << ' ' << twin.vertices[2] << ' ' << twin.vertices[3];
    ASSERT_EQ(found[i].vertices, twin.vertices);
    ASSERT_EQ(found[i].impact.time, twin.impact.time);
    // What is in contact from the start is measured by other formulas.
    if (twin.impact.time > 0) {
      ASSERT_EQ(found[i].impact.weights, twin.impact.weights);
      ASSERT_EQ(found[i].impact.normal, twin.impact.normal);
    }
    ++i;
  }
  ASSERT_EQ(i, found.size()) << "a pair too many";
}

TEST(DetectContinuous, FindsWhatBruteForceFindsInAnySoupThatMoves) {
  std::size_t total = 0;
  std::array<DetectScratch, 2> scratch;
  EXPECT_TRUE(rc::check("every step as the twin", [&] {
    const auto [soup, size] = oracle::draw_soup(8);
    const Surface surface(soup.positions.size(), soup.triangles, soup.object_of_triangle);
    const double distance = size * *rc::gen::element(0.0, 0.0, 0.1, 1.0);
    const double step = size * *rc::gen::element(0.0, 1e-3, 0.1, 3.0, 100.0);
    std::mt19937_64 random(*rc::gen::arbitrary<std::uint64_t>());
    const bool together = *rc::gen::arbitrary<bool>();
    Points end = soup.positions;
    Eigen::Vector3d shift = Eigen::Vector3d::Zero();
    for (std::size_t v = 0; v < end.size(); ++v) {
      if (!together || v % 12 == 0) {
        const double x = oracle::uniform(random) - 0.5;
        const double y = oracle::uniform(random) - 0.5;
        shift = step * Eigen::Vector3d(x, y, oracle::uniform(random) - 0.5);
      }
      end[v] += shift;
    }
    for (const PairScope scope : {PairScope::all, PairScope::between, PairScope::self}) {
      const auto expected = brute_force(soup, end, distance, scope);
      total += expected.size();
      for (const char* method : {"bvh", "bvh14"}) {
        for (std::size_t i = 0; i < 2; ++i) {
          std::vector<MovingContact> found;
          PipelineStats stats;
          detect_continuous(
              surface, soup.positions, end,
              {.distance = distance, .pairs = scope, .method = method, .threads = 1 + static_cast<int>(i)}, scratch[i],
              found, stats);
          expect_same(found, expected);
          for (const Stage stage : {Stage::broad, Stage::mid, Stage::narrow})
            EXPECT_EQ(stats[stage].in - stats[stage].culled_total(), stats[stage].out) << to_string(stage);
        }
      }
    }
    RC_ASSERT(!testing::Test::HasFailure());
  }));
  EXPECT_GT(total, 5'000U);
}

/// Two balls of 320 triangles each and a step that is slow, so that pairs are watched, or fast.
TEST(DetectContinuous, FindsWhatBruteForceFindsFromStepToStep) {
  oracle::Soup soup;
  for (int i = 0; i < 2; ++i) {
    const TriangleMesh ball = make_icosphere(1, 2);
    const auto offset = static_cast<Index>(soup.positions.size());
    for (const Eigen::Vector3d& p : ball.positions)
      soup.positions.emplace_back(p + Eigen::Vector3d(2.02 * i, 0.1 * i, 0));
    for (const Triangle& t : ball.triangles) soup.triangles.push_back({t[0] + offset, t[1] + offset, t[2] + offset});
    soup.object_of_triangle.resize(soup.triangles.size(), i);
  }
  const Surface surface(soup.positions.size(), soup.triangles, soup.object_of_triangle);
  for (const double speed : {0.004, 0.3}) {
    DetectScratch scratch;
    Points start = soup.positions;
    std::size_t total = 0;
    int watched = 0;
    int moving = 0;
    std::size_t at_zero = 0;
    for (int step = 0; step < 8; ++step) {
      Points end = start;
      for (std::size_t v = 0; v < end.size(); ++v) {
        const double side = v < end.size() / 2 ? 1 : -1;
        end[v] += speed * Eigen::Vector3d(side, 0.2 * std::sin(4 * end[v].z() + step), 0.1 * side * end[v].y());
      }
      oracle::Soup now = soup;
      now.positions = start;
      std::vector<MovingContact> found;
      PipelineStats stats;
      detect_continuous(surface, start, end, {.distance = 0.001, .threads = 2}, scratch, found, stats);
      const auto expected = brute_force(now, end, 0.001, PairScope::all);
      ASSERT_NO_FATAL_FAILURE(expect_same(found, expected)) << "step " << step;
      // What is in contact at the start is an impact at time 0, with the same normal.
      const std::vector<Contact> at_start = detect(surface, start, {.distance = 0.001, .threads = 1});
      for (const Contact& contact : at_start) {
        const auto same = [&](const MovingContact& other) {
          return other.kind == contact.kind && other.a == contact.a && other.b == contact.b;
        };
        const auto impact = std::find_if(found.begin(), found.end(), same);
        ASSERT_NE(impact, found.end());
        ASSERT_EQ(impact->impact.time, 0);
        ASSERT_EQ(impact->impact.normal, contact.normal);
      }
      at_zero += at_start.size();
      total += expected.size();
      watched += stats[Stage::mid].counted().empty() ? 0 : 1;
      for (const Culled& culled : stats[Stage::narrow].culled()) moving += culled.reason == "moving box" ? 1 : 0;
      start = end;
    }
    EXPECT_GT(total, 5U) << speed;
    EXPECT_GT(total, at_zero) << speed;
    EXPECT_TRUE(speed > 0.1 || watched > 0);
    EXPECT_EQ(moving, 8);
  }
}

TEST(DetectContinuous, SeesABulletOfAnySpeedPassThroughASheet) {
  const TriangleMesh sheet = make_sheet(1, 1, 8, 8);
  oracle::Soup soup{sheet.positions, sheet.triangles, std::vector<Index>(sheet.triangles.size(), 0)};
  const auto first = static_cast<Index>(soup.positions.size());
  for (const Eigen::Vector3d& p :
       {Eigen::Vector3d(0.03, 0.2, 0.01), Eigen::Vector3d(0.05, 0.2, 0.01), Eigen::Vector3d(0.03, 0.2, 0.04)})
    soup.positions.push_back(p);
  soup.triangles.push_back({first, first + 1, first + 2});
  soup.object_of_triangle.push_back(1);
  const Surface surface(soup.positions.size(), soup.triangles, soup.object_of_triangle);
  for (const double speed : {0.3, 1.0, 1e3, 1e9, 1e20}) {
    Points end = soup.positions;
    for (std::size_t v = static_cast<std::size_t>(first); v < end.size(); ++v) end[v].y() -= speed;
    const auto contacts = detect_continuous(surface, soup.positions, end, {.pairs = PairScope::between, .threads = 1});
    ASSERT_FALSE(contacts.empty()) << speed;
    EXPECT_LE(contacts[0].impact.time, 0.2 / speed);
    EXPECT_GE(contacts[0].impact.time, 0.2 / speed - 2e-6);
    for (std::size_t i = 1; i < contacts.size(); ++i)
      EXPECT_GE(contacts[i].impact.time, contacts[i - 1].impact.time) << "the earliest first";
  }
}

TEST(DetectContinuous, NamesWhatIsWrong) {
  const TriangleMesh mesh = make_icosphere(1, 0);
  const Surface surface(mesh.positions.size(), mesh.triangles);
  Points end = mesh.positions;
  const auto message = [&](const DetectContinuousOptions& options) -> std::string {
    try {
      (void)detect_continuous(surface, mesh.positions, end, options);
    } catch (const Error& error) {
      return error.what();
    }
    return "";
  };
  EXPECT_EQ(message({}), "");
  EXPECT_NE(message({.distance = -1}).find("distance is -1"), std::string::npos);
  EXPECT_NE(message({.method = "grid"}).find("method grid"), std::string::npos);
  EXPECT_NE(message({.tolerance = NAN}).find("tolerance"), std::string::npos);
  EXPECT_NE(message({.distance = 0.1, .exact = true}).find("exact"), std::string::npos);
  end[7].x() = NAN;
  EXPECT_NE(message({}).find("vertex 7 at the end of the step"), std::string::npos);
  end.pop_back();
  EXPECT_NE(message({}).find("positions at the end"), std::string::npos);
}

}  // namespace
}  // namespace carom

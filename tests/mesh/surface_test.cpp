#include "carom/mesh/surface.hpp"

#include <fmt/format.h>
#include <gtest/gtest.h>
#include <rapidcheck/gtest.h>

#include <map>
#include <set>

#include "carom/core/error.hpp"
#include "carom/detect/detect.hpp"
#include "carom/mesh/generate.hpp"
#include "oracle/live.hpp"
#include "oracle/soup.hpp"

namespace carom {
namespace {

constexpr Triangle dead{none, none, none};

Edge edge_of(const Triangle& t, std::size_t k) {
  return {std::min(t[k], t[(k + 1) % 3]), std::max(t[k], t[(k + 1) % 3])};
}

/// Every vertex in use and every edge has one owner, which has it; the corner lists name each corner
/// of a live triangle once, at its vertex. Said as text so that it can be asserted on.
std::string defect(const Surface& surface) {
  std::map<Index, int> vertex_owners;
  std::map<Edge, int> edge_owners;
  std::map<Index, std::multiset<Index>> corners;
  std::size_t live = 0;
  for (std::size_t t = 0; t < surface.triangles().size(); ++t) {
    const Triangle& triangle = surface.triangles()[t];
    const std::uint8_t owned = surface.owned()[t];
    if (triangle == dead) {
      if (owned != 0) return fmt::format("dead triangle {} owns something", t);
      continue;
    }
    ++live;
    for (std::size_t k = 0; k < 3; ++k) {
      corners[triangle[k]].insert(static_cast<Index>(3 * t + k));
      vertex_owners[triangle[k]] += owns_vertex(owned, k) ? 1 : 0;
      const Edge edge = edge_of(triangle, k);
      if (edge[0] == edge[1]) {
        if (owns_edge(owned, k)) return fmt::format("triangle {} owns the edge from a vertex to itself", t);
      } else {
        edge_owners[edge] += owns_edge(owned, k) ? 1 : 0;
      }
    }
    if (surface.objects()[static_cast<std::size_t>(surface.object_index_of_triangle()[t])] !=
        surface.object_of_triangle()[t])
      return fmt::format("triangle {} has the wrong object index", t);
  }
  if (live != surface.live_triangle_count()) return "live_triangle_count is wrong";
  for (const auto& [vertex, owners] : vertex_owners)
    if (owners != 1) return fmt::format("vertex {} has {} owners", vertex, owners);
  for (const auto& [edge, owners] : edge_owners)
    if (owners != 1) return fmt::format("edge {}-{} has {} owners", edge[0], edge[1], owners);
  for (Index v = 0; v < static_cast<Index>(surface.vertex_count()); ++v) {
    std::multiset<Index> listed;
    for (Index c = surface.first_corner(v); c != none; c = surface.next_corner(c)) {
      listed.insert(c);
      if (listed.size() > 3 * surface.triangles().size()) return fmt::format("the list of vertex {} has no end", v);
    }
    if (listed != corners[v]) return fmt::format("the corners of vertex {} are wrong", v);
  }
  return "";
}

/// A structure that follows edits from what AppliedEdit says alone.
struct Follower {
  explicit Follower(const Surface& s)
      : revision(s.revision()),
        triangles(s.triangles().begin(), s.triangles().end()),
        owned(s.owned().begin(), s.owned().end()) {}

  void follow(const Surface& s) {
    const AppliedEdit& edit = s.last_edit();
    ASSERT_EQ(edit.before, revision);
    ASSERT_NE(s.revision(), revision);
    revision = s.revision();
    for (const Index t : edit.removed) {
      triangles[static_cast<std::size_t>(t)] = dead;
      owned[static_cast<std::size_t>(t)] = 0;
    }
    triangles.resize(s.triangles().size(), dead);
    owned.resize(s.triangles().size(), 0);
    for (const std::vector<Index>& list : {edit.added, edit.reowned}) {
      for (const Index t : list) {
        triangles[static_cast<std::size_t>(t)] = s.triangles()[static_cast<std::size_t>(t)];
        owned[static_cast<std::size_t>(t)] = s.owned()[static_cast<std::size_t>(t)];
      }
    }
    EXPECT_TRUE(std::equal(triangles.begin(), triangles.end(), s.triangles().begin(), s.triangles().end()));
    EXPECT_TRUE(std::equal(owned.begin(), owned.end(), s.owned().begin(), s.owned().end()));
  }

  std::uint64_t revision;
  std::vector<Triangle> triangles;
  std::vector<std::uint8_t> owned;
};

/// Random surfaces with few vertices, so that edges and vertices are shared by many triangles. An
/// object keeps to its own vertices: those with the same remainder by the number of objects.
class RandomEdits {
 public:
  RandomEdits(std::uint64_t seed, Index objects) : random_(seed), objects_(objects) {}

  Index below(Index n) { return static_cast<Index>(oracle::uniform(random_) * n); }

  std::pair<Triangle, Index> triangle(std::size_t vertex_count) {
    const Index object = below(objects_);
    Triangle t;
    const auto choices =
        static_cast<Index>((vertex_count - static_cast<std::size_t>(object) - 1) / static_cast<std::size_t>(objects_)) +
        1;
    for (Index& corner : t) corner = object + objects_ * below(choices);
    return {t, 10 * object};
  }

  SurfaceEdit edit(const Surface& surface) {
    SurfaceEdit edit;
    const oracle::Live live = oracle::live(surface);
    const int how = below(4);
    for (const Index number : live.number)
      if (below(10) < (how == 0 ? 8 : 1)) edit.removed.push_back(number);
    edit.new_vertices = static_cast<std::size_t>(below(3));
    for (Index i = below(how == 1 ? 30 : 4); i > 0; --i) {
      const auto [t, object] = triangle(surface.vertex_count() + edit.new_vertices);
      edit.added.push_back(t);
      edit.added_object.push_back(object);
    }
    return edit;
  }

  std::vector<Eigen::Vector3d> positions(std::size_t count) {
    std::vector<Eigen::Vector3d> result(count);
    for (auto& p : result) p = {oracle::uniform(random_), oracle::uniform(random_), oracle::uniform(random_)};
    return result;
  }

 private:
  std::mt19937_64 random_;
  Index objects_;
};

RC_GTEST_PROP(SurfaceEditProperty, AnySequenceOfEditsKeepsOneOwnerAndTheSameContacts, (std::uint64_t seed)) {
  const auto objects = *rc::gen::inRange<Index>(1, 4);
  const auto steps = *rc::gen::inRange(1, 8);
  RandomEdits random(seed, objects);
  Surface surface(12, {});
  Follower follower(surface);
  DetectScratch scratch;
  std::vector<Contact> contacts;
  PipelineStats stats;
  for (int step = 0; step < steps; ++step) {
    surface.edit(random.edit(surface));
    follower.follow(surface);
    RC_ASSERT(!::testing::Test::HasFailure());
    RC_ASSERT(defect(surface) == "");

    const std::vector<Eigen::Vector3d> positions = random.positions(surface.vertex_count());
    const oracle::Live live = oracle::live(surface);
    const Surface fresh(surface.vertex_count(), live.triangles, live.object_of_triangle);
    for (const PairScope scope : {PairScope::all, PairScope::between, PairScope::self}) {
      const auto expected = oracle::brute_force(surface, positions, 0.2, scope);
      for (const std::string_view method : detect_methods()) {
        const DetectOptions options{.distance = 0.2, .pairs = scope, .method = std::string(method), .threads = 1};
        detect(surface, positions, options, scratch, contacts, stats);
        RC_LOG() << method << ", scope " << static_cast<int>(scope) << ", step " << step << "\n";
        RC_ASSERT(oracle::as_pairs(contacts) == expected);
        auto of_fresh = oracle::as_pairs(detect(fresh, positions, options));
        for (oracle::Pair& pair : of_fresh) {
          if (pair.kind == ContactKind::vertex_face) pair.b[0] = live.number[static_cast<std::size_t>(pair.b[0])];
        }
        RC_ASSERT(of_fresh == expected);
      }
    }
  }
}

RC_GTEST_PROP(SurfaceEditProperty, UpdateGivesTheListsWhateverWasThere, (std::uint64_t seed)) {
  const auto objects = *rc::gen::inRange<Index>(1, 4);
  RandomEdits random(seed, objects);
  Surface surface(9, {});
  Follower follower(surface);
  for (int step = 0; step < 6; ++step) {
    // From where it is: a few entries change, some come or go at the end, now and then there are holes.
    if (random.below(3) == 0) {
      surface.edit(random.edit(surface));
      follower.follow(surface);
    }
    const auto vertex_count = static_cast<std::size_t>(6 + random.below(8));
    std::vector<Triangle> triangles(surface.triangles().begin(), surface.triangles().end());
    std::vector<Index> object(surface.object_of_triangle().begin(), surface.object_of_triangle().end());
    triangles.resize(static_cast<std::size_t>(random.below(40)), dead);
    object.resize(triangles.size(), 0);
    for (std::size_t i = 0; i < triangles.size(); ++i) {
      const bool in_range = std::all_of(triangles[i].begin(), triangles[i].end(), [&](Index corner) {
        return corner != none && static_cast<std::size_t>(corner) < vertex_count;
      });
      if (!in_range || random.below(12) == 0) std::tie(triangles[i], object[i]) = random.triangle(vertex_count);
      if (random.below(12) == 0) triangles[i] = dead;
    }
    const std::uint64_t before = surface.revision();
    surface.update(vertex_count, triangles, object);
    if (surface.revision() != before) follower.follow(surface);
    RC_ASSERT(!::testing::Test::HasFailure());
    RC_ASSERT(surface.vertex_count() == vertex_count);
    RC_ASSERT(std::equal(triangles.begin(), triangles.end(), surface.triangles().begin(), surface.triangles().end()));
    for (std::size_t i = 0; i < triangles.size(); ++i)
      RC_ASSERT(is_dead(triangles[i]) || object[i] == surface.object_of_triangle()[i]);
    RC_ASSERT(surface.live_triangle_count() ==
              triangles.size() - static_cast<std::size_t>(std::count_if(triangles.begin(), triangles.end(), is_dead)));
    RC_ASSERT(defect(surface) == "");
    const std::uint64_t revision = surface.revision();
    surface.update(vertex_count, triangles, object);
    RC_ASSERT(surface.revision() == revision);
  }
}

TEST(SurfaceEdit, AddedTrianglesTakeTheLowestHolesFirst) {
  Surface surface(6, {{0, 1, 2}, {1, 2, 3}, {2, 3, 4}, {3, 4, 5}});
  EXPECT_TRUE(surface.edit({.removed = {3, 1}}).empty());
  EXPECT_EQ(surface.triangles()[1], dead);
  EXPECT_EQ(surface.live_triangle_count(), 2U);
  const auto added =
      surface.edit({.removed = {0}, .added = {{0, 1, 4}, {0, 2, 4}, {0, 3, 6}, {1, 3, 6}}, .new_vertices = 1});
  EXPECT_EQ(std::vector<Index>(added.begin(), added.end()), (std::vector<Index>{0, 1, 3, 4}));
  EXPECT_EQ(surface.triangles()[3], (Triangle{0, 3, 6}));
  EXPECT_EQ(surface.vertex_count(), 7U);
}

TEST(SurfaceEdit, ALocalEditLeavesTheOwnersOfTheRestAlone) {
  const TriangleMesh sheet = make_sheet(1, 1, 20, 20);
  Surface surface(sheet.positions.size(), sheet.triangles);
  const std::vector<std::uint8_t> before(surface.owned().begin(), surface.owned().end());
  surface.edit({.removed = {400}});
  EXPECT_EQ(surface.last_edit().removed, std::vector<Index>{400});
  const std::set<Index> reowned(surface.last_edit().reowned.begin(), surface.last_edit().reowned.end());
  EXPECT_LE(reowned.size(), 6U) << "it had three vertices and three edges";
  for (std::size_t t = 0; t < before.size(); ++t) {
    if (t == 400 || reowned.contains(static_cast<Index>(t))) continue;
    EXPECT_EQ(surface.owned()[t], before[t]) << t;
  }
  EXPECT_EQ(defect(surface), "");
}

TEST(SurfaceEdit, RevisionsNameContents) {
  Surface surface(3, {{0, 1, 2}});
  const Surface copy = surface;
  EXPECT_EQ(copy.revision(), surface.revision());
  EXPECT_NE(Surface(3, {{0, 1, 2}}).revision(), surface.revision());
  EXPECT_EQ(surface.last_edit().before, 0U);
  surface.edit({});
  EXPECT_NE(copy.revision(), surface.revision());
  EXPECT_EQ(surface.last_edit().before, copy.revision());
}

TEST(SurfaceEdit, AnObjectThatIsGoneMakesNoPairs) {
  const std::vector<Eigen::Vector3d> points{{0, 0, 0}, {1, 0, 0}, {0, 1, 0}, {0, 0, 0.1}, {1, 0, 0.1}, {0, 1, 0.1}};
  Surface surface(6, {{0, 1, 2}, {3, 4, 5}}, {0, 1});
  DetectScratch scratch;
  std::vector<Contact> contacts;
  PipelineStats stats;
  detect(surface, points, {.distance = 0.2}, scratch, contacts, stats);
  EXPECT_FALSE(contacts.empty());
  surface.edit({.removed = {1}});
  detect(surface, points, {.distance = 0.2}, scratch, contacts, stats);
  EXPECT_TRUE(contacts.empty());
  EXPECT_EQ(stats[Stage::bounds].in, 1U);
  EXPECT_EQ(stats[Stage::broad].in, 1U) << "the other object with itself";
  EXPECT_EQ(surface.objects().size(), 2U);
}

/// Positions so far out that their boxes reach beyond single precision: an empty box must not seem
/// to overlap even these.
TEST(SurfaceEdit, DeadTrianglesMeetNothingHoweverLargeItIs) {
  const std::vector<Eigen::Vector3d> points{{-1e300, -1e300, -1e300}, {1e300, 0, 0}, {0, 1e300, 1e300}, {0, 0, 0}};
  Surface surface(4, {{0, 1, 2}, {1, 2, 3}, {0, 1, 3}}, {});
  surface.edit({.removed = {1, 2}});
  EXPECT_TRUE(detect(surface, points, {.distance = 1}).empty());
}

struct BadEdit {
  SurfaceEdit edit;
  ErrorCode code;
  const char* message;
};

TEST(SurfaceEdit, BadEditsAreNamedAndChangeNothing) {
  Surface surface(7, {{0, 1, 2}, {1, 2, 3}, {4, 5, 6}}, {3, 3, 8});
  surface.edit({.removed = {0}});
  const std::vector<BadEdit> edits{
      {{.removed = {1, 5}}, ErrorCode::bad_index, "removed[1] is triangle 5, but there are 3 triangles"},
      {{.removed = {-1}}, ErrorCode::bad_index, "removed[0] is triangle -1, but there are 3 triangles"},
      {{.removed = {0}}, ErrorCode::bad_index, "removed[0] is triangle 0, which was removed before"},
      {{.removed = {1, 2, 1}}, ErrorCode::bad_index, "removed[0] and removed[2] are both triangle 1"},
      {{.added = {{0, 1, 2}}},
       ErrorCode::invalid_argument,
       "0 object numbers in added_object for 1 added triangles on a surface of 2 objects"},
      {{.added = {{0, 1, 2}}, .added_object = {3, 3}},
       ErrorCode::invalid_argument,
       "2 object numbers in added_object for 1 added triangles on a surface of 2 objects"},
      {{.added = {{0, 1, 2}, {0, 1, 8}}, .added_object = {3, 3}, .new_vertices = 1},
       ErrorCode::bad_index,
       "added[1] has corner 8; expected an index of one of the 8 vertices"},
      {{.added = {{0, 1, 4}}, .added_object = {3}},
       ErrorCode::bad_mesh,
       "vertex 4 is used by object 8 (triangle 2) and by object 3 (added[0]); objects cannot share vertices"},
      {{.added = {{0, 0, 0}, {0, 0, 0}}, .added_object = {3, 8}},
       ErrorCode::bad_mesh,
       "vertex 0 is used by object 3 (added[0]) and by object 8 (added[1]); objects cannot share vertices"},
      {{.new_vertices = 0x7fffffff},
       ErrorCode::bad_mesh,
       "a surface of 2147483647 vertices; expected at most 2147483646"},
      {{.new_vertices = 0x7ffffff8},
       ErrorCode::bad_mesh,
       "a surface of 2147483647 vertices; expected at most 2147483646"},
      {{.new_vertices = SIZE_MAX},
       ErrorCode::bad_mesh,
       "a surface of 18446744073709551615 vertices; expected at most 2147483646"}};
  const Surface before = surface;
  for (const BadEdit& bad : edits) {
    try {
      surface.edit(bad.edit);
      ADD_FAILURE() << "accepted: " << bad.message;
    } catch (const Error& error) {
      EXPECT_EQ(error.code(), bad.code) << bad.message;
      EXPECT_STREQ(error.what(), bad.message);
    }
    EXPECT_EQ(surface.revision(), before.revision());
  }
  try {
    surface.update(7, std::vector<Triangle>{{0, 1, 2}, {2, 3, 4}}, std::vector<Index>{1, 2});
    ADD_FAILURE() << "accepted";
  } catch (const Error& error) {
    EXPECT_STREQ(
        error.what(),
        "vertex 2 is used by object 1 (triangle 0) and by object 2 (triangle 1); objects cannot share vertices");
  }
  EXPECT_THROW(surface.update(2, std::vector<Triangle>{{0, 1, 2}}), Error);
  EXPECT_EQ(surface.revision(), before.revision());
  EXPECT_TRUE(std::equal(before.triangles().begin(), before.triangles().end(), surface.triangles().begin(),
                         surface.triangles().end()));
  EXPECT_EQ(defect(surface), "");
  // A vertex is free for another object once the triangles that use it go.
  surface.edit({.removed = {2}, .added = {{1, 2, 4}}, .added_object = {3}});
  EXPECT_EQ(defect(surface), "");
}

}  // namespace
}  // namespace carom

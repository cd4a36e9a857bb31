#include <gtest/gtest.h>

#include <algorithm>

#include "core/parallel.hpp"
#include "oracle/brute_force.hpp"
#include "oracle/scene_frames.hpp"
#include "oracle/sorted_brute_force.hpp"
#include "oracle/soup.hpp"

namespace carom {
namespace {

/// A few frames at a time, as they are simulated: surfaces may change between frames, where something is cut or torn.
class FramesInTurn {
 public:
  explicit FramesInTurn(double distance) : distance_(distance) {}

  void add(oracle::Joined frame) {
    frames_.push_back(std::move(frame));
    if (frames_.size() == at_once) compare();
  }

  void compare() {
    std::vector<std::vector<oracle::Pair>> expected(frames_.size());
    parallel_for(workers_, frames_.size(), 1, [&](std::size_t i) {
      const oracle::Joined& f = frames_[i];
      expected[i] =
          oracle::sorted_brute_force(f.triangles, f.object_of_triangle, f.positions, distance_, PairScope::all);
    });
    for (std::size_t i = 0; i < frames_.size(); ++i) {
      const oracle::Joined& f = frames_[i];
      if (count_ == 0 || f.triangles != triangles_ || f.object_of_triangle != objects_) {
        triangles_ = f.triangles;
        objects_ = f.object_of_triangle;
        surface_ = Surface(f.positions.size(), triangles_, objects_);
        edited_.update(f.positions.size(), triangles_, objects_);
        if (count_ > 0) ++edits_;
      }
      for (const int threads : {1, 2}) {
        detect(surface_, f.positions, {.distance = distance_, .threads = threads}, scratch_[threads - 1], found_,
               stats_);
        ASSERT_EQ(oracle::as_pairs(found_), expected[i]) << "frame " << count_ << ", threads: " << threads;
        if (edits_ == 0) continue;
        detect(edited_, f.positions, {.distance = distance_, .threads = threads}, edited_scratch_[threads - 1], found_,
               stats_);
        ASSERT_EQ(oracle::as_pairs(found_), expected[i])
            << "frame " << count_ << ", threads: " << threads << ", after " << edits_ << " edits";
      }
      contacts_ += expected[i].size();
      ++count_;
    }
    frames_.clear();
  }

  std::size_t count() const { return count_; }
  std::size_t contacts() const { return contacts_; }
  std::size_t edits() const { return edits_; }

 private:
  static constexpr std::size_t at_once = 8;
  double distance_;
  Workers workers_;
  std::vector<oracle::Joined> frames_;
  std::vector<Triangle> triangles_;
  std::vector<Index> objects_;
  Surface surface_{0, {}};  ///< made anew where triangles change
  Surface edited_{0, {}};   ///< edited there
  DetectScratch scratch_[2], edited_scratch_[2];
  std::vector<Contact> found_;
  PipelineStats stats_;
  std::size_t count_ = 0;
  std::size_t contacts_ = 0;
  std::size_t edits_ = 0;
};

class EveryFrame : public testing::TestWithParam<std::string> {};

/// Every frame of a scene, at its contact distance, for 1 and 2 threads with what their scratch keeps; once triangles
/// have come or gone, by a new surface and by one that was edited. What does not move from frame to frame is compared
/// once. Minutes, not seconds.
TEST_P(EveryFrame, IsAsBruteForce) {
  const Scene scene = find_scene(GetParam());
  World world = build_world(scene);
  FramesInTurn frames(world.options().contact.distance);
  std::vector<Eigen::Vector3d> last;
  for (int step = 0; step <= scene.steps; ++step) {
    if (step > 0) world.step();
    oracle::Joined frame = oracle::join(world);
    if (frame.positions == last) continue;
    last = frame.positions;
    frames.add(std::move(frame));
    if (HasFatalFailure()) return;
  }
  frames.compare();
  std::printf("%s: %zu frames, %zu contacts, %zu edits, all as brute force\n", GetParam().c_str(), frames.count(),
              frames.contacts(), frames.edits());
  EXPECT_GT(frames.count(), 0U);
}

/// Built-in scenes with bodies that have surfaces.
std::vector<std::string> scenes_with_surfaces() {
  std::vector<std::string> names;
  for (const BuiltinScene& builtin : builtin_scenes()) {
    const Scene scene = builtin.make();
    const bool any = std::ranges::any_of(
        scene.bodies, [](const SceneBody& body) { return !std::holds_alternative<RigidSceneBody>(body.body); });
    if (any) names.emplace_back(builtin.name);
  }
  return names;
}

INSTANTIATE_TEST_SUITE_P(Scenes, EveryFrame, testing::ValuesIn(scenes_with_surfaces()), [](const auto& test) {
  std::string name = test.param;
  std::ranges::replace(name, '-', '_');
  return name;
});

TEST(Soak, SortedBruteForceIsBruteForce) {
  std::size_t contacts = 0;
  for (std::uint64_t seed = 0; seed < 40; ++seed) {
    const oracle::Soup soup = oracle::make_soup(
        seed, {.on_grid = seed % 2 == 0, .repeated_corners = seed % 4 == 1, .outlier = seed % 5 == 0 ? 1e3 : 0});
    for (const PairScope scope : {PairScope::all, PairScope::self, PairScope::between}) {
      const auto expected = oracle::brute_force(soup.positions.size(), soup.triangles, soup.object_of_triangle,
                                                soup.positions, 0.07, scope);
      ASSERT_EQ(oracle::sorted_brute_force(soup.triangles, soup.object_of_triangle, soup.positions, 0.07, scope),
                expected)
          << seed;
      contacts += expected.size();
    }
  }
  EXPECT_GT(contacts, 1000U);
}

}  // namespace
}  // namespace carom

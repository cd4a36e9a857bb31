#include "carom/query/query.hpp"
#include "core/check.hpp"
#include "core/parallel.hpp"
#include "geometry/check_pose.hpp"
#include "query/ask.hpp"

// Pairs are independent, so any cut into chunks gives the same results; a chunk is large enough to be worth a task.
namespace carom {
namespace {

constexpr std::size_t batch_grain = 128;

void check_counts(std::size_t pairs, std::size_t out, const BatchOptions& options) {
  require(out == pairs, ErrorCode::invalid_argument, "query: {} pairs, but room for {} results", pairs, out);
  require(options.caches.empty() || options.caches.size() == pairs, ErrorCode::invalid_argument,
          "query: {} pairs, but {} caches", pairs, options.caches.size());
  require(options.threads >= 0 && options.threads <= 1024, ErrorCode::invalid_argument,
          "query: threads is {}, expected 0 to 1024", options.threads);
}

template <class Body>
void for_each_pair(std::size_t pairs, const BatchOptions& options, Body&& body) {
  const auto cache = [&](std::size_t i) { return options.caches.empty() ? nullptr : &options.caches[i]; };
  if (options.threads == 1 || pairs <= batch_grain) {
    for (std::size_t i = 0; i < pairs; ++i) body(i, cache(i));
    return;
  }
  Workers workers(options.threads);
  parallel_for(workers, pairs, batch_grain, [&](std::size_t i) { body(i, cache(i)); });
}

template <class Out, class Ask>
void ask_poses(const char* function, const Shape& a, std::span<const Eigen::Isometry3d> poses_a, const Shape& b,
               std::span<const Eigen::Isometry3d> poses_b, std::span<Out> out, const BatchOptions& options,
               Ask&& answer) {
  const bool one_a = poses_a.size() == 1;
  const bool one_b = poses_b.size() == 1;
  require(one_a || one_b || poses_a.size() == poses_b.size(), ErrorCode::invalid_argument,
          "query: {} poses of a, but {} of b", poses_a.size(), poses_b.size());
  const std::size_t pairs = one_a ? poses_b.size() : poses_a.size();
  check_counts(pairs, out.size(), options);
  for (std::size_t i = 0; i < poses_a.size(); ++i) check_pose(poses_a[i], function, "poses_a", i);
  for (std::size_t i = 0; i < poses_b.size(); ++i) check_pose(poses_b[i], function, "poses_b", i);
  for_each_pair(pairs, options, [&](std::size_t i, QueryCache* cache) {
    out[i] = answer(a, poses_a[one_a ? 0 : i], b, poses_b[one_b ? 0 : i], cache);
  });
}

template <class Out, class Ask>
void ask_others(const char* function, const Shape& a, const Eigen::Isometry3d& pose_a,
                std::span<const Shape::Part> others, std::span<Out> out, const BatchOptions& options, Ask&& answer) {
  check_counts(others.size(), out.size(), options);
  check_pose(pose_a, function, "pose_a");
  for (std::size_t i = 0; i < others.size(); ++i) check_pose(others[i].pose, function, "others", i, ".pose");
  for_each_pair(others.size(), options, [&](std::size_t i, QueryCache* cache) {
    out[i] = answer(a, pose_a, others[i].shape, others[i].pose, cache);
  });
}

const auto collide_pair = [](const Shape& a, const Eigen::Isometry3d& pose_a, const Shape& b,
                             const Eigen::Isometry3d& pose_b, QueryCache* cache) -> std::uint8_t {
  return ask_collide(a, pose_a, b, pose_b, cache) ? 1 : 0;
};
const auto distance_of_pair = [](const Shape& a, const Eigen::Isometry3d& pose_a, const Shape& b,
                                 const Eigen::Isometry3d& pose_b, QueryCache* cache) {
  return ask(convex::Question::distance, a, pose_a, b, pose_b, cache);
};
const auto penetration_of_pair = [](const Shape& a, const Eigen::Isometry3d& pose_a, const Shape& b,
                                    const Eigen::Isometry3d& pose_b, QueryCache* cache) {
  return ask(convex::Question::penetration, a, pose_a, b, pose_b, cache);
};

}  // namespace

void collide(const Shape& a, std::span<const Eigen::Isometry3d> poses_a, const Shape& b,
             std::span<const Eigen::Isometry3d> poses_b, std::span<std::uint8_t> out, const BatchOptions& options) {
  ask_poses("collide", a, poses_a, b, poses_b, out, options, collide_pair);
}
void distance(const Shape& a, std::span<const Eigen::Isometry3d> poses_a, const Shape& b,
              std::span<const Eigen::Isometry3d> poses_b, std::span<QueryResult> out, const BatchOptions& options) {
  ask_poses("distance", a, poses_a, b, poses_b, out, options, distance_of_pair);
}
void penetration(const Shape& a, std::span<const Eigen::Isometry3d> poses_a, const Shape& b,
                 std::span<const Eigen::Isometry3d> poses_b, std::span<QueryResult> out, const BatchOptions& options) {
  ask_poses("penetration", a, poses_a, b, poses_b, out, options, penetration_of_pair);
}

void collide(const Shape& a, const Eigen::Isometry3d& pose_a, std::span<const Shape::Part> others,
             std::span<std::uint8_t> out, const BatchOptions& options) {
  ask_others("collide", a, pose_a, others, out, options, collide_pair);
}
void distance(const Shape& a, const Eigen::Isometry3d& pose_a, std::span<const Shape::Part> others,
              std::span<QueryResult> out, const BatchOptions& options) {
  ask_others("distance", a, pose_a, others, out, options, distance_of_pair);
}
void penetration(const Shape& a, const Eigen::Isometry3d& pose_a, std::span<const Shape::Part> others,
                 std::span<QueryResult> out, const BatchOptions& options) {
  ask_others("penetration", a, pose_a, others, out, options, penetration_of_pair);
}

}  // namespace carom

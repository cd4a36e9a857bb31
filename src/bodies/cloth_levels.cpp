#include "bodies/cloth_levels.hpp"

#include <Eigen/Geometry>
#include <Eigen/LU>
#include <algorithm>

namespace carom::cloth {

namespace {

using Eigen::Vector3d;

/// s; time constant with which a vertex that begins to follow goes to where it belongs.
constexpr double follow_time = 0.1;
/// Least time between two changes, as a fraction of the time that patches are held; making constraints costs as much as
/// several steps. Then the least time after which patches become coarser.
constexpr double change_interval = 0.1;
constexpr double coarsening_interval = 0.5;
constexpr std::size_t level_grain = 1024;

Vector3d mean_of(const Follower& f, std::span<const Index> active, std::span<const Vector3d> values) {
  return f.weights[0] * values[at(active[at(f.active[0])])] + f.weights[1] * values[at(active[at(f.active[1])])] +
         f.weights[2] * values[at(active[at(f.active[2])])];
}

/// Level that each patch may have at most: 0 if it was touched of late or is next to one that was, 1 next to these.
std::vector<std::uint8_t> wanted_levels(const LevelState& state) {
  const Hierarchy& h = state.model->hierarchy;
  const auto coarsest = static_cast<std::uint8_t>(h.levels() - 1);
  std::vector<std::uint8_t> wanted(h.patch_count(), coarsest);
  for (std::size_t p = 0; p < wanted.size(); ++p)
    if (state.calm[p] < state.model->hold) wanted[p] = 0;
  for (std::uint8_t level = 0; level <= 1; ++level) {
    const std::vector<std::uint8_t> before = wanted;
    for (std::size_t p = 0; p < wanted.size(); ++p) {
      if (before[p] > level) continue;
      for (const Index n : h.neighbors(static_cast<Index>(p))) wanted[at(n)] = std::min(wanted[at(n)], level);
    }
  }
  return wanted;
}

struct Momentum {
  Vector3d linear = Vector3d::Zero();
  Vector3d angular = Vector3d::Zero();  ///< about `center`
};

Momentum momentum_of(const LevelModel& model, std::span<const Vector3d> positions, const Vector3d& center,
                     std::span<const Vector3d> velocities) {
  Momentum sum;
  for (std::size_t v = 0; v < positions.size(); ++v) {
    const Vector3d p = model.mass[v] * velocities[v];
    sum.linear += p;
    sum.angular += (positions[v] - center).cross(p);
  }
  return sum;
}

/// Turns a body that is free, so that its angular momentum about `center` changes. Active vertices turn about the
/// center of their masses, so that momentum stays, and followers with them.
void add_angular_momentum(const LevelModel& model, const Resolution& r, std::span<const Vector3d> positions,
                          const Vector3d& center, const Vector3d& missing, std::span<Vector3d> velocities) {
  Vector3d pivot = Vector3d::Zero();
  double mass = 0;
  for (std::size_t a = 0; a < r.active().size(); ++a) {
    pivot += r.mass()[a] * positions[at(r.active()[a])];
    mass += r.mass()[a];
  }
  pivot /= mass;
  // Velocities for a turn of 1 rad/s about each axis, and what they add.
  std::array<std::vector<Vector3d>, 3> turned;
  Eigen::Matrix3d added;
  for (int axis = 0; axis < 3; ++axis) {
    std::vector<Vector3d>& u = turned[static_cast<std::size_t>(axis)];
    u.resize(positions.size());
    for (const Index v : r.active()) u[at(v)] = Vector3d::Unit(axis).cross(positions[at(v)] - pivot);
    for (const Follower& f : r.followers()) u[at(f.vertex)] = mean_of(f, r.active(), u);
    added.col(axis) = momentum_of(model, positions, center, u).angular;
  }
  const Eigen::FullPivLU<Eigen::Matrix3d> solver(added);
  if (!solver.isInvertible()) return;
  const Vector3d turn = solver.solve(missing);
  for (std::size_t v = 0; v < positions.size(); ++v)
    velocities[v] += turn[0] * turned[0][v] + turn[1] * turned[1][v] + turn[2] * turned[2][v];
}

/// Velocities of followers become means of active ones, which take the difference of momentum.
void hand_over_momentum(const LevelModel& model, const Resolution& r, std::span<Vector3d> velocities) {
  std::vector<Vector3d> handed(r.active().size(), Vector3d::Zero());
  for (const Follower& f : r.followers()) {
    const Vector3d difference =
        model.mass[at(f.vertex)] * (velocities[at(f.vertex)] - mean_of(f, r.active(), velocities));
    for (std::size_t k = 0; k < 3; ++k) handed[at(f.active[k])] += f.weights[k] * difference;
  }
  for (std::size_t a = 0; a < handed.size(); ++a) velocities[at(r.active()[a])] += r.inverse_mass()[a] * handed[a];
  for (const Follower& f : r.followers()) velocities[at(f.vertex)] = mean_of(f, r.active(), velocities);
}

}  // namespace

LevelState start_levels(LevelModel model) {
  LevelState state;
  const std::size_t patches = model.hierarchy.patch_count();
  const auto coarsest = static_cast<std::uint8_t>(model.hierarchy.levels() - 1);
  state.calm.assign(patches, 2 * model.hold);
  state.since_change = model.hold;
  state.resolution = std::make_shared<const Resolution>(model, std::vector<std::uint8_t>(patches, coarsest));
  state.model = std::make_shared<const LevelModel>(std::move(model));
  return state;
}

void note_contacts(double interval, std::span<const std::uint8_t> touched, LevelState& state) {
  for (double& calm : state.calm) calm += interval;
  state.since_change += interval;
  for (std::size_t v = 0; v < touched.size(); ++v)
    if (touched[v] != 0) state.calm[at(state.model->hierarchy.patch(static_cast<Index>(v)))] = 0;
}

bool change_levels(std::span<const Vector3d> positions, LevelState& state, std::span<Vector3d> velocities) {
  const LevelModel& model = *state.model;
  if (state.since_change < change_interval * model.hold) return false;
  const Resolution& before = *state.resolution;
  std::vector<std::uint8_t> wanted = wanted_levels(state);
  bool finer = false;
  bool coarser = false;
  for (std::size_t p = 0; p < wanted.size(); ++p) {
    finer |= wanted[p] < before.levels()[p];
    coarser |= wanted[p] > before.levels()[p];
  }
  const bool due = state.since_change >= coarsening_interval * model.hold;
  if (!finer && !(coarser && due)) return false;
  if (!due) {
    for (std::size_t p = 0; p < wanted.size(); ++p) wanted[p] = std::min(wanted[p], before.levels()[p]);
  }
  auto after = std::make_shared<const Resolution>(model, std::move(wanted));
  std::vector<std::uint8_t> was_active(positions.size(), 0);
  for (const Index v : before.active()) was_active[at(v)] = 1;
  std::uint64_t both = 0;
  for (const Index v : after->active()) both += was_active[at(v)];
  state.activations += after->active().size() - both;
  state.deactivations += before.active().size() - both;

  Vector3d center = Vector3d::Zero();
  double mass = 0;
  for (std::size_t v = 0; v < positions.size(); ++v) {
    center += model.mass[v] * positions[v];
    mass += model.mass[v];
  }
  center /= mass;
  const Momentum kept = momentum_of(model, positions, center, velocities);
  hand_over_momentum(model, *after, velocities);
  bool free = true;
  for (std::size_t v = 0; v < positions.size(); ++v) free &= model.pinned[v] == 0 || model.mass[v] == 0;
  if (free) {
    const Momentum now = momentum_of(model, positions, center, velocities);
    add_angular_momentum(model, *after, positions, center, kept.angular - now.angular, velocities);
  }
  state.resolution = std::move(after);
  state.since_change = 0;
  return true;
}

void LevelMotion::begin(const Resolution& r, std::span<const Vector3d> velocities) {
  projection_.begin(r.bend_step());
  known_.assign(velocities.begin(), velocities.end());
}

void LevelMotion::collect(Workers& workers, const LevelState& state, std::span<Vector3d> velocities) {
  const LevelModel& model = *state.model;
  const Resolution& r = *state.resolution;
  parallel_for(workers, r.active().size(), level_grain, [&](std::size_t a) {
    const std::size_t v = at(r.active()[a]);
    Vector3d momentum = model.mass[v] * (velocities[v] - known_[v]);
    for (const Resolution::Followed& followed : r.followers_of(a)) {
      const Follower& f = r.followers()[followed.follower];
      const std::size_t w = at(f.vertex);
      momentum += f.weights[followed.corner] * model.mass[w] * (velocities[w] - known_[w]);
    }
    velocities[v] = known_[v] + r.inverse_mass()[a] * momentum;
  });
}

void LevelMotion::project(Workers& workers, const Resolution& r, double h, std::span<const Vector3d> start,
                          std::span<const Vector3d> displacements, std::span<Vector3d> velocities) {
  const std::size_t count = r.active().size();
  start_.resize(count);
  displacements_.resize(count);
  velocities_.resize(count);
  parallel_for(workers, count, level_grain, [&](std::size_t a) {
    const std::size_t v = at(r.active()[a]);
    start_[a] = start[v];
    displacements_[a] = displacements[v];
    velocities_[a] = velocities[v];
  });
  projection_.run(workers, r.constraints(), {}, h, start_, displacements_, r.inverse_mass(), velocities_);
  parallel_for(workers, count, level_grain, [&](std::size_t a) { velocities[at(r.active()[a])] = velocities_[a]; });
}

void LevelMotion::follow(Workers& workers, const Resolution& r, double h, std::span<const Vector3d> start,
                         std::span<Vector3d> displacements, std::span<Vector3d> velocities) {
  const double fraction = std::min(1.0, h / follow_time);
  parallel_for(workers, r.followers().size(), level_grain, [&](std::size_t i) {
    const Follower& f = r.followers()[i];
    const std::size_t v = at(f.vertex);
    velocities[v] = mean_of(f, r.active(), velocities);
    if (fraction == 0) return;
    const Vector3d place = mean_of(f, r.active(), start) + mean_of(f, r.active(), displacements);
    displacements[v] += fraction * (place - (start[v] + displacements[v]));
  });
  known_.assign(velocities.begin(), velocities.end());
}

}  // namespace carom::cloth

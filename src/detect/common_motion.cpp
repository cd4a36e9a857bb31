#include "detect/common_motion.hpp"

#include <Eigen/Geometry>
#include <algorithm>
#include <array>
#include <cmath>

namespace carom::detection {

namespace {

constexpr std::size_t max_of_scene = 96;
constexpr std::size_t max_of_object = 48;
constexpr std::size_t triangle_sample = 64;

/// Vertices: fitting a motion costs as much as finding the pairs within a smaller object.
constexpr std::size_t min_object = 500;

double sum_of_rests(const RigidMotion& motion, std::span<const Eigen::Vector3d> from,
                    std::span<const Eigen::Vector3d> to) {
  double sum = 0;
  for (std::size_t i = 0; i < from.size(); ++i) sum += (to[i] - motion(from[i])).norm();
  return sum;
}

}  // namespace

double typical_altitude(const bounds::In& in) {
  const std::span<const Triangle> triangles = in.surface.triangles();
  const std::size_t stride = triangles.size() / triangle_sample + 1;
  std::array<double, triangle_sample + 1> altitudes;
  std::size_t count = 0;
  for (std::size_t t = stride / 2; t < triangles.size(); t += stride) {
    if (is_dead(triangles[t])) continue;
    const Eigen::Vector3d& a = in.positions[static_cast<std::size_t>(triangles[t][0])];
    const Eigen::Vector3d ab = in.positions[static_cast<std::size_t>(triangles[t][1])] - a;
    const Eigen::Vector3d ac = in.positions[static_cast<std::size_t>(triangles[t][2])] - a;
    const double longest = std::sqrt(std::max({ab.squaredNorm(), ac.squaredNorm(), (ac - ab).squaredNorm()}));
    const double altitude = ab.cross(ac).norm() / longest;
    altitudes[count++] = altitude >= 0 ? altitude : 0;  // also where a triangle is a point
  }
  if (count == 0) return 0;
  const auto end = altitudes.begin() + static_cast<std::ptrdiff_t>(count);
  const auto quartile = altitudes.begin() + static_cast<std::ptrdiff_t>(count / 4);
  std::nth_element(altitudes.begin(), quartile, end);
  return *quartile;
}

void CommonMotion::choose(std::span<const bounds::Out::Piece> pieces, std::size_t objects, bool by_object) {
  by_object_ = by_object;
  const std::size_t groups = by_object ? objects : 1;
  motions_.assign(groups, {});
  sizes_.assign(groups, 0);
  const auto group_of = [&](const bounds::Out::Piece& piece) {
    return by_object ? static_cast<std::size_t>(piece.object) : 0;
  };
  for (const bounds::Out::Piece& piece : pieces)
    if (piece.object != none) sizes_[group_of(piece)] += piece.end - piece.begin;
  const auto stride_of = [&](std::size_t group) {
    return sizes_[group] / (by_object ? max_of_object : max_of_scene) + 1;
  };

  // Counted, then placed: pieces of an object may be apart.
  begin_.assign(groups + 1, 0);
  const auto each = [&](auto&& visit) {
    for (const bounds::Out::Piece& piece : pieces) {
      if (piece.object == none) continue;
      const std::size_t group = group_of(piece);
      for (std::size_t v = piece.begin; v < piece.end; v += stride_of(group)) visit(group, static_cast<Index>(v));
    }
  };
  each([&](std::size_t group, Index) { ++begin_[group + 1]; });
  for (std::size_t group = 0; group < groups; ++group) begin_[group + 1] += begin_[group];
  vertices_.resize(begin_.back());
  next_.assign(begin_.begin(), begin_.end() - 1);
  each([&](std::size_t group, Index vertex) { vertices_[next_[group]++] = vertex; });
}

void CommonMotion::sample(std::span<const Eigen::Vector3d> positions, Points& out) const {
  out.resize(vertices_.size());
  for (std::size_t i = 0; i < vertices_.size(); ++i) out[i] = positions[static_cast<std::size_t>(vertices_[i])];
}

/// Of each group whichever leaves less: to stand still, as in a scene of which a part moves, or the best rigid motion.
void CommonMotion::fit(const Points& from, const Points& to) {
  for (std::size_t group = 0; group < motions_.size(); ++group) {
    const std::size_t count = begin_[group + 1] - begin_[group];
    const auto first = std::span(from).subspan(begin_[group], count);
    const auto second = std::span(to).subspan(begin_[group], count);
    motions_[group] = {};
    if (by_object_ && sizes_[group] < min_object) continue;
    const double still = sum_of_rests({}, first, second);
    if (still == 0) continue;
    const RigidMotion fitted = fit_rigid(first, second);
    if (sum_of_rests(fitted, first, second) < still) motions_[group] = fitted;
  }
}

double CommonMotion::typical_rest(const Points& from, const Points& to) {
  if (from.empty()) return 0;
  fit(from, to);
  rests_.clear();
  for (std::size_t group = 0; group < motions_.size(); ++group)
    for (std::size_t i = begin_[group]; i < begin_[group + 1]; ++i)
      rests_.push_back((to[i] - motions_[group](from[i])).norm());
  const auto place = rests_.begin() + static_cast<std::ptrdiff_t>(3 * rests_.size() / 4);
  std::nth_element(rests_.begin(), place, rests_.end());
  return *place;
}

}  // namespace carom::detection

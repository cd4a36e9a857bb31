#include "narrow/surface_balls.hpp"

#include <algorithm>
#include <array>
#include <cassert>
#include <cmath>
#include <functional>
#include <limits>

namespace carom::narrow {

namespace {

// A ball takes microseconds; each chunk has a search with a table of its own.
constexpr std::size_t ball_grain = 256;

/// The same in both directions. Beyond the range in which squares are numbers with all their digits,
/// slower and right.
double length(const Eigen::Vector3d& a, const Eigen::Vector3d& b) {
  const Eigen::Vector3d d = a - b;
  const double squared = d.squaredNorm();
  if (squared > 1e-280 && squared < 1e280) return std::sqrt(squared);
  return std::hypot(d.x(), d.y(), d.z());
}

/// Of the length of an edge that stretches: lengths are followed in steps of this.
constexpr double stretch_step = 1.05;
/// Steps that are followed: to 131 times the length.
constexpr int max_stretch_steps = 100;
/// Of all vertices: with more of them at edges that changed, all balls are found again.
constexpr double max_changed = 0.1;
/// Of a radius: what the order of a sum may change.
constexpr double path_rounding = 1e-9;

/// Powers of the step, ascending, as single precision has them.
const std::array<float, max_stretch_steps + 1>& stretch_factors() {
  static const std::array<float, max_stretch_steps + 1> factors = [] {
    std::array<float, max_stretch_steps + 1> all{};
    double factor = 1;
    for (float& f : all) {
      f = static_cast<float>(factor);
      factor *= stretch_step;
    }
    return all;
  }();
  return factors;
}

/// The largest of the factors with which a length is not above another.
float stretch_factor(double length_at_rest, double length_now, float last) {
  const auto& factors = stretch_factors();
  const auto fits = [&](float factor) { return length_at_rest * static_cast<double>(factor) <= length_now; };
  std::size_t k = static_cast<std::size_t>(std::lower_bound(factors.begin(), factors.end(), last) - factors.begin());
  while (k > 0 && !fits(factors[k])) --k;
  while (k + 1 < factors.size() && fits(factors[k + 1])) ++k;
  return factors[k];
}

}  // namespace

/// Fibonacci hashing: neighbours on a mesh have numbers in rows, which this spreads.
BallSearch::Slot& BallSearch::slot(Index vertex) {
  const std::size_t mask = table_.size() - 1;
  std::size_t i = (std::uint64_t{static_cast<std::uint32_t>(vertex)} * 0x9e3779b97f4a7c15U >> 32U) & mask;
  while (table_[i].search == search_ && table_[i].vertex != vertex) i = (i + 1) & mask;
  return table_[i];
}

void BallSearch::grow() {
  std::vector<Slot> before(2 * table_.size());
  before.swap(table_);
  for (const Slot& old : before) {
    if (old.search == search_) slot(old.vertex) = old;
  }
}

/// Empties the table without touching it, but once in 2^32 times.
void BallSearch::start() {
  if (table_.empty()) table_.resize(64);
  if (++search_ == 0) {
    std::fill(table_.begin(), table_.end(), Slot{});
    search_ = 1;
  }
  seen_.clear();
  heap_.clear();
}

void BallSearch::run(const Surface& surface, std::span<const Eigen::Vector3d> positions, std::span<const float> factors,
                     Index centre, double radius, std::vector<Index>& members) {
  const auto at = [&](Index vertex) -> const Eigen::Vector3d& { return positions[static_cast<std::size_t>(vertex)]; };
  const auto triangles = surface.triangles();
  start();
  const auto reach = [&](Index vertex, double path) {
    if (2 * seen_.size() >= table_.size()) grow();
    Slot& s = slot(vertex);
    if (s.search != search_) {
      s = {vertex, search_, path};
      seen_.push_back(vertex);
    } else if (s.length <= path) {
      return;
    }
    s.length = path;
    heap_.emplace_back(path, vertex);
    std::push_heap(heap_.begin(), heap_.end(), std::greater<>());
  };

  reach(centre, 0);
  while (!heap_.empty()) {
    std::pop_heap(heap_.begin(), heap_.end(), std::greater<>());
    const auto [path, vertex] = heap_.back();
    heap_.pop_back();
    if (path > slot(vertex).length) continue;  // a shorter path came later
    for (Index corner = surface.first_corner(vertex); corner != none; corner = surface.next_corner(corner)) {
      const std::size_t triangle = static_cast<std::size_t>(corner) / 3;
      const std::size_t own = static_cast<std::size_t>(corner) % 3;
      for (std::size_t k = 0; k < 3; ++k) {
        const Index other = triangles[triangle][k];
        if (other == vertex) continue;
        // The side from corner k to the next one, or to this corner.
        const std::size_t side = (own + 1) % 3 == k ? own : k;
        const double factor = factors.empty() ? 1 : static_cast<double>(factors[3 * triangle + side]);
        const double longer = path + factor * length(at(vertex), at(other));
        if (longer < radius) reach(other, longer);
      }
    }
  }
  // Only what is closer than the radius was ever reached.
  const auto begin = static_cast<std::ptrdiff_t>(members.size());
  members.insert(members.end(), seen_.begin(), seen_.end());
  std::sort(members.begin() + begin, members.end());
}

void SurfaceBalls::begin(const Surface& surface, std::span<const Eigen::Vector3d> positions, std::uint64_t shape,
                         double radius, std::span<const Eigen::Vector3d> now) {
  const bool same = shape != 0 && shape == shape_ && surface.revision() == revision_ && radius == radius_;
  if (!same) {
    forget();
    factors_.clear();
    searched_ = 0;
  }
  surface_ = &surface;
  positions_ = positions;
  revision_ = surface.revision();
  shape_ = shape;
  radius_ = radius;
  balls_.resize(surface.vertex_count());
  if (now.empty()) {
    if (!factors_.empty()) forget();
    factors_.clear();
  } else {
    stretch(now);
  }
}

/// Brings the lengths of edges up to date, and forgets the balls that one of those that changed is in.
void SurfaceBalls::stretch(std::span<const Eigen::Vector3d> now) {
  const std::span<const Triangle> triangles = surface_->triangles();
  const auto at = [](Index i) { return static_cast<std::size_t>(i); };
  std::vector<float> before = factors_;
  if (factors_.size() != 3 * triangles.size()) {
    if (!centres_.empty() && !factors_.empty()) forget();
    factors_.assign(3 * triangles.size(), 1.0F);
    before = factors_;
  }
  std::vector<Index> changed;
  for (std::size_t t = 0; t < triangles.size(); ++t) {
    if (is_dead(triangles[t])) continue;
    for (std::size_t k = 0; k < 3; ++k) {
      const Index from = triangles[t][k];
      const Index to = triangles[t][k == 2 ? 0 : k + 1];
      float& factor = factors_[3 * t + k];
      factor = stretch_factor(length(positions_[at(from)], positions_[at(to)]), length(now[at(from)], now[at(to)]),
                              before[3 * t + k]);
      if (factor != before[3 * t + k]) changed.insert(changed.end(), {from, to});
    }
  }
  if (changed.empty() || centres_.empty()) return;
  std::sort(changed.begin(), changed.end());
  changed.erase(std::unique(changed.begin(), changed.end()), changed.end());
  if (static_cast<double>(changed.size()) > max_changed * static_cast<double>(balls_.size())) return forget();
  factors_.swap(before);
  drop_around(changed);
  factors_.swap(before);
}

/// Forgets the balls that have one of the vertices as a member, by the lengths as they are. A path that is another one
/// now comes to the first edge that changed by edges that did not.
void SurfaceBalls::drop_around(std::span<const Index> vertices) {
  if (searches_.empty()) searches_.resize(1);
  std::vector<Index> around;
  for (const Index vertex : vertices) {
    around.clear();
    searches_[0].run(*surface_, positions_, factors_, vertex, radius_ * (1 + path_rounding), around);
    for (const Index centre : around) balls_[static_cast<std::size_t>(centre)] = {};
  }
  std::erase_if(centres_, [&](Index centre) { return balls_[static_cast<std::size_t>(centre)].begin == not_there; });
  done_ = centres_.size();
  // What no ball has any more stays in the list, which is not to grow without end.
  std::size_t used = 0;
  for (const Index centre : centres_) used += balls_[static_cast<std::size_t>(centre)].size;
  if (members_.size() > 2 * used + 1024) forget();
}

void SurfaceBalls::forget() {
  for (const Index centre : centres_) balls_[static_cast<std::size_t>(centre)] = {};
  centres_.clear();
  members_.clear();
  done_ = 0;
}

void SurfaceBalls::want(Index vertex) {
  Ball& ball = balls_[static_cast<std::size_t>(vertex)];
  if (ball.begin != not_there) return;
  ball.begin = wanted;
  centres_.push_back(vertex);
}

void SurfaceBalls::find(Context& context) {
  const std::span<const Index> missing = std::span(centres_).subspan(done_);
  const std::size_t chunks = chunk_count(missing.size(), ball_grain);
  if (searches_.size() < chunks) searches_.resize(chunks);
  sizes_.resize(missing.size());
  append_.run(context.workers, missing.size(), ball_grain, found_,
              [&](std::size_t begin, std::size_t end, std::vector<Index>& members, std::size_t chunk) {
                for (std::size_t i = begin; i < end; ++i) {
                  const std::size_t before = members.size();
                  searches_[chunk].run(*surface_, positions_, factors_, missing[i], radius_, members);
                  sizes_[i] = members.size() - before;
                }
              });
  std::size_t next = members_.size();
  members_.insert(members_.end(), found_.begin(), found_.end());
  for (std::size_t i = 0; i < missing.size(); ++i) {
    balls_[static_cast<std::size_t>(missing[i])] = {next, sizes_[i]};
    next += sizes_[i];
  }
  searched_ += missing.size();
  done_ = centres_.size();
}

bool SurfaceBalls::contains(Index centre, Index vertex) const {
  const Ball& ball = balls_[static_cast<std::size_t>(centre)];
  assert(ball.begin < wanted);
  const auto begin = members_.begin() + static_cast<std::ptrdiff_t>(ball.begin);
  return std::binary_search(begin, begin + static_cast<std::ptrdiff_t>(ball.size), vertex);
}

}  // namespace carom::narrow

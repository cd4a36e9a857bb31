#include "narrow/surface_balls.hpp"

#include <algorithm>
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

void BallSearch::run(const Surface& surface, std::span<const Eigen::Vector3d> positions, Index centre, double radius,
                     std::vector<Index>& members) {
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
      for (const Index other : triangles[static_cast<std::size_t>(corner) / 3]) {
        if (other == vertex) continue;
        const double longer = path + length(at(vertex), at(other));
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
                         double radius) {
  const bool same = shape != 0 && shape == shape_ && surface.revision() == revision_ && radius == radius_;
  if (!same) forget();
  surface_ = &surface;
  positions_ = positions;
  revision_ = surface.revision();
  shape_ = shape;
  radius_ = radius;
  balls_.resize(surface.vertex_count());
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
                  searches_[chunk].run(*surface_, positions_, missing[i], radius_, members);
                  sizes_[i] = members.size() - before;
                }
              });
  std::size_t next = members_.size();
  members_.insert(members_.end(), found_.begin(), found_.end());
  for (std::size_t i = 0; i < missing.size(); ++i) {
    balls_[static_cast<std::size_t>(missing[i])] = {next, sizes_[i]};
    next += sizes_[i];
  }
  done_ = centres_.size();
}

bool SurfaceBalls::contains(Index centre, Index vertex) const {
  const Ball& ball = balls_[static_cast<std::size_t>(centre)];
  assert(ball.begin < wanted);
  const auto begin = members_.begin() + static_cast<std::ptrdiff_t>(ball.begin);
  return std::binary_search(begin, begin + static_cast<std::ptrdiff_t>(ball.size), vertex);
}

}  // namespace carom::narrow

#include <algorithm>
#include <array>
#include <cmath>
#include <optional>
#include <span>
#include <string>

#include "continuous/exact_contact.hpp"
#include "continuous/search.hpp"
#include "core/check.hpp"
#include "kernels/ccd_miss_filter.hpp"

namespace carom {
namespace {

using continuous::Coplanarity;
using continuous::RelativeMotion;
using continuous::SearchResult;

void check(const ContinuousOptions& options) {
  require(std::isfinite(options.separation) && options.separation >= 0, ErrorCode::invalid_argument,
          "separation is {} m; expected a finite number that is not negative", options.separation);
  require(std::isfinite(options.tolerance) && options.tolerance >= 0, ErrorCode::invalid_argument,
          "tolerance is {}; expected a finite number that is not negative", options.tolerance);
  require(options.budget >= 1, ErrorCode::invalid_argument, "budget is {}; expected at least 1", options.budget);
  require(!options.exact || options.separation == 0, ErrorCode::unsupported,
          "exact answers are for separation 0; it is {} m", options.separation);
}

/// The impact that a search found.
Impact describe_impact(ContactKind kind, const FeatureMotion& motion, const RelativeMotion& relative,
                       const Coplanarity& plane, SearchResult found, const ContinuousOptions& options) {
  Impact impact;
  if (!found.collides) return impact;
  bool certain = found.certain;
  if (options.separation == 0 && !certain) {
    // At the time itself rounding may hide the sign; a little before and after it shows.
    for (const double half_width : {0x1p-36, 0x1p-24, 0x1p-14}) {
      std::array<double, 4> weights;
      certain = certain || continuous::surely_crosses(relative, plane, found.time, half_width, weights);
    }
    // Exact arithmetic is for what rounding leaves open. What only the tolerance or the budget ended is left as it
    // is unless it was asked for.
    if (!certain && (options.exact || found.to_rounding)) {
      const continuous::ExactResult exact = continuous::exact_contact(kind, motion, relative);
      if (!exact.collides) return impact;
      certain = true;
      if (exact.time > found.time) {
        found.time = exact.time;
        found.weights = continuous::contact_weights(kind, relative, found.time);
      }
    }
  }
  impact.collides = true;
  impact.time = found.time;
  if (!certain) {
    impact.tolerance = std::ldexp(found.gap, relative.exponent);
    // Scaled back it may be subnormal and rounded.
    if (relative.exponent != 0) impact.tolerance = std::nextafter(impact.tolerance, INFINITY);
  }
  impact.limited = !certain && found.gap > options.tolerance * relative.motion;
  impact.weights = found.weights;
  impact.normal =
      -math::to_eigen(continuous::approach_direction(relative, plane, found.time, found.weights, found.last));
  return impact;
}

Impact solve(ContactKind kind, const FeatureMotion& motion, const ContinuousOptions& options) {
  const RelativeMotion relative = continuous::relative_motion(kind, motion, options.separation);
  const Coplanarity plane = continuous::coplanarity(relative);
  return describe_impact(kind, motion, relative, plane,
                         continuous::search(kind, relative, plane, options.tolerance, options.budget), options);
}

/// Queries that are solved side by side.
struct Unsolved {
  static_assert(continuous::search_batch >= kernels::miss_batch);
  std::size_t count = 0;
  std::array<FeatureMotion, kernels::miss_batch> motions;
  std::array<RelativeMotion, kernels::miss_batch> relative;
  std::array<Coplanarity, kernels::miss_batch> planes;
  std::array<SearchResult, kernels::miss_batch> found;

  void solve(ContactKind kind, const ContinuousOptions& options) {
    for (std::size_t i = 0; i < count; ++i) {
      relative[i] = continuous::relative_motion(kind, motions[i], options.separation);
      planes[i] = continuous::coplanarity(relative[i]);
    }
    continuous::search_all(kind, std::span(relative).first(count), std::span(planes).first(count), options.tolerance,
                           options.budget, found);
  }
  Impact impact(ContactKind kind, std::size_t i, const ContinuousOptions& options) const {
    return describe_impact(kind, motions[i], relative[i], planes[i], found[i], options);
  }
};

void check_finite(const FeatureMotion& motion, const std::string& query) {
  for (std::size_t i = 0; i < 4; ++i) {
    require(is_finite(motion.start[i]), ErrorCode::not_finite, "{}vertex {} is not finite at the start", query, i);
    require(is_finite(motion.end[i]), ErrorCode::not_finite, "{}vertex {} is not finite at the end", query, i);
  }
}

bool all_finite(const FeatureMotion& motion) {
  for (std::size_t i = 0; i < 4; ++i) {
    if (!is_finite(motion.start[i]) || !is_finite(motion.end[i])) return false;
  }
  return true;
}

void store(const Eigen::Vector3d& p, std::size_t point, std::size_t at, kernels::MissBatch& batch) {
  batch.x[point][at] = p.x();
  batch.y[point][at] = p.y();
  batch.z[point][at] = p.z();
}

/// Calls visit(i, impact) for every query, or, if only hits are wanted, for those that collide. `motion_of` gives
/// the points of a query by reference or by value, whichever is there.
template <class MotionOf, class Visit>
void for_each_impact(ContactKind kind, std::size_t count, const ContinuousOptions& options, bool only_hits,
                     const MotionOf& motion_of, const Visit& visit) {
  kernels::MissBatch batch;
  std::uint8_t misses[kernels::miss_batch];
  // Without a separation most searches end at the first zero of the plane, before any closest point is asked for.
  std::optional<Unsolved> unsolved;
  if (options.separation > 0) unsolved.emplace();
  for (std::size_t begin = 0; begin < count; begin += kernels::miss_batch) {
    const std::size_t size = std::min(kernels::miss_batch, count - begin);
    for (std::size_t i = 0; i < size; ++i) {
      const auto& motion = motion_of(begin + i);
      for (std::size_t k = 0; k < 4; ++k) {
        store(motion.start_of(k), k, i, batch);
        store(motion.end_of(k), k + 4, i, batch);
      }
    }
    // The last vector may reach behind the end.
    for (std::size_t i = size; i % 8 != 0; ++i) {
      for (std::size_t k = 0; k < 8; ++k) store(Eigen::Vector3d::Zero(), k, i, batch);
    }
    if (kind == ContactKind::vertex_face) {
      kernels::ccd_misses_vertex_triangle(batch, size, options.separation, misses);
    } else {
      kernels::ccd_misses_edge_edge(batch, size, options.separation, misses);
    }
    const auto get = [&](std::size_t i, FeatureMotion& motion) {
      for (std::size_t k = 0; k < 4; ++k) {
        motion.start[k] = {batch.x[k][i], batch.y[k][i], batch.z[k][i]};
        motion.end[k] = {batch.x[k + 4][i], batch.y[k + 4][i], batch.z[k + 4][i]};
      }
      if (!all_finite(motion)) check_finite(motion, fmt::format("query {}: ", begin + i));
    };
    if (unsolved) {
      unsolved->count = 0;
      for (std::size_t i = 0; i < size; ++i)
        if (misses[i] == 0) get(i, unsolved->motions[unsolved->count++]);
      unsolved->solve(kind, options);
    }
    std::size_t next = 0;
    for (std::size_t i = 0; i < size; ++i) {
      if (misses[i] != 0) {
        if (!only_hits) visit(begin + i, Impact{});
        continue;
      }
      Impact impact;
      if (unsolved) {
        impact = unsolved->impact(kind, next++, options);
      } else {
        FeatureMotion motion;
        get(i, motion);
        impact = solve(kind, motion, options);
      }
      if (!only_hits || impact.collides) visit(begin + i, impact);
    }
  }
}

struct OwnPoints {
  const FeatureMotion& motion;
  const Eigen::Vector3d& start_of(std::size_t k) const { return motion.start[k]; }
  const Eigen::Vector3d& end_of(std::size_t k) const { return motion.end[k]; }
};

struct MeshPoints {
  std::span<const Eigen::Vector3d> start;
  std::span<const Eigen::Vector3d> end;
  const std::array<Index, 4>& vertices;
  const Eigen::Vector3d& start_of(std::size_t k) const { return start[static_cast<std::size_t>(vertices[k])]; }
  const Eigen::Vector3d& end_of(std::size_t k) const { return end[static_cast<std::size_t>(vertices[k])]; }
};

}  // namespace

Impact first_impact(ContactKind kind, const FeatureMotion& motion, const ContinuousOptions& options) {
  check(options);
  check_finite(motion, "");
  double points[8][3];
  for (std::size_t i = 0; i < 4; ++i) {
    for (std::size_t k = 0; k < 3; ++k) {
      points[i][k] = motion.start[i][static_cast<Eigen::Index>(k)];
      points[i + 4][k] = motion.end[i][static_cast<Eigen::Index>(k)];
    }
  }
  const int corners = kind == ContactKind::vertex_face ? 3 : 4;
  if (kernels::ccd_misses_reference(corners, points, options.separation)) return {};
  return solve(kind, motion, options);
}

void first_impacts(ContactKind kind, std::span<const FeatureMotion> motions, const ContinuousOptions& options,
                   std::span<Impact> impacts) {
  check(options);
  require(motions.size() == impacts.size(), ErrorCode::invalid_argument, "{} motions but room for {} impacts",
          motions.size(), impacts.size());
  for_each_impact(
      kind, motions.size(), options, false, [&](std::size_t i) { return OwnPoints{motions[i]}; },
      [&](std::size_t i, const Impact& impact) { impacts[i] = impact; });
}

void first_impacts(ContactKind kind, std::span<const Eigen::Vector3d> start, std::span<const Eigen::Vector3d> end,
                   std::span<const std::array<Index, 4>> pairs, const ContinuousOptions& options,
                   std::vector<IndexedImpact>& hits) {
  check(options);
  require(start.size() == end.size(), ErrorCode::invalid_argument, "{} positions at the start but {} at the end",
          start.size(), end.size());
  for (std::size_t i = 0; i < pairs.size(); ++i) {
    for (const Index v : pairs[i]) {
      require(v >= 0 && static_cast<std::size_t>(v) < start.size(), ErrorCode::bad_index,
              "query {}: vertex {} is out of range; there are {} vertices", i, v, start.size());
    }
  }
  for_each_impact(
      kind, pairs.size(), options, true,
      [&](std::size_t i) {
        return MeshPoints{start, end, pairs[i]};
      },
      [&](std::size_t i, const Impact& impact) {
        hits.push_back({i, impact});
      });
}

double chord_deviation(double radius, double angle) {
  require(std::isfinite(radius) && radius >= 0, ErrorCode::invalid_argument,
          "radius is {} m; expected a finite number that is not negative", radius);
  require(std::isfinite(angle), ErrorCode::invalid_argument, "angle is {} rad; expected a finite number", angle);
  return radius * angle * angle * 0.125 * (1 + 1e-15);
}

}  // namespace carom

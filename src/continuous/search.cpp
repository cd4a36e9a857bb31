#include "continuous/search.hpp"

#include <algorithm>
#include <array>
#include <cassert>
#include <cmath>

#include "carom/mesh/closest.hpp"
#include "kernels/advance.hpp"

// Conservative advancement by separating directions. At time t, let n be the unit direction from the origin
// to the nearest point of the polygon. The n-coordinates of the corners move linearly, so from their values at the
// start and at the end of the step one division each tells until when all of them are beyond the separation; until then
// the polygon, which lies between its corners, is too. Any n is safe; the nearest point only makes it a good one. Where
// the zeros of the coplanarity polynomial allow a longer step, it is taken.
//
// Rounding: with |n| = 1 the sum of the |n_k| is below 1.8, so an n-coordinate is wrong by less than 1.8 * 5u of
// the size; a division and the time it gives by 3u, which moves a coordinate by at most 4u * 3 of the size. `slack` is
// 64u.
namespace carom::continuous {
namespace {

using namespace math;

// Looks at this many points of time in search of an answer that is good to rounding; then the tolerance will do.
constexpr int soft_budget = 32;

// No more than so many searches are not worth a vector.
constexpr std::size_t few = 2;

struct Nearest {
  Vec3 point;  ///< of the polygon
  double distance = 0;
  std::array<double, 4> weights{};
};

/// Ends of the edges whose closest points are those of the features: a0 and a1, and b0 as the origin and b1.
struct Edges {
  Vec3 a0, a1, b1;
};

Edges edges_at(const RelativeMotion& m, double t) {
  // a0 - b0, a0 - b1, a1 - b1, a1 - b0 with b0 as the origin.
  return {corner_at(m, 0, t), corner_at(m, 3, t), -((1 - t) * m.side_f_start + t * m.side_f_end)};
}

Nearest of_triangle(const Vec3& a, const Vec3& b, const Vec3& c, const std::array<double, 3>& w) {
  Nearest result;
  result.weights = {1, w[0], w[1], w[2]};
  result.point = w[0] * a + w[1] * b + w[2] * c;
  result.distance = std::sqrt(dot(result.point, result.point));
  return result;
}

Nearest of_edges(const Edges& e, double s, double t) {
  Nearest result;
  result.weights = {1 - s, s, 1 - t, t};
  result.point = (1 - s) * e.a0 + s * e.a1 - t * e.b1;
  result.distance = std::sqrt(dot(result.point, result.point));
  return result;
}

Nearest nearest(ContactKind kind, const RelativeMotion& m, double t) {
  if (kind == ContactKind::vertex_face) {
    const Vec3 a = corner_at(m, 0, t), b = corner_at(m, 1, t), c = corner_at(m, 2, t);
    const VertexTriangleClosest found =
        closest_vertex_triangle(Eigen::Vector3d::Zero(), to_eigen(a), to_eigen(b), to_eigen(c));
    return of_triangle(a, b, c, {found.weights[0], found.weights[1], found.weights[2]});
  }
  const Edges e = edges_at(m, t);
  const EdgeEdgeClosest found =
      closest_edge_edge(to_eigen(e.a0), to_eigen(e.a1), Eigen::Vector3d::Zero(), to_eigen(e.b1));
  return of_edges(e, found.s, found.t);
}

/// Component of q across the side.
Vec3 across(const Vec3& q, const Vec3& side) {
  const double squared = dot(side, side);
  return squared > 0 ? q - (dot(q, side) / squared) * side : q;
}

/// The direction to the nearest point, sharpened. That point is wrong by rounding, which turns the direction by
/// rounding / distance and lifts a corner by that times the size: too much already at a distance of 1e-8. But
/// the direction is the normal if the point is inside the polygon, and across the side if it is on one.
Vec3 direction(const RelativeMotion& m, double t, const Nearest& at) {
  const auto& w = at.weights;
  const Vec3 f = (1 - t) * m.side_f_start + t * m.side_f_end;
  const Vec3 g = (1 - t) * m.side_g_start + t * m.side_g_end;
  Vec3 n = at.point;
  if (m.corners == 3) {
    const int zeros = (w[1] == 0 ? 1 : 0) + (w[2] == 0 ? 1 : 0) + (w[3] == 0 ? 1 : 0);
    if (zeros == 0) n = cross(f, g);
    if (zeros == 1) n = across(at.point, w[3] == 0 ? f : w[1] == 0 ? g : f + g);
  } else {
    const bool inside_a = w[0] != 0 && w[1] != 0;
    const bool inside_b = w[2] != 0 && w[3] != 0;
    if (inside_a && inside_b) {
      n = cross(f, g);
    } else if (inside_a) {
      n = across(at.point, g);
    } else if (inside_b) {
      n = across(at.point, f);
    }
  }
  const double length = std::sqrt(dot(n, n));
  if (!(length > 1e-140)) return (1 / at.distance) * at.point;
  return ((dot(n, at.point) < 0 ? -1 : 1) / length) * n;
}

/// Until when, from t on, all corners are beyond `reach` along n; t if they are not.
double free_until(const RelativeMotion& m, const Vec3& n, double reach, double t) {
  double until = 1;
  for (std::size_t i = 0; i < static_cast<std::size_t>(m.corners); ++i) {
    const double h0 = dot(n, m.start[i]) - reach;
    const double h1 = dot(n, m.end[i]) - reach;
    if (h1 > 0) {
      if (h0 > 0) continue;
      // Beyond from some time on.
      if (!(h0 / (h0 - h1) < t)) return t;
    } else if (h0 > 0) {
      until = std::min(until, h0 / (h0 - h1));
    } else {
      return t;
    }
  }
  return std::max(until, t);
}

/// A direction along which all corners are beyond the reach from a time on, and until when; that time: there is none.
struct Separation {
  Vec3 direction;
  double until = 0;
};

Separation separate(const RelativeMotion& m, double t, const Nearest& at, double reach) {
  const Vec3 n = direction(m, t, at);
  const double until = free_until(m, n, reach, t);
  if (until > t) return {n, until};
  const Vec3 straight = (1 / at.distance) * at.point;
  return {straight, free_until(m, straight, reach, t)};
}

/// One search on its way: before() and after() the nearest point at time t is known, until one of them says that it is
/// done.
class Search {
 public:
  Search() = default;
  Search(const RelativeMotion& m, const Coplanarity& p, double tolerance, int budget)
      : m_(&m),
        p_(&p),
        budget_(budget),
        slack_(64 * unit_roundoff * m.size),
        reach_(m.separation * (1 + 8 * unit_roundoff) + slack_),
        to_rounding_(4 * slack_ + 16 * unit_roundoff * m.separation),
        allowed_(std::max(tolerance * m.motion, to_rounding_)),
        half_width_(std::min(0x1p-30, tolerance)),
        // The plane is of no use if the features stay in it.
        use_plane_(std::max({std::abs(p.c[0]), std::abs(p.c[1]), std::abs(p.c[2]), std::abs(p.c[3])}) > 2 * p.margin) {}

  double time() const { return t_; }
  double reach() const { return reach_; }
  const RelativeMotion& motion() const { return *m_; }

  bool before(SearchResult& result) {
    if (!use_plane_) return false;
    const double later = skip_to_first_zero(*p_, t_);
    if (later >= 1) return true;
    if (later > t_) {
      result.last = {};
      t_ = later;
      // Most collisions end here.
      if (m_->separation == 0 && surely_crosses(*m_, *p_, t_, half_width_, result.weights)) {
        result.collides = true;
        result.certain = true;
        result.time = t_;
        return true;
      }
    }
    return false;
  }

  /// `advance()` gives a direction that separates, and until when.
  template <class Advance>
  bool after(const Nearest& at, const Advance& advance, SearchResult& result) {
    const double gap = at.distance - m_->separation;
    const bool out_of_budget = result.probes + 1 >= budget_;
    const bool stop = gap <= to_rounding_ || (result.probes >= soft_budget && gap <= allowed_) || out_of_budget;
    double until = t_;
    if (!stop) {
      const Separation found = advance();
      until = found.until;
      if (until >= 1) return true;
      if (until > t_) result.last = found.direction;
    }
    if (stop || until <= t_) {
      result.collides = true;
      result.time = t_;
      result.gap = std::max(gap, 0.0) + to_rounding_;
      result.to_rounding = gap <= to_rounding_ || !stop;
      result.weights = at.weights;
      return true;
    }
    t_ = until;
    ++result.probes;
    return false;
  }

 private:
  const RelativeMotion* m_ = nullptr;
  const Coplanarity* p_ = nullptr;
  int budget_ = 0;
  double slack_ = 0, reach_ = 0, to_rounding_ = 0, allowed_ = 0, half_width_ = 0;
  bool use_plane_ = false;
  double t_ = 0;
};

/// Many searches of one kind in rows. Lanes that are done stay until a quarter are.
class SearchLanes {
 public:
  SearchLanes(ContactKind kind, std::span<const RelativeMotion> motions, std::span<const Coplanarity> planes,
              double tolerance, int budget, std::span<SearchResult> results)
      : kind_(kind), results_(results), count_(motions.size()), open_(count_) {
    for (std::size_t i = 0; i < count_; ++i) {
      lanes_[i] = {Search(motions[i], planes[i], tolerance, budget), i, true};
      results[i] = {};
      fill(i);
    }
    // The last vector may reach behind the end.
    for (std::size_t i = count_; i % 8 != 0; ++i) fill_from(i, motions[0], 0);
  }

  void run() {
    while (open_ > 0) {
      for (std::size_t i = 0; i < count_; ++i) {
        if (!lanes_[i].open) continue;
        if (lanes_[i].search.before(result(i))) close(i);
        batch_.time[i] = lanes_[i].search.time();
      }
      if (open_ == 0) return;
      if (kind_ == ContactKind::vertex_face) {
        kernels::advance_vertex_triangle(batch_, count_, found_);
      } else {
        kernels::advance_edge_edge(batch_, count_, found_);
      }
      for (std::size_t i = 0; i < count_; ++i)
        if (lanes_[i].open && after(i)) close(i);
      if (4 * open_ <= 3 * count_) close_ranks();
    }
  }

 private:
  struct Lane {
    Search search;
    std::size_t whose = 0;
    bool open = false;
  };

  SearchResult& result(std::size_t i) { return results_[lanes_[i].whose]; }

  void close(std::size_t i) {
    lanes_[i].open = false;
    --open_;
  }

  bool after(std::size_t i) {
    Search& search = lanes_[i].search;
    const RelativeMotion& m = search.motion();
    const double t = search.time();
    if (found_.valid[i] == 0) {
      const Nearest at = nearest(kind_, m, t);
      return search.after(
          at, [&] { return separate(m, t, at, search.reach()); }, result(i));
    }
    Nearest at;  // nobody asks for the point
    for (std::size_t k = 0; k < 4; ++k) at.weights[k] = found_.weights[k][i];
    at.distance = found_.distance[i];
    return search.after(
        at,
        [&] {
          return Separation{{found_.direction[0][i], found_.direction[1][i], found_.direction[2][i]}, found_.until[i]};
        },
        result(i));
  }

  void close_ranks() {
    std::size_t left = 0;
    for (std::size_t i = 0; i < count_; ++i) {
      if (!lanes_[i].open) continue;
      if (left != i) {
        lanes_[left] = lanes_[i];
        fill(left);
      }
      ++left;
    }
    count_ = left;
  }

  void fill(std::size_t i) { fill_from(i, lanes_[i].search.motion(), lanes_[i].search.reach()); }
  void fill_from(std::size_t i, const RelativeMotion& m, double reach) {
    const auto put = [&](const Vec3& p, double(&rows)[3][kernels::closest_batch]) {
      rows[0][i] = p.x;
      rows[1][i] = p.y;
      rows[2][i] = p.z;
    };
    for (std::size_t k = 0; k < static_cast<std::size_t>(m.corners); ++k) {
      put(m.start[k], batch_.start[k]);
      put(m.end[k], batch_.end[k]);
    }
    put(m.side_f_start, batch_.f_start);
    put(m.side_f_end, batch_.f_end);
    put(m.side_g_start, batch_.g_start);
    put(m.side_g_end, batch_.g_end);
    batch_.reach[i] = reach;
    batch_.time[i] = 0;
  }

  ContactKind kind_;
  std::span<SearchResult> results_;
  std::size_t count_, open_;
  std::array<Lane, search_batch> lanes_;
  kernels::AdvanceBatch batch_;
  kernels::AdvanceResults found_;
};

}  // namespace

SearchResult search(ContactKind kind, const RelativeMotion& m, const Coplanarity& p, double tolerance, int budget) {
  SearchResult result;
  Search one(m, p, tolerance, budget);
  while (!one.before(result)) {
    const double t = one.time();
    const Nearest at = nearest(kind, m, t);
    if (one.after(
            at, [&] { return separate(m, t, at, one.reach()); }, result))
      break;
  }
  return result;
}

void search_all(ContactKind kind, std::span<const RelativeMotion> motions, std::span<const Coplanarity> planes,
                double tolerance, int budget, std::span<SearchResult> results) {
  assert(motions.size() <= search_batch);
  if (motions.size() <= few) {
    for (std::size_t i = 0; i < motions.size(); ++i)
      results[i] = search(kind, motions[i], planes[i], tolerance, budget);
    return;
  }
  SearchLanes(kind, motions, planes, tolerance, budget, results).run();
}

std::array<double, 4> contact_weights(ContactKind kind, const RelativeMotion& m, double t) {
  return nearest(kind, m, t).weights;
}

}  // namespace carom::continuous

#include <algorithm>

#include "narrow/convex/wide.hpp"
#include "narrow/convex/wide_pair.hpp"

namespace carom::convex {
namespace {

using math::wide_difference;
using WidePolytope = BasicPolytope<DoubleDouble>;

/// Thinner than this, of the size, is flat.
constexpr double wide_flat = 1e-15;

double length_of(const WideVec3& v) {
  return square_root(dot(v, v)).high;
}

/// A tetrahedron with volume that begins with what is sound of a simplex.
class WideStart {
 public:
  WideStart(const WidePair& pair, const Simplex& s) : pair_(pair), simplex(s) {}

  const WidePair& pair_;
  Simplex simplex;
  /// Directions across a difference that is flat: two of a plane, four of a line.
  std::array<Vec3, 4> across_flat;
  int flat = 0;

  bool grow() {
    simplex.count = sound();
    if (simplex.count == 1 && !grow_by({Vec3{1, 0, 0}, Vec3{0, 1, 0}, Vec3{0, 0, 1}},
                                       [&](const Vertex& w) { return length_of(from_first(w)); })) {
      return is_flat({Vec3{1, 0, 0}, Vec3{0, 1, 0}});
    }
    if (simplex.count == 2) {
      const WideVec3 line = from_first(simplex.vertices[1]);
      const double length = length_of(line);
      const Vec3 along = unit(line.rounded());
      const Vec3 first = across(along);
      const Vec3 second = cross(along, first);
      if (!grow_by({first, second, Vec3{}},
                   [&](const Vertex& w) { return length_of(cross(from_first(w), line)) / length; })) {
        return is_flat({first, second});
      }
    }
    if (simplex.count == 3) {
      const WideVec3 normal = cross(from_first(simplex.vertices[1]), from_first(simplex.vertices[2]));
      const double length = length_of(normal);
      const Vec3 n = unit(normal.rounded());
      if (!grow_by({n, Vec3{}, Vec3{}},
                   [&](const Vertex& w) { return std::abs(dot(normal, from_first(w)).high) / length; })) {
        return is_flat({n, Vec3{}});
      }
    }
    return true;
  }

 private:
  WideVec3 from_first(const Vertex& w) const { return wide_difference(w.y, simplex.vertices[0].y); }

  /// How many of the first vertices span something that is not flat.
  int sound() const {
    const auto at = [&](std::size_t i) { return from_first(simplex.vertices[i]); };
    if (simplex.count < 2) return 1;
    if (!(length_of(at(1)) > wide_flat)) return 1;
    if (simplex.count < 3) return 2;
    const WideVec3 n = cross(at(1), at(2));
    if (!(length_of(n) > wide_flat * length_of(at(1)))) return 2;
    if (simplex.count < 4) return 3;
    return std::abs(dot(n, at(3)).high) > wide_flat * length_of(n) ? 4 : 3;
  }

  template <class Measure>
  bool grow_by(const std::array<Vec3, 3>& directions, Measure&& measure) {
    double farthest = wide_flat * pair_.scale();
    bool grown = false;
    for (const Vec3& d : directions) {
      if (!(dot(d, d) > 0)) continue;
      for (const Vertex& w : {pair_.support(d), pair_.support(-d)}) {
        const double size = measure(w);
        if (!(size > farthest)) continue;
        farthest = size;
        simplex.vertices[static_cast<std::size_t>(simplex.count)] = w;
        grown = true;
      }
    }
    simplex.count += grown ? 1 : 0;
    return grown;
  }

  bool is_flat(const std::array<Vec3, 2>& normals) {
    for (const Vec3& n : normals) {
      if (!(dot(n, n) > 0)) continue;
      across_flat[static_cast<std::size_t>(flat++)] = n;
      across_flat[static_cast<std::size_t>(flat++)] = -n;
    }
    return false;
  }
};

/// Points where the normal leaves the difference: a face of it may be cut into several triangles, and the best one
/// found may be gone.
void find_exit(const WidePolytope& polytope, const std::array<std::uint16_t, 3>& face, double scale, Epa& result) {
  const WideVec3 exit = DoubleDouble(result.depth) * WideVec3(result.n);
  double nearest = INFINITY;
  Simplex chosen;
  const auto offer = [&](const std::array<std::uint16_t, 3>& corners) {
    Simplex s;
    s.count = 3;
    for (std::size_t k = 0; k < 3; ++k) s.vertices[k] = polytope.vertex(corners[k]);
    const WideClosest foot = wide_closest_to_origin(s);
    const double off = length_of(foot.v - exit);
    if (!(off < nearest)) return;
    nearest = off;
    keep(s, foot);
    chosen = s;
  };
  offer(face);
  if (nearest > 1e-15 * scale) {
    polytope.for_each_face([&](std::uint16_t f) {
      const WidePolytope::Face& other = polytope.face(f);
      const double beside = (dot(other.n, exit) - other.offset).high;
      if (beside * beside * other.inverse <= 1e-24 * scale * scale) offer(other.vertex);
    });
  }
  result.simplex = chosen;
}

}  // namespace

Epa wide_epa(const Core& a, const Core& b, const RelativePose& pose, const Gjk& g) {
  const WidePair pair(a, b, pose);
  const double scale = pair.scale();
  Epa result;
  WideStart start(pair, pair.seen(g.simplex));
  if (!start.grow()) {
    result.depth = INFINITY;
    for (std::size_t i = 0; i < static_cast<std::size_t>(start.flat); ++i) {
      const Vec3& n = start.across_flat[i];
      const double h = dot(WideVec3(n), WideVec3(pair.support(n).y)).high;
      if (!(h < result.depth)) continue;
      result.depth = h;
      result.n = n;
    }
    result.depth = pair.size() * std::max(result.depth, 0.0);
    result.simplex = g.simplex;
    return result;
  }
  WidePolytope polytope(start.simplex.vertices, 0);
  const double small = 1e-15 * scale;
  std::uint16_t f = 0;
  bool done = false;
  std::array<std::uint16_t, 3> best{};
  double smallest = INFINITY;
  while (!done && polytope.pop(f)) {
    const WidePolytope::Face& face = polytope.face(f);
    const double inverse = std::sqrt(face.inverse);
    const double offset = std::max(face.offset.high, 0.0) * inverse;
    result.lower = std::min(offset, smallest);
    done = offset >= smallest;
    if (done || polytope.full()) break;
    ++result.iterations;
    const Vertex w = pair.support(unit(face.n.rounded()));
    const DoubleDouble h = dot(face.n, WideVec3(w.y));
    const double depth = std::max(h.high, 0.0) * inverse;
    done = !((h - face.offset).high * inverse > small);
    if (depth < smallest) {
      smallest = depth;
      best = face.vertex;
      result.n = unit(face.n.rounded());
    }
    if (!done && !polytope.expand(f, w, smallest * smallest * (1 + 1e-9))) break;
  }
  result.limited = !done;
  result.depth = smallest;
  find_exit(polytope, best, scale, result);
  result.depth *= pair.size();
  result.lower *= pair.size();
  return result;
}

}  // namespace carom::convex

#include "ccd/surface_limit.hpp"

#include <algorithm>
#include <cmath>

#include "core/parallel.hpp"

namespace carom::ccd {
namespace {

using rigid::Collider;
using rigid::Motion;
using Hit = SurfaceLimitScratch::Hit;

/// Fraction of the sweep to an impact that is left out, so that a gap stays.
constexpr double shape_kept_fraction = 0.1;
constexpr double shape_tolerance_fraction = 0.25;
constexpr std::size_t pair_chunk = 4;

Eigen::Isometry3d frame_of(const Motion& m) {
  const math::Mat3 r = math::matrix(m.q);
  Eigen::Isometry3d pose = Eigen::Isometry3d::Identity();
  pose.linear().col(0) = math::to_eigen(r.x);
  pose.linear().col(1) = math::to_eigen(r.y);
  pose.linear().col(2) = math::to_eigen(r.z);
  pose.translation() = math::to_eigen(m.x);
  return pose;
}

Eigen::Isometry3d local_frame(const Collider& c) {
  Eigen::Isometry3d pose = Eigen::Isometry3d::Identity();
  pose.linear().col(0) = math::to_eigen(c.rotation.x);
  pose.linear().col(1) = math::to_eigen(c.rotation.y);
  pose.linear().col(2) = math::to_eigen(c.rotation.z);
  pose.translation() = math::to_eigen(c.place);
  return pose;
}

/// Lower bounds of the distances at the start, per vertex: contacts have all features that are closer than `within`.
void set_bounds(const ColliderSurface& pair, std::vector<double>& bound) {
  for (const narrow::surface::ShapeContact& c : pair.contacts) {
    for (const Index v : c.vertices) {
      if (v != none) bound[static_cast<std::size_t>(v)] = INFINITY;
    }
  }
  for (const narrow::surface::ShapeContact& c : pair.contacts) {
    for (const Index v : c.vertices) {
      if (v == none) continue;
      double& b = bound[static_cast<std::size_t>(v)];
      b = std::min(b, c.distance);
    }
  }
}

void clear_bounds(const ColliderSurface& pair, std::vector<double>& bound) {
  for (const narrow::surface::ShapeContact& c : pair.contacts) {
    for (const Index v : c.vertices) {
      if (v != none) bound[static_cast<std::size_t>(v)] = INFINITY;
    }
  }
}

void find_hits(const SurfaceLimitIn& in, const SurfaceLimitScratch& s, std::uint32_t number,
               SlotSpan<const Motion> next, std::span<const Eigen::Vector3d> end, SurfaceLimitScratch::Chunk& chunk) {
  const ColliderSurface& pair = in.pairs[number];
  const contact::SurfacePart& part = in.parts[pair.part];
  const Collider& collider = in.bodies.colliders[pair.collider];
  const BodySlot body = collider.body;
  const Motion& from = in.bodies.motion[body];
  const Motion& to = next[body];
  const math::Vec3 turn = math::rotation_vector(to.q * math::conjugate(from.q));
  const double angle = length(turn);
  const double body_sweep =
      length(to.x - from.x) + (angle > 0 && collider.reach < INFINITY ? angle * collider.reach : 0.0);
  const Eigen::Isometry3d local = local_frame(collider);
  const convex::SweptPose swept_pose(frame_of(from), math::to_eigen(turn), math::to_eigen(to.x - from.x));
  const convex::MovingCore moving(*collider.core, swept_pose, local);
  const double arc = angle > 0 && collider.reach < INFINITY ? collider.reach * std::min(2.0, angle * angle / 8) : 0.0;
  Box box = narrow::surface::shape_box(*collider.core, frame_of(from) * local, in.separation + arc);
  box.grow(narrow::surface::shape_box(*collider.core, frame_of(to) * local, in.separation + arc));
  s.tree.find(box, chunk.tree, chunk.candidates);

  chunk.bound.resize(in.start.size(), INFINITY);
  set_bounds(pair, chunk.bound);
  const auto last = part.first_vertex + part.vertex_count;
  const std::span<const Triangle> triangles = in.surface.triangles();
  for (const Index t : chunk.candidates) {
    const Triangle& corners = triangles[static_cast<std::size_t>(t)];
    if (corners[0] < part.first_vertex || corners[0] >= last) continue;
    const auto attached = [&](Index v) { return in.vertices->is_attached(v, collider.body); };
    if (in.vertices != nullptr && std::any_of(corners.begin(), corners.end(), attached)) continue;
    double distance = pair.within;
    double sweep = 0;
    narrow::surface::MovingTriangle triangle;
    for (std::size_t k = 0; k < 3; ++k) {
      const auto v = static_cast<std::size_t>(corners[k]);
      triangle.start[k] = in.start[v];
      triangle.end[k] = end[v];
      distance = std::min(distance, chunk.bound[v]);
      sweep = std::max(sweep, (end[v] - in.start[v]).norm());
    }
    if (distance - in.resolution - in.separation > sweep + body_sweep) continue;
    const narrow::surface::ShapeImpact impact = narrow::surface::shape_impact(
        moving, triangle, {.separation = in.separation, .tolerance = shape_tolerance_fraction * in.separation},
        chunk.core);
    if (impact.hit) chunk.hits.push_back({number, t, impact.time, impact.normal, impact.point, impact.weights});
  }
  clear_bounds(pair, chunk.bound);
}

}  // namespace

std::size_t limit_round(Context& context, const SurfaceLimitIn& in, Shortening shortening, SurfaceLimitScratch& s,
                        SlotSpan<Motion> next, std::span<Eigen::Vector3d> end, bool& bodies_changed) {
  bodies_changed = false;
  if (in.pairs.empty()) return 0;
  s.limited.resize(in.start.size(), 0);
  s.tree.update(context.workers, in.surface, in.start, end);
  const std::size_t chunks = chunk_count(in.pairs.size(), pair_chunk);
  if (s.chunks.size() < chunks) s.chunks.resize(chunks);
  parallel_chunks(context.workers, in.pairs.size(), pair_chunk,
                  [&](std::size_t begin, std::size_t last, std::size_t chunk) {
                    s.chunks[chunk].hits.clear();
                    for (std::size_t i = begin; i < last; ++i)
                      find_hits(in, s, static_cast<std::uint32_t>(i), next, end, s.chunks[chunk]);
                  });
  s.hits.clear();
  for (std::size_t i = 0; i < chunks; ++i)
    s.hits.insert(s.hits.end(), s.chunks[i].hits.begin(), s.chunks[i].hits.end());
  if (s.hits.empty()) return 0;
  s.stops.insert(s.stops.end(), s.hits.begin(), s.hits.end());

  s.vertex_fraction.assign(in.start.size(), 1.0);
  s.carrier.assign(in.start.size(), BodySlot::none);
  s.body_fraction.assign(in.bodies.size(), 1.0);
  const std::span<const Triangle> triangles = in.surface.triangles();
  for (const Hit& hit : s.hits) {
    const double fraction = shortening == Shortening::before_impact ? (1 - shape_kept_fraction) * hit.time : 0;
    const Collider& collider = in.bodies.colliders[in.pairs[hit.pair].collider];
    const BodySlot body = collider.body;
    const bool scripted = in.bodies.info[body].motion == MotionModel::scripted;
    if (in.bodies.mass[body].inverse > 0 && in.bodies.asleep[body] == 0)
      s.body_fraction[body] = std::min(s.body_fraction[body], fraction);
    const auto shorten = [&](Index v) {
      const bool pin = !in.pins.empty() && in.pins[static_cast<std::size_t>(v)] != 0;
      if (!(in.inverse_mass[static_cast<std::size_t>(v)] > 0) && !pin) return;
      double& f = s.vertex_fraction[static_cast<std::size_t>(v)];
      if (fraction < f || scripted) {
        f = std::min(f, fraction);
        if (scripted) s.carrier[static_cast<std::size_t>(v)] = collider.body;
      }
    };
    if (shortening == Shortening::whole_parts) {
      const contact::SurfacePart& part = in.parts[in.pairs[hit.pair].part];
      for (Index v = 0; v < part.vertex_count; ++v) shorten(part.first_vertex + v);
    } else {
      for (const Index v : triangles[static_cast<std::size_t>(hit.triangle)]) shorten(v);
    }
  }
  for (std::size_t v = 0; v < in.start.size(); ++v) {
    if (s.vertex_fraction[v] == 1 && !s.carrier[v].valid()) continue;
    Eigen::Vector3d rest = in.start[v];
    if (s.carrier[v].valid()) {
      const BodySlot body = s.carrier[v];
      rest = frame_of(next[body]) * (frame_of(in.bodies.motion[body]).inverse() * in.start[v]);
    }
    end[v] = rest + s.vertex_fraction[v] * (end[v] - rest);
    s.limited[v] = 1;
  }
  for (const BodySlot i : in.bodies.slots()) {
    if (s.body_fraction[i] == 1) continue;
    const Motion& from = in.bodies.motion[i];
    Motion& to = next[i];
    const math::Vec3 turn = math::rotation_vector(to.q * math::conjugate(from.q));
    to.x = from.x + s.body_fraction[i] * (to.x - from.x);
    to.q = s.body_fraction[i] == 0 ? from.q : math::normalized(math::rotation_by(s.body_fraction[i] * turn) * from.q);
    bodies_changed = true;
  }
  return s.hits.size();
}

}  // namespace carom::ccd

#include "contact/mesh_pair.hpp"

#include <cmath>

namespace carom::contact {
namespace {

using convex::ConvexManifold;

/// Motion after which the triangles near a convex collider are searched again, as a fraction of its size.
constexpr double near_fraction = 0.1;

/// Error of points that are left out, as a fraction of the tolerance of reuse.
constexpr double held_fraction = 0.01;

void add_deepest(const QueryResult& r, MeshFound& found) {
  ConvexManifold patch;
  patch.distance = r.distance;
  patch.normal = math::to_vec3(r.normal);
  patch.points[0] = {math::to_vec3(0.5 * (r.point_a + r.point_b)), r.distance, 0};
  patch.count = 1;
  found.patches.push_back(patch);
}

}  // namespace

void update_mesh_manifold(MeshPair& entry, const Bodies& bodies, const Poses& poses, double within, double tolerance,
                          MeshFound& found) {
  const Collider& m = bodies.colliders[entry.mesh];
  const Collider& c = bodies.colliders[entry.convex];
  const Motion& from = bodies.motion[m.body];
  const Motion& to = bodies.motion[c.body];
  const Vec3 place = math::matrix(from.q).back(to.x - from.x);
  const Quat turn = math::conjugate(from.q) * to.q;
  const auto moved_from = [&](const Vec3& then, const Quat& turn_then) {
    const Quat t = math::conjugate(turn_then) * turn;
    return length(place - then) + 2 * std::sqrt(t.x * t.x + t.y * t.y + t.z * t.z) * c.reach;
  };
  found.what = MeshFound::What::nothing;
  if (entry.valid) {
    const double moved = moved_from(entry.cached_offset, entry.cached_rotation);
    if (entry.parts.empty() && entry.cached_distance - moved > within) return;
    if (!entry.parts.empty() && moved <= tolerance) {
      found.what = MeshFound::What::reused;
      return;
    }
  }
  entry.valid = true;
  entry.cached_offset = place;
  entry.cached_rotation = turn;
  found.what = MeshFound::What::updated;
  const Eigen::Isometry3d pose_a = poses.shape(bodies, entry.mesh);
  const Eigen::Isometry3d pose_b = poses.shape(bodies, entry.convex);
  const mesh::PlacedMesh a{*m.mesh, pose_a, m.margin};
  const mesh::PlacedCore b{*c.core, pose_b};
  if (!(within + moved_from(entry.near_place, entry.near_turn) <= entry.near_reach)) {
    entry.near_reach = within + near_fraction * c.size;
    entry.near_place = place;
    entry.near_turn = turn;
    mesh::find_candidates(a, b, entry.near_reach, entry.near);
  }
  mesh::find_face_manifolds(a, b, within, entry.near, found.triangles);
  gather(found.triangles, held_fraction * tolerance, found.groups, found.patches);
  if (!found.patches.empty()) return;
  QueryResult r;
  mesh::query(a, b, r);
  entry.cached_distance = r.distance;
  if (r.distance <= 0) add_deepest(r, found);  // inside of the mesh, away from its surface
}

void inherit(CachedManifold& fresh, std::span<CachedManifold* const> old, double reach) {
  CachedManifold* largest = nullptr;
  int max_points = 0;
  for (CachedManifold* const from : old) {
    int taken = 0;
    for (std::size_t i = 0; i < static_cast<std::size_t>(fresh.count); ++i) {
      CachedPoint& p = fresh.points[i];
      if (p.id != 0) continue;
      CachedPoint* nearest = nullptr;
      double smallest = reach * reach;
      for (std::size_t k = 0; k < static_cast<std::size_t>(from->count); ++k) {
        const Vec3 d = from->points[k].local_b - p.local_b;
        if (from->points[k].id == 0 || !(dot(d, d) < smallest)) continue;
        smallest = dot(d, d);
        nearest = &from->points[k];
      }
      if (nearest == nullptr) continue;
      p.id = nearest->id;
      p.age = nearest->age + 1;
      p.impulse = nearest->impulse;
      p.learned_load = nearest->learned_load;
      nearest->id = 0;
      ++taken;
    }
    if (taken > max_points) {
      max_points = taken;
      largest = from;
    }
  }
  if (largest == nullptr) return;
  fresh.friction_impulse = largest->friction_impulse;
  fresh.torsion_impulse = largest->torsion_impulse;
  fresh.stored = largest->stored;
  fresh.opening = largest->opening;
  largest->friction_impulse = {};
  largest->torsion_impulse = 0;
  largest->stored = 0;
}

}  // namespace carom::contact

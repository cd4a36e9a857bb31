#include "contact/mesh_pair.hpp"

#include <cmath>

namespace carom::rigid {
namespace {

using convex::Patch;

/// Of the size of the convex collider: how far it moves before the triangles near it are looked for anew.
constexpr double near_share = 0.1;

/// Of what a look may be off by: what points that are left out may be off by.
constexpr double held_share = 0.01;

void add_deepest(const QueryResult& r, MeshFound& found) {
  Patch patch;
  patch.distance = r.distance;
  patch.normal = detail::to_vec3(r.normal);
  patch.points[0] = {detail::to_vec3(0.5 * (r.point_a + r.point_b)), r.distance, 0};
  patch.count = 1;
  found.patches.push_back(patch);
}

}  // namespace

void look_at(MeshPair& entry, const Bodies& bodies, const Poses& poses, double within, double keep, MeshFound& found) {
  const Collider& m = bodies.colliders[static_cast<std::size_t>(entry.mesh)];
  const Collider& c = bodies.colliders[static_cast<std::size_t>(entry.convex)];
  const Motion& from = bodies.motion[static_cast<std::size_t>(m.body)];
  const Motion& to = bodies.motion[static_cast<std::size_t>(c.body)];
  const Vec3 place = detail::matrix(from.q).back(to.x - from.x);
  const Quat turn = detail::conjugate(from.q) * to.q;
  const auto moved_from = [&](const Vec3& then, const Quat& turn_then) {
    const Quat t = detail::conjugate(turn_then) * turn;
    return length(place - then) + 2 * std::sqrt(t.x * t.x + t.y * t.y + t.z * t.z) * c.reach;
  };
  found.what = MeshFound::What::nothing;
  if (entry.looked) {
    const double moved = moved_from(entry.place, entry.turn);
    if (entry.parts.empty() && entry.gap - moved > within) return;
    if (!entry.parts.empty() && moved <= keep) {
      found.what = MeshFound::What::kept;
      return;
    }
  }
  entry.looked = true;
  entry.place = place;
  entry.turn = turn;
  found.what = MeshFound::What::looked;
  const Eigen::Isometry3d pose_a = poses.shape(bodies, static_cast<std::size_t>(entry.mesh));
  const Eigen::Isometry3d pose_b = poses.shape(bodies, static_cast<std::size_t>(entry.convex));
  const mesh::PlacedMesh a{*m.mesh, pose_a, m.margin};
  const mesh::PlacedCore b{*c.core, pose_b};
  if (!(within + moved_from(entry.near_place, entry.near_turn) <= entry.near_reach)) {
    entry.near_reach = within + near_share * c.size;
    entry.near_place = place;
    entry.near_turn = turn;
    mesh::find_candidates(a, b, entry.near_reach, entry.near);
  }
  mesh::find_patches(a, b, within, entry.near, found.triangles);
  gather(found.triangles, held_share * keep, found.groups, found.patches);
  if (!found.patches.empty()) return;
  QueryResult r;
  mesh::query(a, b, r);
  entry.gap = r.distance;
  if (r.distance <= 0) add_deepest(r, found);  // inside of the mesh, away from its surface
}

void inherit(Pair& fresh, std::span<Pair* const> old, double reach) {
  Pair* most = nullptr;
  int most_points = 0;
  for (Pair* const from : old) {
    int taken = 0;
    for (std::size_t i = 0; i < static_cast<std::size_t>(fresh.count); ++i) {
      PairPoint& p = fresh.points[i];
      if (p.id != 0) continue;
      PairPoint* nearest = nullptr;
      double least = reach * reach;
      for (std::size_t k = 0; k < static_cast<std::size_t>(from->count); ++k) {
        const Vec3 d = from->points[k].local_b - p.local_b;
        if (from->points[k].id == 0 || !(dot(d, d) < least)) continue;
        least = dot(d, d);
        nearest = &from->points[k];
      }
      if (nearest == nullptr) continue;
      p.id = nearest->id;
      p.age = nearest->age + 1;
      p.impulse = nearest->impulse;
      p.reference = nearest->reference;
      nearest->id = 0;
      ++taken;
    }
    if (taken > most_points) {
      most_points = taken;
      most = from;
    }
  }
  if (most == nullptr) return;
  fresh.rub = most->rub;
  fresh.twist = most->twist;
  fresh.stored = most->stored;
  fresh.opening = most->opening;
  most->rub = {};
  most->twist = 0;
  most->stored = 0;
}

}  // namespace carom::rigid

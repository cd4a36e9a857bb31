#pragma once

#include <vector>

#include "contact/cached_manifold.hpp"
#include "narrow/mesh/manifold_groups.hpp"
#include "narrow/mesh/manifolds.hpp"

/// A convex collider near a mesh. It touches the mesh in as many places as it likes; each group of triangles that face
/// the same way has Pairs of its own, with the mesh as its a.
namespace carom::contact {

using mesh::GroupScratch;

struct MeshPair {
  ColliderPair key;
  ColliderIndex mesh{};
  ColliderIndex convex{};
  std::vector<ManifoldIndex> parts;  ///< manifolds, one for each group of triangles

  // At the last update: pose of the convex body relative to that of the mesh.
  bool valid = false;
  Vec3 cached_offset;
  Quat cached_rotation;
  double cached_distance = 0;  ///< then, if there was no part

  // Triangles within `near_reach` of a box around the convex collider when it was there.
  mesh::Candidates near;
  double near_reach = -1;  ///< m
  Vec3 near_place;
  Quat near_turn;
};

/// Manifolds of a mesh pair as the narrow phase found them, before they are stored.
struct MeshFound {
  enum class What : std::uint8_t { nothing, reused, updated };
  What what = What::nothing;
  std::vector<convex::ConvexManifold> patches;
  std::vector<CachedManifold> unplaced_manifolds;  ///< pairs beyond those that the entry has
  std::vector<mesh::FaceManifold> triangles;       ///< working memory
  GroupScratch groups;                             ///< working memory
};

/// Finds the manifolds of a mesh pair, unless the cached ones are valid to `tolerance`. Writes only `found` and the
/// cached pose, so pairs may be updated in parallel.
void update_mesh_manifold(MeshPair& entry, const Bodies& bodies, const Poses& poses, double within, double tolerance,
                          MeshFound& found);

/// The points of `fresh`, each with the id and the impulses of the old one that was nearest to it on the convex body,
/// if it was nearer than `reach` and has not been given away yet. Old ones that are given away lose their id.
void inherit(CachedManifold& fresh, std::span<CachedManifold* const> old, double reach);

}  // namespace carom::contact

#pragma once

#include <vector>

#include "contact/mesh_groups.hpp"
#include "contact/rigid_pair.hpp"
#include "narrow/mesh/manifolds.hpp"

/// A convex collider near a mesh. It touches the mesh in as many places as it likes; each group of triangles that face
/// the same way has Pairs of its own, with the mesh as its a.
namespace carom::rigid {

struct MeshPair {
  ColliderPair key;
  std::int32_t mesh = 0;  ///< colliders
  std::int32_t convex = 0;
  std::vector<std::int32_t> parts;  ///< numbers of its pairs

  // When the narrow phase last looked: the convex body as seen from that of the mesh.
  bool looked = false;
  Vec3 place;
  Quat turn;
  double gap = 0;  ///< then, if there was no part

  // Triangles within `near_reach` of a box around the convex collider when it was there.
  mesh::Candidates near;
  double near_reach = -1;  ///< m
  Vec3 near_place;
  Quat near_turn;
};

/// What the narrow phase found, before it has a place.
struct MeshFound {
  enum class What : std::uint8_t { nothing, kept, looked };
  What what = What::nothing;
  std::vector<convex::Patch> patches;
  std::vector<Pair> homeless;                  ///< pairs beyond those that the entry has
  std::vector<mesh::TrianglePatch> triangles;  ///< working memory
  GroupScratch groups;                         ///< working memory
};

/// As update() of a pair: looks, unless nothing can have changed by more than `keep`. Writes nothing but `found` and
/// the time of the look, so many may be looked at together.
void look_at(MeshPair& entry, const Bodies& bodies, const Poses& poses, double within, double keep, MeshFound& found);

/// The points of `fresh`, each with the id and the impulses of the old one that was nearest to it on the convex body,
/// if it was nearer than `reach` and has not been given away yet. Old ones that are given away lose their id.
void inherit(Pair& fresh, std::span<Pair* const> old, double reach);

}  // namespace carom::rigid

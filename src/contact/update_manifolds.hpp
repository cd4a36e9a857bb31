#pragma once

#include <array>
#include <span>
#include <vector>

#include "bodies/travel.hpp"
#include "contact/pair_table.hpp"

/// Stage `narrow` of shapes: the manifolds of all pairs, made anew or moved along with the bodies.
namespace carom::contact {

struct NarrowIn {
  const Bodies& bodies;
  const Poses& poses;
  ColliderSpan<const rigid::ColliderTravel> travel;
  double speculative_distance = 0;  ///< m
  double dt = 0;                    ///< s
};

struct NarrowScratch {
  struct Counts {
    std::uint32_t updates = 0;
    std::uint32_t apart = 0;  ///< records without points
    std::uint32_t deep = 0;
  };
  std::vector<Counts> counts;         ///< counts of each chunk of records
  std::vector<MeshFound> mesh_found;  ///< manifolds of each pair with a mesh
  bool some_deep = false;             ///< some pair overlaps deeply, see PairRecord
};

/// Motion of two colliders up to which their manifold is reused, as a fraction of the size of the smaller.
inline constexpr double keep_fraction = 1e-3;

/// Manifolds of pairs of convex colliders. `places` is the order in which to visit the records.
void update_manifolds(Context& context, const NarrowIn& in, std::span<const std::uint32_t> places, PairTable& table,
                      NarrowScratch& scratch, StageStats& stats);
/// Manifolds of pairs of a convex collider and a rigid mesh.
void update_mesh_manifolds(Context& context, const NarrowIn& in, PairTable& table, NarrowScratch& scratch,
                           StageStats& stats);

}  // namespace carom::contact

#pragma once

#include <deque>
#include <span>
#include <vector>

#include "bodies/vertices.hpp"
#include "contact/anchor_contacts.hpp"
#include "contact/pair_table.hpp"
#include "contact/rigid_meshes.hpp"
#include "detect/detection.hpp"
#include "narrow/surface/surface_tree.hpp"

/// Stages `mid` and `narrow` of surfaces: features that are near each other, and convex colliders near features.
namespace carom::contact {

/// Separation of features inside an edge or a triangle from those of its boundary, as a fraction of the thickness,
/// below which they make no contact of their own.
inline constexpr double resolution_fraction = 0.05;

struct SurfaceIn {
  const BodyMap& bodies;
  const Bodies& table;
  const Poses& poses;
  const bodies::Vertices& vertices;
  std::span<const SurfacePair> pairs;   ///< of a convex collider and a surface
  std::span<const std::uint8_t> still;  ///< of each slot: 1 if nothing of the body moves in this step
  double thickness = 0;                 ///< m
  Eigen::Vector3d gravity;
  double dt = 0;        ///< s
  bool at_end = false;  ///< features where they are predicted to be at the end of the step, not at its start
  PairScope scope = PairScope::all;
  mid::Method method = mid::Method::bvh;
  ContactFilters filters{};
  std::span<const std::uint8_t> marks;  ///< of each part, see broad::ObjectChoice
  bool continuous = false;              ///< some surfaces are limited by the continuous stage
};

/// Rigid bodies that have contacts with surfaces, each once.
struct CoupledBodies {
  std::vector<CoupledBody> list;
  std::vector<std::int32_t> number;  ///< of each slot: its number in the list, or -1

  void clear(std::size_t slots);
  /// Number of a body in the list, which it joins if need be.
  std::int32_t couple(const Bodies& table, std::int32_t body);
};

/// Contacts of convex colliders with surfaces, of each pair.
struct ShapeFound {
  std::vector<ShapeContacts> contacts;
  std::vector<std::size_t> parts;  ///< of the surface
  std::vector<double> within;      ///< m, how far contacts were looked for
};

struct SurfaceScratch {
  detection::Scratch detection;
  narrow::surface::SurfaceTree tree;
  struct Chunk {
    narrow::surface::SurfaceTree::Scratch tree;
    std::vector<Index> candidates;
    narrow::surface::ShapeContactScratch contacts;
  };
  std::deque<Chunk> chunks;     ///< its elements never move
  std::vector<double> fastest;  ///< m/s, of each part
};

void find_surface_contacts(Context& context, const SurfaceIn& in, SurfaceScratch& scratch, RigidMeshes& meshes,
                           std::vector<Contact>& features, ShapeFound& shapes, CoupledBodies& coupled,
                           PipelineStats& stats);

}  // namespace carom::contact

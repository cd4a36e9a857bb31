#pragma once

#include <deque>
#include <span>
#include <vector>

#include "bodies/vertices.hpp"
#include "contact/anchor_contacts.hpp"
#include "contact/deep_contacts.hpp"
#include "contact/pair_table.hpp"
#include "contact/rigid_meshes.hpp"
#include "contact/thin_contacts.hpp"
#include "detect/detection.hpp"
#include "field/field_contacts.hpp"
#include "narrow/surface/surface_tree.hpp"

/// Stages `mid` and `narrow` of surfaces: features that are near each other, and convex colliders near features.
namespace carom::contact {

/// Separation of features inside an edge or a triangle from those of its boundary, as a fraction of the thickness,
/// below which they make no contact of their own.
inline constexpr double resolution_fraction = 0.05;

/// Body with a distance field and a deforming part of the joined surface that may touch it.
struct FieldPair {
  BodySlot body;
  std::size_t part = 0;
};

/// Distance of the detection beyond the thickness, as a fraction of it, at most where soft bodies come to others: pairs
/// grow with its square, rounds with its inverse.
inline constexpr double approach_margin = 3;

struct SurfaceIn {
  const BodyMap& bodies;
  const Bodies& table;
  const Poses& poses;
  const bodies::Vertices& vertices;
  std::span<const SurfacePair> pairs;  ///< pairs of a convex collider and a surface
  std::span<const FieldPair> field_pairs;
  SlotSpan<const std::uint8_t> still;  ///< 1 if nothing of the body moves in this step
  double thickness = 0;                ///< m
  Eigen::Vector3d gravity;
  double dt = 0;        ///< s
  bool at_end = false;  ///< features where they are predicted to be at the end of the step, not at its start
  PairScope scope = PairScope::all;
  mid::Method method = mid::Method::clusters;
  int sphere_depth = mid::SphereTreeOptions{}.depth;
  ContactFilters filters{};
  /// Vertices whose features make no contacts, and yet do not pass through each other: ascending, the smaller first.
  std::span<const std::array<Index, 2>> sewn{};
  std::span<const std::uint8_t> marks;      ///< mark of each part, see broad::ObjectChoice
  const broad::Tangled* tangled = nullptr;  ///< features that make no contacts, if any
  bool continuous = false;                  ///< some surfaces are limited by the continuous stage
  bool thin = false;                        ///< contacts that carry no force are not wanted, see ThinContacts
  double near_motion = -1;   ///< m, expected of near surfaces against each other in this step; negative if not known
  double self_motion = -1;   ///< m, the same of what is near on one surface, if not that of all
  double soft_approach = 0;  ///< m, expected of soft bodies towards other surfaces in this step
};

/// Rigid bodies that have contacts with surfaces, each once.
struct CoupledBodies {
  std::vector<CoupledBody> list;
  BySlot<std::int32_t> number;  ///< number of the body in the list, or -1

  void clear(std::size_t slots);
  /// Number of a body in the list, which it joins if need be.
  std::int32_t couple(const Bodies& table, BodySlot body);
};

/// Contacts of convex colliders with surfaces, of each pair; then those of distance fields.
struct ShapeFound {
  std::vector<ShapeContacts> contacts;
  std::vector<std::size_t> parts;  ///< part of the surface, of each pair
  std::vector<double> within;      ///< m, how far contacts were looked for
  std::size_t convex_count = 0;    ///< pairs of convex colliders, which come first
};

struct SurfaceScratch {
  detection::Scratch detection;
  DeepContacts deep;                   ///< found before the contacts of features
  detection::FlatClusters flat;        ///< pairs of clusters that carry no force, and are not among `near`
  std::vector<std::uint8_t> may_thin;  ///< objects, for `flat`
  narrow::surface::SurfaceTree tree;
  struct Chunk {
    narrow::surface::SurfaceTree::Scratch tree;
    std::vector<Index> candidates;
    narrow::surface::ShapeContactScratch contacts;
  };
  std::deque<Chunk> chunks;     ///< its elements never move
  std::vector<double> fastest;  ///< m/s, of each part
  field::FieldContactScratch field;
  /// m; all pairs of features that were closer than this at the start of the step were found. 0: some were left out.
  double complete_within = 0;
  double self_complete_within = 0;  ///< m, the same of pairs of one part
  std::vector<NearPair> near;       ///< these pairs
  ThinContacts thin;
  std::vector<Contact> carrying;
  std::size_t left_out = 0;  ///< pairs that carry no force
  std::size_t sewn = 0;      ///< pairs at vertices that are sewn together
};

/// Into `features`: contacts of features; where SurfaceIn::thin says so, those that carry force.
void find_surface_contacts(Context& context, const SurfaceIn& in, SurfaceScratch& scratch, RigidMeshes& meshes,
                           std::vector<Contact>& features, ShapeFound& shapes, CoupledBodies& coupled,
                           PipelineStats& stats);

}  // namespace carom::contact

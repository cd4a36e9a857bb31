#pragma once

#include <deque>
#include <span>
#include <vector>

#include "bodies/rigid.hpp"
#include "contact/anchor_contacts.hpp"
#include "core/context.hpp"
#include "narrow/surface/shape_impact.hpp"
#include "narrow/surface/surface_tree.hpp"

/// Continuous stage between convex colliders and deforming surfaces: no triangle passes through a collider in a step.
///
/// Inequality: along its sweep every pair of a collider and a triangle that starts apart by d keeps a distance of at
/// least min(separation, d - min(tolerance, d / 2)) > 0, see shape_impact.hpp. A pair that would come closer has its
/// sweeps shortened: both sides stop before the time of impact, except that vertices are carried by a scripted
/// collider, which nothing stops.
namespace carom::ccd {

/// Collider and part of the joined surface whose sweeps may meet.
struct ColliderSurface {
  ColliderIndex collider{};
  std::size_t part = 0;
  double within = 0;  ///< m; contacts of the pair closer than this are in `contacts`
  std::span<const narrow::surface::ShapeContact> contacts;
};

struct SurfaceLimitIn {
  const Surface& surface;
  std::span<const contact::SurfacePart> parts;
  std::span<const ColliderSurface> pairs;
  const rigid::Bodies& bodies;  ///< at the start of the step
  std::span<const Eigen::Vector3d> start;
  std::span<const double> inverse_mass;
  double separation = 0;                       ///< m
  double resolution = 0;                       ///< m, of the contacts
  std::span<const std::uint8_t> pins{};        ///< as in limit::In
  const bodies::Vertices* vertices = nullptr;  ///< those attached to bodies do not meet them; none: none are
};

struct SurfaceLimitScratch {
  narrow::surface::SurfaceTree tree;
  struct Hit {
    std::uint32_t pair = 0;
    Index triangle = none;
    double time = 1;
    Eigen::Vector3d normal = Eigen::Vector3d::Zero();  ///< unit, from the shape to the triangle
    Eigen::Vector3d point = Eigen::Vector3d::Zero();   ///< on the triangle at `time`, world frame
    std::array<double, 3> weights{};                   ///< barycentric, of `point`
  };
  struct Chunk {
    narrow::surface::SurfaceTree::Scratch tree;
    std::vector<Index> candidates;
    mesh::TriangleCore core;
    std::vector<Hit> hits;
    std::vector<double> bound;  ///< m, of each vertex: no feature with it is closer at the start
  };
  std::deque<Chunk> chunks;  ///< its elements never move
  std::vector<Hit> hits;
  std::vector<Hit> stops;               ///< hits of all rounds since the caller cleared them
  std::vector<double> vertex_fraction;  ///< of the sweep of each vertex that is kept in a round
  std::vector<BodySlot> carrier;        ///< scripted body that carries each vertex, or none
  BySlot<double> body_fraction;         ///< fraction of the sweep of each rigid body that is kept in a round
  std::vector<std::uint8_t> limited;    ///< vertices whose end has changed
};

enum class Shortening {
  before_impact,  ///< sweeps end before the time of impact
  whole_step,     ///< bodies and vertices that meet stay where they start
  whole_parts,    ///< all vertices of the parts that meet something stay
};

/// One round: shortens the sweeps of all pairs that meet. Returns how many pairs of a collider and a triangle did;
/// `bodies_changed` tells whether the sweep of a rigid body is now another.
std::size_t limit_round(Context& context, const SurfaceLimitIn& in, Shortening shortening, SurfaceLimitScratch& scratch,
                        SlotSpan<rigid::Motion> next, std::span<Eigen::Vector3d> end, bool& bodies_changed);

}  // namespace carom::ccd

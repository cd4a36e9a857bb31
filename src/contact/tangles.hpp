#pragma once

#include <span>
#include <vector>

#include "bodies/vertices.hpp"
#include "broad/object_filter.hpp"
#include "broad/tangled.hpp"
#include "carom/detect/intersect.hpp"
#include "contact/anchor_contacts.hpp"
#include "core/context.hpp"
#include "detect/candidates.hpp"
#include "narrow/crossing.hpp"

/// Tangles: surfaces that intersect at the start of a step, as users' meshes do. Each is a contour, along which the
/// edges of one surface pierce the triangles of another, or of the same one.
namespace carom::contact {

/// Contour between two objects, or of one with itself, and how its two sides come apart. The contour cuts a surface in
/// two where it can; the smaller part has to go back through the other surface, against the side that it came from
/// (Baraff, Witkin and Kass 2003; Zouiouche 2012, III.8). Where it cuts neither surface in two, it begins at the border
/// of one, which goes back along the contour (Volino and Magnenat-Thalmann 2006).
struct Tangle {
  Index object_a = none;                                 ///< position of the object of `moved`
  Index object_b = none;                                 ///< position of the object of `other`
  std::vector<Index> moved{};                            ///< vertices that go along `direction`
  std::vector<Index> other{};                            ///< vertices that go against it
  Eigen::Vector3d direction = Eigen::Vector3d::UnitY();  ///< unit
  std::size_t pairs = 0;                                 ///< of triangles that intersect
  std::array<Index, 2> triangles{none, none};            ///< the first of these pairs
  Eigen::Vector3d center = Eigen::Vector3d::Zero();      ///< m, mean of the middles of these pairs
};

struct TangleIn {
  const Surface& surface;
  std::span<const Eigen::Vector3d> positions;
  std::span<const double> inverse_mass;  ///< 1/kg of each vertex; 0: no force moves it
  const broad::ObjectFilter& filter;     ///< objects that must not pass through each other
  /// Vertices that were one: triangles at them touch, which is no tangle. Ascending.
  std::span<const std::array<Index, 2>> twins{};
  PairScope scope = PairScope::all;
  mid::Method method = mid::Method::clusters;
};

struct TangleScratch {
  detection::Candidates candidates;
  narrow::CrossingScratch crossing;
  std::vector<Intersection> found;
  PipelineStats stats;
};

/// Finds all tangles, in the order of their objects and their first pairs, and the features that are let through until
/// they are apart.
void find_tangles(Context& context, const TangleIn& in, TangleScratch& scratch, std::vector<Tangle>& tangles,
                  broad::Tangled& tangled);

/// Cloth that is in a convex shape at the start of a step. It comes out by its contacts, not as a tangle does.
struct ShapeTangle {
  std::size_t part = 0;                              ///< of the surface
  ColliderIndex collider{};                          ///< the shape
  std::size_t features = 0;                          ///< vertices, edges and triangles that overlap the shape
  double depth = 0;                                  ///< m, of the deepest
  Index triangle = none;                             ///< one that the deepest is of
  Eigen::Vector3d center = Eigen::Vector3d::Zero();  ///< m, mean of their points
};

/// Lists cloth that is in convex shapes by more than `tolerance` (m), from the contacts with these; shape i is in touch
/// with `parts[cloth_of[i]]`.
void list_in_shapes(std::span<const ShapeContacts> shapes, std::span<const std::size_t> cloth_of,
                    std::span<const bodies::SurfacePart> parts, const Surface& surface, double tolerance,
                    std::vector<ShapeTangle>& list);

}  // namespace carom::contact

#pragma once

#include <compare>
#include <span>
#include <vector>

#include "bodies/vertices.hpp"
#include "carom/detect/contact.hpp"
#include "contact/anchor.hpp"
#include "narrow/surface/shape_contacts.hpp"

/// Stage `contacts` of deforming bodies: contacts of features, and of shapes with features, become contacts between
/// anchors. Each keeps the id, age and impulses that it had in the step before.
namespace carom::contact {

using bodies::SurfacePart;

/// Part that a vertex belongs to.
const SurfacePart& part_of_vertex(std::span<const SurfacePart> parts, Index vertex);

enum class AnchorKind : std::uint8_t { vertex_face, edge_edge, shape_vertex, shape_edge, shape_face };

/// Identity of a contact from step to step: serial numbers of the bodies, and features numbered within them. The side a
/// of a shape is the number of its collider within its body.
struct AnchorKey {
  AnchorKind kind = AnchorKind::vertex_face;
  std::uint32_t serial_a = 0;
  std::array<Index, 2> a{none, none};
  std::uint32_t serial_b = 0;
  std::array<Index, 2> b{none, none};
  friend auto operator<=>(const AnchorKey&, const AnchorKey&) = default;
};

struct AnchorIdentity {
  AnchorKey key;
  BodyId body_a;
  BodyId body_b;
  Index first_a = 0;  ///< first vertex of the body of side a in the joined surface
  Index first_b = 0;
  Index triangle_b = none;  ///< number in its body of the triangle of side b, if that is one; the key has its name
  std::uint64_t id = 0;     ///< never used again
  std::uint32_t age = 0;    ///< steps since the contact began
};

/// Contacts of a step, ascending by key.
struct AnchorList {
  std::vector<AnchorContact> contacts;
  std::vector<AnchorIdentity> identities;  ///< identity of each contact

  void clear() {
    contacts.clear();
    identities.clear();
  }
};

/// Contacts of one convex collider with the surface.
struct ShapeContacts {
  ColliderIndex collider{};
  std::int32_t coupled = 0;  ///< number of its body among the coupled bodies
  std::uint32_t serial = 0;  ///< serial number of its body
  std::vector<narrow::surface::ShapeContact> contacts;
};

struct AnchorIn {
  std::span<const Contact> features;  ///< canonical order, numbered over the joined surface
  std::span<const ShapeContacts> shapes;
  std::span<const SurfacePart> parts;
  std::span<const Index> triangle_names;  ///< see bodies::Vertices
  const rigid::Bodies& bodies;
  std::span<const Eigen::Vector3d> start;             ///< m, position of each vertex
  std::span<const Eigen::Vector3d> start_velocities;  ///< m/s, velocity of each vertex
  std::span<const CoupledBody> coupled;
  double thickness = 0;                     ///< m
  SlotSpan<const std::uint8_t> scripted{};  ///< 1 if the body moves by a script in this step
};

/// Velocity of side b of a contact relative to side a at the start of the step, m/s.
Vec3 relative_velocity(const AnchorContact& contact, const AnchorIn& in);

/// Largest speed of one side along the other, m/s, over the contacts that pushed or may close within a step of dt (s).
double slide_speed(std::span<const AnchorContact> contacts, const AnchorState& end, double dt);

/// Replaces `out` by the contacts of this step. `next_id` is the first id that is free.
void run(const AnchorIn& in, const AnchorList& previous, AnchorList& out, std::uint64_t& next_id);

}  // namespace carom::contact

#include "contact/anchor_contacts.hpp"

#include <algorithm>
#include <cmath>

namespace carom::contact {
namespace {

using math::Vec3;

const SurfacePart& part_of_triangle(std::span<const SurfacePart> parts, Index triangle) {
  const auto after = std::upper_bound(parts.begin(), parts.end(), triangle,
                                      [](Index t, const SurfacePart& part) { return t < part.first_triangle; });
  return *std::prev(after);
}

/// Name of a triangle within its body.
Index name_of(const AnchorIn& in, const SurfacePart& part, Index triangle) {
  return in.triangle_names.empty() ? triangle - part.first_triangle
                                   : in.triangle_names[static_cast<std::size_t>(triangle)];
}

std::array<Index, 2> within(const std::array<Index, 2>& feature, Index first) {
  return {feature[0] - first, feature[1] == none ? none : feature[1] - first};
}

/// Velocity of an anchor at the start of the step.
Vec3 start_velocity(const Anchor& anchor, const AnchorIn& in) {
  if (anchor.rigid >= 0) {
    const CoupledBody& body = in.coupled[static_cast<std::size_t>(anchor.rigid)];
    return body.v + cross(body.w, anchor.arm);
  }
  Vec3 sum;
  for (std::size_t k = 0; k < anchor.count; ++k)
    sum = sum + anchor.weights[k] * math::to_vec3(in.start_velocities[static_cast<std::size_t>(anchor.vertices[k])]);
  return sum;
}

}  // namespace

Vec3 relative_velocity(const AnchorContact& c, const AnchorIn& in) {
  return start_velocity(c.b, in) - start_velocity(c.a, in);
}

namespace {

/// Thickness between two surfaces, m: the mean of those that deform.
double thickness_of(const AnchorIn& in, const SurfacePart& a, const SurfacePart& b) {
  if (a.thickness == 0 && b.thickness == 0) return in.thickness;
  if (a.thickness == 0 || b.thickness == 0) return a.thickness + b.thickness;
  return 0.5 * (a.thickness + b.thickness);
}

void finish(const AnchorIn& in, double thickness, AnchorContact& c) {
  c.gap = c.distance - thickness;
  c.normal_speed = dot(c.normal, relative_velocity(c, in));
}

void add_feature(const AnchorIn& in, const Contact& found, AnchorList& out) {
  const bool vertex_face = found.kind == ContactKind::vertex_face;
  const SurfacePart& a = part_of_vertex(in.parts, found.a[0]);
  const SurfacePart& b = vertex_face ? part_of_triangle(in.parts, found.b[0]) : part_of_vertex(in.parts, found.b[0]);
  AnchorContact c;
  const auto split = static_cast<std::size_t>(side_a_size(found.kind));
  for (std::size_t k = 0; k < 4; ++k) {
    Anchor& side = k < split ? c.a : c.b;
    side.vertices[side.count] = found.vertices[k];
    side.weights[side.count++] = found.weights[k];
  }
  c.point_a = math::to_vec3(found.point_a);
  c.point_b = math::to_vec3(found.point_b);
  c.normal = math::to_vec3(found.normal);
  c.distance = found.distance;
  c.friction = std::sqrt(a.friction * b.friction);
  c.restitution = std::max(a.restitution, b.restitution);
  finish(in, thickness_of(in, a, b), c);
  out.contacts.push_back(c);
  AnchorIdentity& identity = out.identities.emplace_back();
  identity.key = {
      vertex_face ? AnchorKind::vertex_face : AnchorKind::edge_edge, a.serial, within(found.a, a.first_vertex),
      b.serial, vertex_face ? std::array<Index, 2>{name_of(in, b, found.b[0]), none} : within(found.b, b.first_vertex)};
  identity.body_a = a.id;
  identity.body_b = b.id;
  identity.first_a = a.first_vertex;
  identity.first_b = b.first_vertex;
  if (vertex_face) identity.triangle_b = found.b[0] - b.first_triangle;
}

void add_shape(const AnchorIn& in, const ShapeContacts& shape, const narrow::surface::ShapeContact& found,
               AnchorList& out) {
  using narrow::surface::FeatureKind;
  const rigid::Collider& collider = in.bodies.colliders[shape.collider];
  const BodySlot body = collider.body;
  const rigid::Info& info = in.bodies.info[body];
  const SurfacePart& part = part_of_vertex(in.parts, found.vertices[0]);
  AnchorContact c;
  c.a.rigid = shape.coupled;
  // Both impulses of a contact act at the point of the surface, so that friction has one line of action.
  c.a.arm = math::to_vec3(found.point_on_surface) - in.bodies.motion[body].x;
  for (std::size_t k = 0; k < 3 && found.vertices[k] != none; ++k) {
    c.b.vertices[c.b.count] = found.vertices[k];
    c.b.weights[c.b.count++] = found.weights[k];
  }
  c.point_a = math::to_vec3(found.point_on_shape);
  c.point_b = math::to_vec3(found.point_on_surface);
  c.normal = math::to_vec3(found.normal);
  c.distance = found.distance;
  c.friction = std::sqrt(info.friction * part.friction);
  c.restitution = std::max(info.restitution, part.restitution);
  finish(in, thickness_of(in, part, part), c);
  out.contacts.push_back(c);
  AnchorIdentity& identity = out.identities.emplace_back();
  identity.key.kind = found.feature == FeatureKind::vertex ? AnchorKind::shape_vertex
                      : found.feature == FeatureKind::edge ? AnchorKind::shape_edge
                                                           : AnchorKind::shape_face;
  identity.key.serial_a = shape.serial;
  identity.key.a = {shape.collider - info.first_collider, none};
  identity.key.serial_b = part.serial;
  if (found.feature == FeatureKind::edge) {
    identity.key.b = {found.vertices[0] - part.first_vertex, found.vertices[1] - part.first_vertex};
  } else {
    identity.key.b = {found.feature == FeatureKind::vertex ? found.id - part.first_vertex : name_of(in, part, found.id),
                      none};
  }
  if (found.feature == FeatureKind::triangle) identity.triangle_b = found.id - part.first_triangle;
  identity.body_a = info.id;
  identity.body_b = part.id;
  identity.first_b = part.first_vertex;
}

/// Contacts from `first` on, ascending by key.
void sort_from(std::size_t first, AnchorList& list) {
  std::vector<std::size_t> order(list.contacts.size() - first);
  for (std::size_t i = 0; i < order.size(); ++i) order[i] = first + i;
  std::sort(order.begin(), order.end(),
            [&](std::size_t i, std::size_t k) { return list.identities[i].key < list.identities[k].key; });
  AnchorList sorted;
  for (const std::size_t i : order) {
    sorted.contacts.push_back(list.contacts[i]);
    sorted.identities.push_back(list.identities[i]);
  }
  std::copy(sorted.contacts.begin(), sorted.contacts.end(), list.contacts.begin() + static_cast<std::ptrdiff_t>(first));
  std::copy(sorted.identities.begin(), sorted.identities.end(),
            list.identities.begin() + static_cast<std::ptrdiff_t>(first));
}

}  // namespace

const SurfacePart& part_of_vertex(std::span<const SurfacePart> parts, Index vertex) {
  const auto after = std::upper_bound(parts.begin(), parts.end(), vertex,
                                      [](Index v, const SurfacePart& part) { return v < part.first_vertex; });
  return *std::prev(after);
}

double slide_speed(std::span<const AnchorContact> contacts, const AnchorState& end, double dt) {
  double largest = 0;
  for (const AnchorContact& c : contacts) {
    const Vec3 v = velocity_at(c.b, end) - velocity_at(c.a, end);
    const double closing = std::min(0.0, dot(c.normal, v));
    if (!(c.total > 0) && !(c.gap + 2 * dt * closing < 0)) continue;
    const Vec3 along = v - dot(c.normal, v) * c.normal;
    largest = std::max(largest, dot(along, along));
  }
  return std::sqrt(largest);
}

void run(const AnchorIn& in, const AnchorList& previous, AnchorList& out, std::uint64_t& next_id) {
  out.clear();
  for (const Contact& found : in.features) add_feature(in, found, out);
  const std::size_t features = out.contacts.size();
  for (const ShapeContacts& shape : in.shapes) {
    for (const narrow::surface::ShapeContact& found : shape.contacts) add_shape(in, shape, found, out);
  }
  sort_from(features, out);

  std::size_t old = 0;
  for (std::size_t i = 0; i < out.contacts.size(); ++i) {
    AnchorIdentity& identity = out.identities[i];
    while (old < previous.identities.size() && previous.identities[old].key < identity.key) ++old;
    if (old < previous.identities.size() && previous.identities[old].key == identity.key) {
      identity.id = previous.identities[old].id;
      identity.age = previous.identities[old].age + 1;
      out.contacts[i].normal_impulse = previous.contacts[old].normal_impulse;
      out.contacts[i].friction_impulse = previous.contacts[old].friction_impulse;
    } else {
      identity.id = next_id++;
    }
  }
}

}  // namespace carom::contact

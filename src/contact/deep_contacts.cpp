#include "contact/deep_contacts.hpp"

#include <algorithm>

#include "carom/mesh/closest.hpp"
#include "core/at.hpp"
#include "math/vec3.hpp"
#include "narrow/mesh/point_queries.hpp"
#include "shapes/shape_data.hpp"

namespace carom::contact {
namespace {

using Eigen::Vector3d;

constexpr std::size_t inside_grain = 256;
/// Mean of the unit normals of a pair below which they do not agree on a way out.
constexpr double min_agreement = 0.6;
/// Of the area inside, that faces one way.
constexpr double min_shrinking = 0.1;

}  // namespace

DeepContacts::FieldBody& DeepContacts::field_of(const Body& body) {
  const auto known =
      std::find_if(fields_.begin(), fields_.end(), [&](const FieldBody& f) { return f.serial == body.serial; });
  FieldBody& field = known == fields_.end() ? fields_.emplace_back() : *known;
  if (field.model != body.soft.model) {
    field.serial = body.serial;
    field.model = body.soft.model;
    field.rest = Shape::mesh({body.rest_positions, body.triangles});
  }
  return field;
}

void DeepContacts::find_inside(Context& context, const DeepIn& in, const bodies::SurfacePart& soft,
                               const FieldBody& field, const bodies::SurfacePart& other) {
  const Body& body = in.bodies[soft.id];
  const shapes::MeshData& rest = *field.rest->data().mesh;
  append_.run(context.workers, static_cast<std::size_t>(other.vertex_count), inside_grain, of_pair_,
              [&](std::size_t begin, std::size_t end, std::vector<Inside>& out, std::size_t) {
                for (std::size_t k = begin; k < end; ++k) {
                  const Index vertex = other.first_vertex + static_cast<Index>(k);
                  const auto place = solid::place_in_field(body.soft, field.cells, in.vertices.start[at(vertex)]);
                  if (!place || !(place->depth.distance < 0)) continue;
                  const math::Vec3 point = math::to_vec3(place->rest);
                  const mesh::NearestPoint near = mesh::nearest(rest, point, INFINITY);
                  if (near.triangle == none) continue;
                  const Vector3d weights =
                      closest_vertex_triangle(place->rest, rest.corner(near.triangle, 0), rest.corner(near.triangle, 1),
                                              rest.corner(near.triangle, 2))
                          .weights;
                  out.push_back({.vertex = vertex,
                                 .triangle = soft.first_triangle + near.triangle,
                                 .depth = -place->depth.distance,
                                 .normal = -place->depth.normal,
                                 .weights = weights});
                }
              });
}

void DeepContacts::find(Context& context, const DeepIn& in, broad::Tangled& tangled) {
  found_.clear();
  objects_.clear();
  const std::vector<bodies::SurfacePart>& parts = in.vertices.parts;
  const auto field_soft = [&](const Body& body) { return body.is_soft() && body.soft.model->field.has_value(); };
  const bool any = std::ranges::any_of(parts, [&](const auto& part) { return field_soft(in.bodies[part.id]); });
  if (!any || in.scope == PairScope::self) {
    fields_.clear();
    return;
  }
  std::erase_if(fields_, [&](const FieldBody& field) {
    return std::ranges::none_of(parts, [&](const auto& part) { return part.serial == field.serial; });
  });
  filter_.set(in.filters, in.vertices.surface());
  for (std::size_t s = 0; s < parts.size(); ++s) {
    const Body& body = in.bodies[parts[s].id];
    if (!field_soft(body)) continue;
    Eigen::AlignedBox3d box;
    for (const Vector3d& node : body.soft.nodes) box.extend(node);
    bool built = false;
    for (std::size_t o = 0; o < parts.size(); ++o) {
      const Body& other = in.bodies[parts[o].id];
      if (o == s || !other.has_vertices()) continue;
      if (in.table.asleep[body.slot] != 0 && in.table.asleep[other.slot] != 0) continue;
      if (filter_.verdict(static_cast<Index>(s), static_cast<Index>(o)) != broad::Verdict::allowed) continue;
      const std::span<const Vector3d> points = parts[o].of(in.vertices.start);
      if (std::ranges::none_of(points, [&](const Vector3d& p) { return box.contains(p); })) continue;
      FieldBody& field = field_of(body);
      if (!built) field.cells.build(body.soft.model->rest, body.soft.nodes);
      built = true;
      find_inside(context, in, parts[s], field, parts[o]);
      if (of_pair_.empty()) continue;
      // The last two sets are those of tangles beyond the others.
      if (tangled.through.size() + 2 >= broad::Tangled::max_sets) continue;
      if (tangled.sets.empty()) tangled.sets.assign(in.vertices.start.size(), 0);
      const std::uint64_t bit = std::uint64_t{1} << tangled.through.size();
      tangled.through.push_back(static_cast<Index>(s));
      for (const Inside& inside : of_pair_) tangled.sets[at(inside.vertex)] |= bit;
      const std::array<Index, 2> both{static_cast<Index>(std::min(s, o)), static_cast<Index>(std::max(s, o))};
      const auto known = std::ranges::find(objects_, both);
      const auto pair = static_cast<std::uint32_t>(known - objects_.begin());
      if (known == objects_.end()) objects_.push_back(both);
      for (Inside& inside : of_pair_) {
        inside.pair = pair;
        inside.sign = o < s ? 1 : -1;
      }
      found_.insert(found_.end(), of_pair_.begin(), of_pair_.end());
    }
  }
  agree(in);
}

/// Where bodies overlap by more than their middles, vertices at one end would come out at the other. All of such a pair
/// go in the direction in which the common volume shrinks fastest: against the normals of the pieces of surface inside,
/// by area. A body without an inside, or wholly in the other, goes where most of its vertices are sent by the field.
void DeepContacts::agree(const DeepIn& in) {
  struct Wanted {
    Vector3d field = Vector3d::Zero();  ///< of the first object, by the fields
    Vector3d shrink = Vector3d::Zero();
    double count = 0;
    double area = 0;
  };
  std::vector<Wanted> wanted(objects_.size());
  const std::span<const Vector3d> points = in.vertices.start;
  for (const Inside& inside : found_) {
    Wanted& pair = wanted[inside.pair];
    pair.field -= inside.sign * inside.normal;
    pair.count += 1;
    const std::array<Index, 2>& objects = objects_[inside.pair];
    const auto own = static_cast<std::size_t>(objects[inside.sign > 0 ? 0 : 1]);
    if (!in.bodies[in.vertices.parts[own].id].is_soft()) continue;
    for (Index c = in.vertices.surface().first_corner(inside.vertex); c != none;
         c = in.vertices.surface().next_corner(c)) {
      const auto& [i, k, l] = in.vertices.surface().triangles()[at(c) / 3];
      const Vector3d area = (points[at(k)] - points[at(i)]).cross(points[at(l)] - points[at(i)]);
      pair.shrink -= inside.sign * area;
      pair.area += area.norm();
    }
  }
  for (Inside& inside : found_) {
    const Wanted& pair = wanted[inside.pair];
    if (!(pair.field.norm() < min_agreement * pair.count)) continue;
    const Vector3d& direction = pair.shrink.norm() > min_shrinking * pair.area ? pair.shrink : pair.field;
    const double length = direction.norm();
    if (length > 0) inside.normal = -inside.sign / length * direction;
  }
}

void DeepContacts::append(const bodies::Vertices& vertices, std::vector<Contact>& contacts) const {
  for (const Inside& inside : found_) {
    const Triangle& corners = vertices.surface().triangles()[at(inside.triangle)];
    Contact c;
    c.kind = ContactKind::vertex_face;
    c.a = {inside.vertex, none};
    c.b = {inside.triangle, none};
    c.vertices = {inside.vertex, corners[0], corners[1], corners[2]};
    c.weights = {1, inside.weights[0], inside.weights[1], inside.weights[2]};
    c.point_a = vertices.start[at(inside.vertex)];
    c.point_b.setZero();
    for (std::size_t k = 0; k < 3; ++k)
      c.point_b += inside.weights[static_cast<Eigen::Index>(k)] * vertices.start[at(corners[k])];
    c.normal = inside.normal;
    c.distance = -inside.depth;
    contacts.push_back(c);
  }
}

bool DeepContacts::between(Index object_a, Index object_b) const {
  const std::array<Index, 2> both{std::min(object_a, object_b), std::max(object_a, object_b)};
  return std::ranges::find(objects_, both) != objects_.end();
}

}  // namespace carom::contact

#include "field/field_contacts.hpp"

#include <algorithm>
#include <array>
#include <cmath>

#include "core/at.hpp"
#include "field/sample.hpp"

namespace carom::field {
namespace {

using Eigen::Vector3d;
using narrow::surface::FeatureKind;
using Vertex = FieldContactScratch::Vertex;

constexpr std::size_t vertex_grain = 256;
constexpr std::size_t triangle_grain = 256;
/// Length of a gradient below which it has no direction: the nearest points are all around.
constexpr double no_direction = 1e-3;
constexpr std::array<double, 3> edge_samples{0.25, 0.5, 0.75};

class FieldFinder {
 public:
  FieldFinder(const DistanceField& field, const Eigen::Isometry3d& pose, const FieldSurface& part,
              const ShapeContactOptions& options, FieldContactScratch& scratch)
      : field_(field.data()),
        pose_(pose),
        turn_back_(pose.linear().transpose()),
        part_(part),
        options_(options),
        scratch_(scratch) {}

  void run(Workers& workers, std::vector<ShapeContact>& out) {
    scratch_.vertices.resize(at(part_.vertex_count));
    parallel_for(workers, scratch_.vertices.size(), vertex_grain,
                 [&](std::size_t v) { scratch_.vertices[v] = measure(position(first_vertex() + v)); });
    out.clear();
    for (std::size_t v = 0; v < scratch_.vertices.size(); ++v) {
      const Vertex& vertex = scratch_.vertices[v];
      if (vertex.far || !(vertex.distance < options_.within)) continue;
      const auto index = static_cast<Index>(first_vertex() + v);
      out.push_back(contact(FeatureKind::vertex, index, {index, none, none}, {1, 0, 0}, vertex));
    }
    scratch_.append.run(workers, at(part_.triangle_count), triangle_grain, scratch_.found,
                        [&](std::size_t begin, std::size_t end, std::vector<ShapeContact>& found, std::size_t) {
                          for (std::size_t t = begin; t < end; ++t)
                            add_triangle(part_.first_triangle + static_cast<Index>(t), found);
                        });
    out.insert(out.end(), scratch_.found.begin(), scratch_.found.end());
  }

 private:
  std::size_t first_vertex() const { return at(part_.first_vertex); }
  const Vector3d& position(std::size_t v) const { return part_.positions[v]; }
  const Vertex& vertex(Index v) const { return scratch_.vertices[at(v) - first_vertex()]; }

  Vertex measure(const Vector3d& p) const {
    const Vec3 local = math::to_vec3(turn_back_ * (p - pose_.translation()));
    // The box of the surface is nearer than the surface; outside of a room all is solid.
    const Vec3 beyond = math::higher(math::higher(field_.box_low - local, local - field_.box_high), {0, 0, 0});
    if (!field_.endless && dot(beyond, beyond) > 0) {
      const double from_box = length(beyond) - field_.margin;
      if (from_box > options_.within) return {from_box, Vector3d::Zero(), true};
    }
    const Sample s = sample(field_, local);
    Vec3 n = s.gradient;
    if (!(length(n) > no_direction)) n = local - 0.5 * (field_.box_low + field_.box_high);
    n = math::unit_or_zero(n);
    if (!(dot(n, n) > 0.5)) n = {0, 0, 1};
    return {s.distance, pose_.linear() * math::to_eigen(n), false};
  }

  ShapeContact contact(FeatureKind kind, Index id, const std::array<Index, 3>& vertices,
                       const std::array<double, 3>& weights, const Vertex& measured) const {
    ShapeContact c;
    c.feature = kind;
    c.id = id;
    c.vertices = vertices;
    c.weights = weights;
    for (std::size_t k = 0; k < 3 && vertices[k] != none; ++k)
      c.point_on_surface += weights[k] * position(at(vertices[k]));
    c.normal = measured.normal;
    c.distance = measured.distance;
    c.point_on_shape = c.point_on_surface - c.distance * c.normal;
    return c;
  }

  void add_triangle(Index t, std::vector<ShapeContact>& found) const {
    const Triangle& corners = part_.surface.triangles()[at(t)];
    if (is_dead(corners)) return;
    const std::uint8_t owned = part_.surface.owned()[at(t)];
    double nearest = INFINITY;  // of what makes contacts on the boundary
    double longest = 0;
    for (std::size_t k = 0; k < 3; ++k) {
      const Index a = corners[k];
      const Index b = corners[(k + 1) % 3];
      const double length = (position(at(b)) - position(at(a))).norm();
      longest = std::max(longest, length);
      nearest = std::min({nearest, vertex(a).distance, vertex(b).distance});
      if (a != b)
        nearest = std::min(nearest, add_edge(t, k, std::min(a, b), std::max(a, b), length, owns_edge(owned, k), found));
    }
    // No point of the triangle is farther from all three corners than the longest edge over the square root of three.
    const double bar = std::min(options_.within, nearest - options_.resolution);
    if (nearest - longest / std::sqrt(3.0) >= bar) return;
    const Vector3d middle = (position(at(corners[0])) + position(at(corners[1])) + position(at(corners[2]))) / 3;
    const Vertex measured = measure(middle);
    if (measured.far || !(measured.distance < bar)) return;
    constexpr double third = 1.0 / 3;
    found.push_back(contact(FeatureKind::triangle, t, corners, {third, third, 1 - 2 * third}, measured));
  }

  /// Distance of the contact of an edge, or infinity if it makes none. The owner adds it.
  double add_edge(Index t, std::size_t k, Index a, Index b, double length, bool owned,
                  std::vector<ShapeContact>& found) const {
    const double bar =
        std::min(options_.within, std::min(vertex(a).distance, vertex(b).distance) - options_.resolution);
    if (0.5 * (vertex(a).distance + vertex(b).distance - length) >= bar) return INFINITY;
    Vertex best{bar, Vector3d::Zero(), true};
    double at_fraction = 0;
    for (const double s : edge_samples) {
      const Vertex measured = measure((1 - s) * position(at(a)) + s * position(at(b)));
      if (measured.far || !(measured.distance < best.distance)) continue;
      best = measured;
      at_fraction = s;
    }
    if (best.far) return INFINITY;
    if (owned)
      found.push_back(contact(FeatureKind::edge, static_cast<Index>(3 * at(t) + k), {a, b, none},
                              {1 - at_fraction, at_fraction, 0}, best));
    return best.distance;
  }

  const FieldData& field_;
  const Eigen::Isometry3d& pose_;
  const Eigen::Matrix3d turn_back_;
  const FieldSurface& part_;
  const ShapeContactOptions& options_;
  FieldContactScratch& scratch_;
};

}  // namespace

void find_field_contacts(Workers& workers, const DistanceField& field, const Eigen::Isometry3d& pose,
                         const FieldSurface& part, const ShapeContactOptions& options, FieldContactScratch& scratch,
                         std::vector<ShapeContact>& out) {
  FieldFinder(field, pose, part, options, scratch).run(workers, out);
}

}  // namespace carom::field

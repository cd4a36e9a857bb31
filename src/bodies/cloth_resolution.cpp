#include <Eigen/Geometry>
#include <algorithm>
#include <limits>

#include "bodies/cloth_levels.hpp"
#include "carom/mesh/closest.hpp"

namespace carom::cloth {

namespace {

using Eigen::Vector3d;

/// Cosine between the normals of a triangle and of its image below which the image counts as folded over.
constexpr double min_image_cosine = 0.3;
/// Quality below which a triangle between levels is too thin: it would want very short inner steps.
constexpr double min_image_quality = 0.25;
/// Distance at rest from a triangle, as a fraction of its longest edge, at which a vertex counts as on it.
constexpr double on_triangle = 1e-9;

Vector3d normal_of(std::span<const Vector3d> positions, const Triangle& t) {
  return (positions[at(t[1])] - positions[at(t[0])]).cross(positions[at(t[2])] - positions[at(t[0])]);
}

}  // namespace

Resolution::Resolution(const LevelModel& model, std::vector<std::uint8_t> levels) : levels_(std::move(levels)) {
  std::vector<Index> fabrics;
  const std::vector<Triangle> triangles = find_triangles(model, fabrics);
  const std::size_t vertices = model.rest_positions.size();
  number_.assign(vertices, none);
  for (std::size_t v = 0; v < vertices; ++v) {
    if (image_[v] != static_cast<Index>(v)) continue;
    number_[v] = static_cast<Index>(active_.size());
    active_.push_back(static_cast<Index>(v));
  }
  std::vector<Triangle> numbered;
  numbered.reserve(triangles.size());
  for (const Triangle& t : triangles) numbered.push_back({number_[at(t[0])], number_[at(t[1])], number_[at(t[2])]});
  std::vector<Vector3d> rest;
  rest.reserve(active_.size());
  for (const Index v : active_) rest.push_back(model.rest_positions[at(v)]);
  follow(model, numbered);
  constraints_ = Model({.positions = rest, .triangles = numbered, .warp = model.warp, .fabric_of_triangle = fabrics},
                       model.fabrics);
  inner_step_ = constraints_.inner_step(inverse_mass_);
  bend_step_ = constraints_.bend_step(inverse_mass_);
}

/// Triangles of the mesh whose corners have different images, and their fabrics: there is no crack, whatever the levels
/// are.
std::vector<Triangle> Resolution::find_triangles(const LevelModel& model, std::vector<Index>& fabrics) {
  const Hierarchy& h = model.hierarchy;
  const std::size_t vertices = model.rest_positions.size();
  std::vector<Triangle> images;
  std::vector<std::array<Index, 4>> keys;  // corners in order, and the number of the triangle
  std::vector<std::uint8_t> is_active(vertices, 0);
  for (std::size_t v = 0; v < vertices; ++v) {
    const auto vertex = static_cast<Index>(v);
    is_active[v] = h.level(vertex) >= levels_[at(h.patch(vertex))] ? 1 : 0;
  }
  std::vector<Index> activated;
  bool refined = true;
  while (refined) {
    refined = false;
    image_.resize(vertices);
    for (std::size_t v = 0; v < vertices; ++v) {
      auto image = static_cast<Index>(v);
      while (is_active[at(image)] == 0) image = h.parent(image);
      image_[v] = image;
    }
    images.clear();
    fabrics.clear();
    keys.clear();
    // Of each corner, the vertex next to its image on the chain of collapses.
    const auto refine = [&](const Triangle& t) {
      for (Index v : t) {
        if (is_active[at(v)] != 0) continue;
        while (is_active[at(h.parent(v))] == 0) v = h.parent(v);
        activated.push_back(v);
        refined = true;
      }
    };
    activated.clear();
    for (std::size_t i = 0; i < model.triangles.size(); ++i) {
      const Triangle& t = model.triangles[i];
      const Triangle image{image_[at(t[0])], image_[at(t[1])], image_[at(t[2])]};
      if (image[0] == image[1] || image[1] == image[2] || image[2] == image[0]) continue;
      images.push_back(image);
      if (!model.fabric_of_triangle.empty()) fabrics.push_back(model.fabric_of_triangle[i]);
      if (image == t) continue;  // as it is in the mesh
      const Vector3d before = normal_of(model.rest_positions, t);
      const Vector3d after = normal_of(model.rest_positions, image);
      const double quality = triangle_quality(model.rest_positions[at(image[0])], model.rest_positions[at(image[1])],
                                              model.rest_positions[at(image[2])]);
      if (!(before.dot(after) > min_image_cosine * before.norm() * after.norm()) || quality < min_image_quality)
        refine(t);
      Triangle key = image;
      std::ranges::sort(key);
      keys.push_back({key[0], key[1], key[2], static_cast<Index>(i)});
    }
    // Two triangles with one image lie on each other.
    std::ranges::sort(keys);
    for (std::size_t i = 0; i + 1 < keys.size(); ++i) {
      if (!std::equal(keys[i].begin(), keys[i].begin() + 3, keys[i + 1].begin())) continue;
      refine(model.triangles[at(keys[i][3])]);
      refine(model.triangles[at(keys[i + 1][3])]);
    }
    for (const Index v : activated) is_active[at(v)] = 1;
  }
  return images;
}

/// Triangles of active vertices that vertices follow, weights, and masses.
void Resolution::follow(const LevelModel& model, std::span<const Triangle> triangles) {
  std::vector<std::vector<Index>> at_active(active_.size());
  for (std::size_t t = 0; t < triangles.size(); ++t)
    for (const Index a : triangles[t]) at_active[at(a)].push_back(static_cast<Index>(t));
  const auto rest = [&](Index active) -> const Vector3d& { return model.rest_positions[at(active_[at(active)])]; };

  mass_.resize(active_.size());
  for (std::size_t a = 0; a < active_.size(); ++a) mass_[a] = model.mass[at(active_[a])];
  std::vector<std::size_t> count(active_.size() + 1, 0);
  std::vector<Index> candidates;
  for (std::size_t v = 0; v < image_.size(); ++v) {
    if (number_[v] != none) continue;
    Follower follower{.vertex = static_cast<Index>(v)};
    const Index image = number_[at(image_[v])];
    double nearest = std::numeric_limits<double>::infinity();
    const auto try_triangle = [&](Index t) {
      const Triangle& corners = triangles[at(t)];
      const Vector3d& a = rest(corners[0]);
      const VertexTriangleClosest closest =
          closest_vertex_triangle(model.rest_positions[v], a, rest(corners[1]), rest(corners[2]));
      if (!(closest.distance < nearest)) return;
      nearest = closest.distance <= on_triangle * (rest(corners[1]) - a).norm() ? 0 : closest.distance;
      follower.active = corners;
      for (std::size_t k = 0; k < 3; ++k) follower.weights[k] = closest.weights[k];
    };
    for (const Index t : at_active[at(image)]) try_triangle(t);
    if (nearest > 0) {
      candidates.clear();
      for (const Index t : at_active[at(image)])
        for (const Index a : triangles[at(t)])
          candidates.insert(candidates.end(), at_active[at(a)].begin(), at_active[at(a)].end());
      std::ranges::sort(candidates);
      candidates.erase(std::unique(candidates.begin(), candidates.end()), candidates.end());
      for (const Index t : candidates) try_triangle(t);
    }
    if (nearest == std::numeric_limits<double>::infinity()) {  // a piece that has become one vertex
      follower.active = {image, image, image};
      follower.weights = {1, 0, 0};
    }
    const double sum = follower.weights[0] + follower.weights[1] + follower.weights[2];
    for (std::size_t k = 0; k < 3; ++k) {
      follower.weights[k] /= sum;
      mass_[at(follower.active[k])] += follower.weights[k] * model.mass[v];
      ++count[at(follower.active[k]) + 1];
    }
    followers_.push_back(follower);
  }
  for (std::size_t a = 0; a < active_.size(); ++a) count[a + 1] += count[a];
  followed_begin_ = count;
  followed_.resize(count.back());
  for (std::size_t f = 0; f < followers_.size(); ++f) {
    for (std::size_t k = 0; k < 3; ++k)
      followed_[count[at(followers_[f].active[k])]++] = {static_cast<std::uint32_t>(f), static_cast<std::uint32_t>(k)};
  }
  inverse_mass_.resize(active_.size());
  for (std::size_t a = 0; a < active_.size(); ++a)
    inverse_mass_[a] = model.pinned[at(active_[a])] != 0 ? 0 : 1 / mass_[a];
}

}  // namespace carom::cloth

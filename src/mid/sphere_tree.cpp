#include "mid/sphere_tree.hpp"

#include <algorithm>
#include <cmath>
#include <limits>

#include "core/at.hpp"
#include "shapes/enclosing_sphere.hpp"

namespace carom::mid {

namespace {

using Eigen::Vector3d;

constexpr std::size_t sphere_node_grain = 32;
/// Growth of the leaves, on average, beyond which trees are made again.
constexpr double max_leaf_growth = 1.5;
/// Rounding of a distance, relative: five operations, and as much again for the sums of radii.
constexpr double radius_slack = 1e-14;
/// Added to every radius, m: squares of lengths below it would underflow.
constexpr double min_radius = 1e-150;

double rounded_up(double radius) {
  return radius * (1 + radius_slack) + min_radius;
}

Vector3d box_center(const SphereTree::Node& node) {
  return 0.5 * node.low + 0.5 * node.high;
}

Vector3d triangle_center(const Surface& surface, std::span<const Vector3d> positions, Index triangle) {
  const Triangle& t = surface.triangles()[at(triangle)];
  return (positions[at(t[0])] + positions[at(t[1])] + positions[at(t[2])]) / 3;
}

/// Vertices of triangles, each once.
void unique_vertices(const Surface& surface, std::span<const Index> triangles, std::vector<Index>& vertices) {
  vertices.clear();
  for (const Index t : triangles)
    for (const Index v : surface.triangles()[at(t)]) vertices.push_back(v);
  std::sort(vertices.begin(), vertices.end());
  vertices.erase(std::unique(vertices.begin(), vertices.end()), vertices.end());
}

void enclose(std::span<const Vector3d> positions, std::span<const Index> vertices, SphereTree::Node& node) {
  node.low.setConstant(std::numeric_limits<double>::infinity());
  node.high = -node.low;
  for (const Index v : vertices) {
    node.low = node.low.cwiseMin(positions[at(v)]);
    node.high = node.high.cwiseMax(positions[at(v)]);
  }
}

double farthest_of(std::span<const Vector3d> positions, std::span<const Index> vertices, const Vector3d& center) {
  double square = 0;
  for (const Index v : vertices) square = std::max(square, (positions[at(v)] - center).squaredNorm());
  return rounded_up(std::sqrt(square));
}

}  // namespace

void SphereTree::add_roots(const Surface& surface) {
  const auto object_of = surface.object_index_of_triangle();
  const std::size_t objects = surface.objects().size();
  roots_.assign(objects, none);
  std::vector<Index> begin(objects + 1, 0);
  const auto triangles = surface.triangles();
  for (std::size_t t = 0; t < triangles.size(); ++t)
    if (!is_dead(triangles[t])) ++begin[at(object_of[t]) + 1];
  for (std::size_t o = 0; o < objects; ++o) begin[o + 1] += begin[o];
  order_.resize(at(begin.back()));
  for (std::size_t o = 0; o < objects; ++o) {
    if (begin[o] == begin[o + 1]) continue;
    roots_[o] = static_cast<Index>(nodes_.size());
    nodes_.push_back({.begin = begin[o], .end = begin[o + 1]});
  }
  for (std::size_t t = 0; t < triangles.size(); ++t)
    if (!is_dead(triangles[t])) order_[at(begin[at(object_of[t])]++)] = static_cast<Index>(t);
}

/// Smallest sphere of a node and, if it may be split, the first triangle of its second half; `end` if there is none.
void SphereTree::fit(std::span<const Vector3d> positions, const Surface& surface, bool may_split, Node& node,
                     Index& middle) {
  const std::span<Index> triangles = std::span(order_).subspan(at(node.begin), node.size());
  std::vector<Index> vertices;
  unique_vertices(surface, triangles, vertices);
  enclose(positions, vertices, node);
  std::vector<Vector3d> points;
  points.reserve(vertices.size());
  for (const Index v : vertices) points.push_back(positions[at(v)]);
  node.center = shapes::enclosing_sphere(points).center;
  if (!node.center.allFinite()) node.center = box_center(node);
  node.radius = farthest_of(positions, vertices, node.center);

  middle = node.end;
  if (!may_split || triangles.size() < 2) return;
  const Vector3d origin = triangle_center(surface, positions, triangles[0]);
  Vector3d sum = Vector3d::Zero();
  for (const Index t : triangles) sum += triangle_center(surface, positions, t) - origin;
  const Vector3d mean = sum / static_cast<double>(triangles.size());
  Vector3d variance = Vector3d::Zero();
  for (const Index t : triangles) variance += (triangle_center(surface, positions, t) - origin - mean).cwiseAbs2();
  Eigen::Index axis = 0;
  if (!(variance.maxCoeff(&axis) > 0)) return;
  const auto second = std::stable_partition(triangles.begin(), triangles.end(), [&](Index t) {
    return triangle_center(surface, positions, t)[axis] - origin[axis] <= mean[axis];
  });
  if (second != triangles.begin()) middle = node.begin + static_cast<Index>(second - triangles.begin());
}

void SphereTree::build(Context& context, const Surface& surface, std::span<const Vector3d> positions) {
  revision_ = 0;
  ++built_;
  nodes_.clear();
  level_begin_.assign(1, 0);
  add_roots(surface);
  std::vector<Index> middle;
  while (level_begin_.back() < nodes_.size()) {
    const std::size_t first = level_begin_.back();
    const std::size_t count = nodes_.size() - first;
    const bool may_split = level_begin_.size() < static_cast<std::size_t>(options_.depth);
    level_begin_.push_back(nodes_.size());
    middle.assign(count, none);
    parallel_for(context.workers, count, 1,
                 [&](std::size_t i) { fit(positions, surface, may_split, nodes_[first + i], middle[i]); });
    for (std::size_t i = 0; i < count; ++i) {
      const Index begin = nodes_[first + i].begin;
      const Index end = nodes_[first + i].end;
      if (middle[i] == end) continue;
      nodes_[first + i].child = static_cast<Index>(nodes_.size());
      nodes_.push_back({.begin = begin, .end = middle[i]});
      nodes_.push_back({.begin = middle[i], .end = end});
    }
  }
  list_leaf_vertices(context, surface);
  remember(positions);
  built_leaf_size_ = leaf_size();
  revision_ = surface.revision();
}

void SphereTree::list_leaf_vertices(Context& context, const Surface& surface) {
  leaves_.clear();
  for (std::size_t i = 0; i < nodes_.size(); ++i)
    if (nodes_[i].is_leaf()) leaves_.push_back(static_cast<Index>(i));
  append_.run(context.workers, leaves_.size(), sphere_node_grain, leaf_vertices_,
              [&](std::size_t begin, std::size_t end, std::vector<Index>& list, std::size_t) {
                std::vector<Index> vertices;
                for (std::size_t i = begin; i < end; ++i) {
                  Node& node = nodes_[at(leaves_[i])];
                  unique_vertices(surface, std::span(order_).subspan(at(node.begin), node.size()), vertices);
                  node.vertices_end = static_cast<Index>(vertices.size());  // a number, until all are known
                  list.insert(list.end(), vertices.begin(), vertices.end());
                }
              });
  Index next = 0;
  for (const Index leaf : leaves_) {
    Node& node = nodes_[at(leaf)];
    node.vertices_begin = next;
    next += node.vertices_end;
    node.vertices_end = next;
  }
}

/// Notes what a refit compares with.
void SphereTree::remember(std::span<const Vector3d> positions) {
  built_distance_.resize(leaf_vertices_.size());
  for (Node& node : nodes_) {
    node.shift = node.center - box_center(node);
    node.built_radius = node.radius;
    if (node.is_leaf()) {
      for (Index i = node.vertices_begin; i < node.vertices_end; ++i)
        built_distance_[at(i)] = (positions[at(leaf_vertices_[at(i)])] - node.center).norm();
      continue;
    }
    for (std::size_t k = 0; k < 2; ++k) {
      const Node& child = nodes_[at(node.child) + k];
      node.built_reach[k] = (node.center - child.center).norm() + child.radius;
      node.built_radius = std::max(node.built_radius, node.built_reach[k]);
    }
  }
}

void SphereTree::refit_leaf(std::span<const Vector3d> positions, Node& node) const {
  const auto vertices = std::span<const Index>(leaf_vertices_)
                            .subspan(at(node.vertices_begin), at(node.vertices_end - node.vertices_begin));
  enclose(positions, vertices, node);
  node.center = box_center(node) + node.shift;
  if (options_.refit == SphereRefit::farthest) {
    node.radius = farthest_of(positions, vertices, node.center);
    return;
  }
  double ratio = 0;
  for (std::size_t i = 0; i < vertices.size(); ++i) {
    const double now = (positions[at(vertices[i])] - node.center).norm();
    if (now > 0) ratio = std::max(ratio, now / built_distance_[at(node.vertices_begin) + i]);
  }
  node.radius = rounded_up(node.built_radius * ratio);
}

void SphereTree::refit_inner(Node& node) const {
  const Node& a = nodes_[at(node.child)];
  const Node& b = nodes_[at(node.child) + 1];
  node.low = a.low.cwiseMin(b.low);
  node.high = a.high.cwiseMax(b.high);
  node.center = box_center(node) + node.shift;
  const double reach_a = (node.center - a.center).norm() + a.radius;
  const double reach_b = (node.center - b.center).norm() + b.radius;
  if (options_.refit == SphereRefit::ratio) {
    node.radius =
        rounded_up(node.built_radius * std::max(reach_a / node.built_reach[0], reach_b / node.built_reach[1]));
    return;
  }
  const double corner = (node.center - node.low).cwiseAbs().cwiseMax((node.high - node.center).cwiseAbs()).norm();
  node.radius = rounded_up(std::min(std::max(reach_a, reach_b), corner));
}

double SphereTree::leaf_size() const {
  double sum = 0;
  for (const Index leaf : leaves_) sum += nodes_[at(leaf)].radius;
  return sum;
}

void SphereTree::update(Context& context, const Surface& surface, std::span<const Vector3d> positions,
                        const SphereTreeOptions& options) {
  const bool same = revision_ == surface.revision() && options.depth == options_.depth;
  options_ = options;
  if (!same) return build(context, surface, positions);
  for (std::size_t level = depth(); level-- > 0;) {
    const std::size_t first = level_begin_[level];
    parallel_for(context.workers, level_begin_[level + 1] - first, sphere_node_grain, [&](std::size_t i) {
      Node& node = nodes_[first + i];
      node.is_leaf() ? refit_leaf(positions, node) : refit_inner(node);
    });
  }
  if (options.rebuild && leaf_size() > max_leaf_growth * built_leaf_size_) build(context, surface, positions);
}

std::vector<BoundingSphere> SphereTree::level(std::size_t number) const {
  std::vector<BoundingSphere> spheres;
  for (std::size_t l = 0; l < std::min(number + 1, depth()); ++l) {
    for (std::size_t i = level_begin_[l]; i < level_begin_[l + 1]; ++i) {
      if (l == number || nodes_[i].is_leaf()) spheres.push_back({nodes_[i].center, nodes_[i].radius});
    }
  }
  return spheres;
}

}  // namespace carom::mid

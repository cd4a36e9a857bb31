#include "bodies/cloth.hpp"

#include <Eigen/Geometry>
#include <Eigen/LU>
#include <algorithm>
#include <array>
#include <bit>
#include <cmath>
#include <limits>
#include <numeric>
#include <optional>

#include "bodies/cloth_elements.hpp"
#include "core/check.hpp"

namespace carom::cloth {

namespace {

using kernels::BendBatch;
using kernels::cloth_lanes;
using kernels::StretchBatch;

/// Square of the sine of the angle between warp and normal below which the warp has no direction in a triangle.
constexpr double min_warp_sine = 1e-6;
/// Height over length of a triangle below which its directions are rounding.
constexpr double min_slenderness = 1e-9;
/// Bend at rest, as a fraction of its edge, that counts as none.
constexpr double flat_bend = 1e-9;

/// Twice the area, as a vector; zero where the triangle is a line as far as rounding tells.
Eigen::Vector3d doubled_area(const RestShape& rest, std::size_t t) {
  const Eigen::Vector3d a = rest.corner(t, 1) - rest.corner(t, 0);
  const Eigen::Vector3d b = rest.corner(t, 2) - rest.corner(t, 0);
  const Eigen::Vector3d n = a.cross(b);
  const double longest = std::max({a.squaredNorm(), b.squaredNorm(), (b - a).squaredNorm()});
  return n.norm() > min_slenderness * longest ? n : Eigen::Vector3d(0, 0, 0);
}

Eigen::Vector3d warp_in(const Eigen::Vector3d& warp, const Eigen::Vector3d& normal) {
  Eigen::Vector3d candidate = warp.normalized();
  for (int axis = 0; axis < 4; ++axis) {
    const Eigen::Vector3d inside = candidate - candidate.dot(normal) * normal;
    if (inside.squaredNorm() > min_warp_sine) return inside.normalized();
    // The axes of the world after the one the warp is closest to.
    Eigen::Index largest = 0;
    warp.cwiseAbs().maxCoeff(&largest);
    candidate = Eigen::Vector3d::Unit((largest + 1 + axis) % 3);
  }
  return normal.unitOrthogonal();
}

/// The lowest color that no vertex of the constraint has, one after the other; then batches of one color each, in the
/// order of the constraints, and room behind them. `lane_of`: the lane of each among those of all batches.
struct Coloring {
  std::vector<std::uint32_t> lane_of;
  std::vector<std::array<std::uint32_t, 2>> batches;  ///< of each color: [begin, end)
  std::uint32_t batch_count = 0;                      ///< with room behind the last color
};

template <class Constraint, class Vertices>
Coloring color(std::span<const Constraint> constraints, std::size_t vertex_count, const Vertices& vertices) {
  // A vertex in very many constraints needs as many colors: sets of 64, as many as it takes.
  std::vector<std::vector<std::uint64_t>> used(vertex_count);
  std::vector<std::uint32_t> color_of(constraints.size());
  std::vector<std::uint32_t> sizes;
  for (std::size_t i = 0; i < constraints.size(); ++i) {
    std::uint32_t free = 0;
    for (std::size_t word = 0;; ++word) {
      std::uint64_t taken = 0;
      for (const Index v : vertices(constraints[i])) {
        const auto& sets = used[static_cast<std::size_t>(v)];
        if (word < sets.size()) taken |= sets[word];
      }
      if (~taken == 0) continue;
      free = static_cast<std::uint32_t>(64 * word) + static_cast<std::uint32_t>(std::countr_one(taken));
      break;
    }
    for (const Index v : vertices(constraints[i])) {
      auto& sets = used[static_cast<std::size_t>(v)];
      if (sets.size() <= free / 64) sets.resize(free / 64 + 1, 0);
      sets[free / 64] |= std::uint64_t{1} << (free % 64);
    }
    color_of[i] = free;
    if (sizes.size() <= free) sizes.resize(free + 1, 0);
    ++sizes[free];
  }
  std::size_t all = 0;
  for (const std::uint32_t size : sizes) all += chunk_count(size, cloth_lanes);
  Coloring out;
  for (const std::uint32_t size : sizes) {
    const auto count = static_cast<std::uint32_t>(chunk_count(size, cloth_lanes));
    out.batches.push_back({out.batch_count, out.batch_count + count});
    out.batch_count += count + batch_room(count, all);
  }
  std::vector<std::uint32_t> filled(sizes.size(), 0);
  out.lane_of.resize(constraints.size());
  for (std::size_t i = 0; i < constraints.size(); ++i) {
    out.lane_of[i] = out.batches[color_of[i]][0] * static_cast<std::uint32_t>(cloth_lanes) + filled[color_of[i]]++;
  }
  return out;
}

double cotangent(const Eigen::Vector3d& a, const Eigen::Vector3d& b) {
  return a.dot(b) / a.cross(b).norm();
}

/// One triangle of a hinge, as it is at rest.
struct Wing {
  Index opposite = none;
  Eigen::Vector3d begin, end, tip;  ///< m, ends of the edge, and the corner opposite to it
  std::size_t fabric = 0;
};

/// None where the triangle has no area, or the edge twice.
std::optional<Wing> wing_of(const RestShape& rest, std::size_t t, const Edge& edge) {
  if (!(doubled_area(rest, t).norm() > 0)) return {};
  Wing wing;
  int found = 0;
  for (std::size_t k = 0; k < 3; ++k) {
    const Index v = rest.triangles[t][k];
    (v == edge[0] ? wing.begin : v == edge[1] ? wing.end : wing.tip) = rest.corner(t, k);
    found |= v == edge[0] ? 1 : v == edge[1] ? 2 : 4;
    if (v != edge[0] && v != edge[1]) wing.opposite = v;
  }
  wing.fabric = rest.fabric(t);
  return found == 7 ? std::optional(wing) : std::nullopt;
}

BendElement hinge_of(const Edge& edge, const Wing& a, const Wing& b) {
  BendElement hinge;
  hinge.vertices = {edge[0], edge[1], a.opposite, b.opposite};
  const Eigen::Vector3d along_a = a.end - a.begin;
  const Eigen::Vector3d along_b = b.end - b.begin;
  const Eigen::Vector3d to_a = a.tip - a.begin;
  const Eigen::Vector3d to_b = b.tip - b.begin;
  const double a0 = cotangent(along_a, to_a);
  const double b0 = cotangent(along_b, to_b);
  const double a1 = cotangent(-along_a, to_a - along_a);
  const double b1 = cotangent(-along_b, to_b - along_b);
  hinge.weight = {a1 + b1, a0 + b0, -a0 - a1, -b0 - b1};
  hinge.area = 0.5 * (along_a.cross(to_a).norm() + along_b.cross(to_b).norm());
  if (a.begin != b.begin || a.end != b.end) return hinge;  // a seam
  const Eigen::Vector3d bend = hinge.weight[1] * along_a + hinge.weight[2] * to_a + hinge.weight[3] * to_b;
  if (bend.norm() > flat_bend * along_a.norm()) {
    const Eigen::Vector3d normals = along_a.cross(to_a) + to_b.cross(along_a);
    hinge.rest = bend.dot(normals) < 0 ? -bend.norm() : bend.norm();
  }
  return hinge;
}

/// Of what has no stiffness: it gives way to anything, and over the square of an inner step it is still a number in
/// single precision.
constexpr double max_compliance = 1e20;

/// 1/J or m^2/J.
double compliance_of(double stiffness, double size) {
  return std::min(max_compliance, 1 / (stiffness * size));
}

double relaxation(double damping, double stiffness) {
  return damping > 0 ? damping / stiffness : 0;
}

}  // namespace

void check(const std::string& body, const Fabric& f, const std::string& path) {
  const auto positive = [&](const char* field, double value) {
    require(std::isfinite(value) && value > 0, ErrorCode::invalid_argument,
            "body '{}': {}{} is {}; expected a positive number", body, path, field, value);
  };
  const auto not_negative = [&](const char* field, double value) {
    require(std::isfinite(value) && value >= 0, ErrorCode::invalid_argument,
            "body '{}': {}{} is {}; expected a number that is not negative", body, path, field, value);
  };
  positive("density", f.density);
  positive("warp_stiffness", f.warp_stiffness);
  positive("weft_stiffness", f.weft_stiffness);
  not_negative("shear_stiffness", f.shear_stiffness);
  not_negative("bend_stiffness", f.bend_stiffness);
  not_negative("warp_damping", f.warp_damping);
  not_negative("weft_damping", f.weft_damping);
  not_negative("shear_damping", f.shear_damping);
  not_negative("bend_damping", f.bend_damping);
  not_negative("strain_limit", f.strain_limit);
  not_negative("tear_strain", f.tear_strain);
  require(f.shear_damping == 0 || f.shear_stiffness > 0, ErrorCode::invalid_argument,
          "body '{}': {}shear_damping is {}, but shear_stiffness is 0", body, path, f.shear_damping);
  require(f.bend_damping == 0 || f.bend_stiffness > 0, ErrorCode::invalid_argument,
          "body '{}': {}bend_damping is {}, but bend_stiffness is 0", body, path, f.bend_damping);
}

std::vector<Index> leaders(std::span<const Eigen::Vector3d> positions) {
  std::vector<Index> order(positions.size());
  std::iota(order.begin(), order.end(), 0);
  const auto key = [&](Index v) {
    const Eigen::Vector3d& p = positions[static_cast<std::size_t>(v)];
    return std::array{p.x(), p.y(), p.z()};
  };
  std::sort(order.begin(), order.end(), [&](Index a, Index b) {
    const auto ka = key(a);
    const auto kb = key(b);
    return ka == kb ? a < b : ka < kb;
  });
  std::vector<Index> leader(positions.size());
  for (std::size_t i = 0; i < order.size(); ++i) {
    const bool same = i > 0 && key(order[i]) == key(order[i - 1]);
    leader[static_cast<std::size_t>(order[i])] = same ? leader[static_cast<std::size_t>(order[i - 1])] : order[i];
  }
  return leader;
}

std::vector<double> masses(const std::string& body, const RestShape& rest, std::span<const Fabric> fabrics) {
  std::vector<double> mass(rest.positions.size(), 0.0);
  std::vector<Index> triangle_of(rest.positions.size(), none);
  for (std::size_t t = 0; t < rest.triangles.size(); ++t) {
    const double third = fabrics[rest.fabric(t)].density * doubled_area(rest, t).norm() / 6;
    for (const Index v : rest.triangles[t]) {
      mass[static_cast<std::size_t>(v)] += third;
      triangle_of[static_cast<std::size_t>(v)] = static_cast<Index>(t);
    }
  }
  for (std::size_t v = 0; v < mass.size(); ++v) {
    require(triangle_of[v] == none || (mass[v] > 0 && std::isfinite(1 / mass[v])), ErrorCode::bad_mesh,
            "body '{}': vertex {} is in no triangle with an area, so its mass would be zero; triangle {} has none",
            body, v, triangle_of[v]);
  }
  return mass;
}

Model::Model(const RestShape& rest, std::span<const Fabric> fabrics)
    : vertex_count_(rest.positions.size()), spare_point_(spare_point_of(vertex_count_)) {
  for (const Fabric& f : fabrics) {
    damped_ |= f.warp_damping > 0 || f.weft_damping > 0 || f.shear_damping > 0 || f.bend_damping > 0;
    limited_ |= f.strain_limit > 0;
  }
  add_triangles(rest, fabrics);
  const auto bends = [](const Fabric& f) { return f.bend_stiffness > 0; };
  if (std::any_of(fabrics.begin(), fabrics.end(), bends)) add_hinges(rest, fabrics);
}

std::optional<StretchElement> stretch_element(const RestShape& rest, std::span<const Fabric> fabrics, std::size_t t) {
  const Eigen::Vector3d doubled = doubled_area(rest, t);
  const double size = doubled.norm();
  if (!(size > 0)) return {};
  const Eigen::Vector3d normal = doubled / size;
  const Eigen::Vector3d u = warp_in(rest.warp, normal);
  const Eigen::Vector3d v = normal.cross(u);
  const Eigen::Vector3d a = rest.corner(t, 1) - rest.corner(t, 0);
  const Eigen::Vector3d b = rest.corner(t, 2) - rest.corner(t, 0);
  Eigen::Matrix2d edges;
  edges << a.dot(u), b.dot(u), a.dot(v), b.dot(v);
  const Eigen::Matrix2d inverse = edges.inverse();
  const Fabric& fabric = fabrics[rest.fabric(t)];
  const std::array<double, 3> stiffness{fabric.warp_stiffness, fabric.weft_stiffness, fabric.shear_stiffness};
  StretchElement element;
  element.corners = rest.triangles[t];
  element.area = 0.5 * size;
  for (std::size_t k = 0; k < 3; ++k) element.compliance[k] = compliance_of(stiffness[k], element.area);
  element.damping = {relaxation(fabric.warp_damping, stiffness[0]), relaxation(fabric.weft_damping, stiffness[1]),
                     relaxation(fabric.shear_damping, stiffness[2])};
  if (fabric.strain_limit > 0) element.limit = fabric.strain_limit;
  for (int axis = 0; axis < 2; ++axis) {
    for (int k = 0; k < 2; ++k) element.gradient[axis][k] = inverse(k, axis);
  }
  return element;
}

std::optional<BendElement> bend_element(const RestShape& rest, std::span<const Fabric> fabrics, const Edge& edge,
                                        std::size_t a, std::size_t b) {
  const std::optional<Wing> one = wing_of(rest, a, edge);
  const std::optional<Wing> other = wing_of(rest, b, edge);
  if (!one || !other) return {};
  const Fabric& fabric = fabrics[one->fabric];
  const Fabric& next = fabrics[other->fabric];
  if (!(fabric.bend_stiffness + next.bend_stiffness > 0) || one->opposite == other->opposite) return {};
  BendElement hinge = hinge_of(edge, *one, *other);
  const double stiffness = 0.5 * (fabric.bend_stiffness + next.bend_stiffness);
  // A third of the weight of Bergou et al. (2006): with theirs a regular mesh that bends about its edges, where all
  // the bend is in one edge of three, would be three times as stiff as the plate.
  hinge.compliance = compliance_of(stiffness, 1 / hinge.area);
  hinge.damping = relaxation(0.5 * (fabric.bend_damping + next.bend_damping), stiffness);
  return hinge;
}

void Model::set_lane(const StretchElement& element, std::size_t place) {
  StretchBatch& batch = stretch_[place / cloth_lanes];
  const std::size_t lane = place % cloth_lanes;
  for (std::size_t k = 0; k < 3; ++k) {
    batch.corners[k][lane] = element.corners[k];
    batch.compliance[k][lane] = static_cast<float>(element.compliance[k]);
    batch.damping[k][lane] = static_cast<float>(element.damping[k]);
  }
  batch.limit[lane] = static_cast<float>(element.limit);
  for (std::size_t axis = 0; axis < 2; ++axis) {
    for (std::size_t k = 0; k < 2; ++k) {
      batch.gradient[axis][k][lane] = static_cast<float>(element.gradient[axis][k]);
      gradients_[place / cloth_lanes].gradient[axis][k][lane] = element.gradient[axis][k];
    }
  }
}

void Model::set_lane(const BendElement& element, std::size_t place) {
  BendBatch& batch = bend_[place / cloth_lanes];
  const std::size_t lane = place % cloth_lanes;
  for (std::size_t k = 0; k < 4; ++k) batch.vertices[k][lane] = element.vertices[k];
  for (std::size_t k = 0; k < 3; ++k) {
    batch.weight[k][lane] = static_cast<float>(element.weight[k + 1]);
    weights_[place / cloth_lanes].weight[k][lane] = element.weight[k + 1];
  }
  batch.compliance[lane] = static_cast<float>(element.compliance);
  batch.damping[lane] = static_cast<float>(element.damping);
  batch.rest[lane] = static_cast<float>(element.rest);
}

StretchBatch empty_stretch_batch(std::size_t point) {
  StretchBatch empty{};
  const auto spare = static_cast<std::int32_t>(point);
  for (std::size_t lane = 0; lane < cloth_lanes; ++lane) {
    for (auto& corner : empty.corners) corner[lane] = spare;
    for (auto& compliance : empty.compliance) compliance[lane] = 1;
    empty.limit[lane] = std::numeric_limits<float>::infinity();
  }
  return empty;
}

BendBatch empty_bend_batch(std::size_t point) {
  BendBatch empty{};
  const auto spare = static_cast<std::int32_t>(point);
  for (std::size_t lane = 0; lane < cloth_lanes; ++lane) {
    for (auto& vertex : empty.vertices) vertex[lane] = spare;
    empty.compliance[lane] = 1;
  }
  return empty;
}

std::uint32_t batch_room(std::size_t count, std::size_t all) {
  return 1 + static_cast<std::uint32_t>(std::max(count / 16, all / 256));
}

std::size_t spare_point_of(std::size_t vertex_count) {
  constexpr std::size_t least = 64;
  return vertex_count + vertex_count / 8 + least;
}

void Model::add_triangles(const RestShape& rest, std::span<const Fabric> fabrics) {
  for (std::size_t t = 0; t < rest.triangles.size(); ++t) {
    if (const std::optional<StretchElement> element = stretch_element(rest, fabrics, t)) triangles_.push_back(*element);
  }
  const Coloring coloring = color<StretchElement>(
      triangles_, vertex_count_, [](const StretchElement& e) { return std::span<const Index>(e.corners); });
  // Colors that cuts add come last.
  stretch_.reserve(coloring.batch_count + coloring.batch_count / 8);
  gradients_.reserve(stretch_.capacity());
  stretch_.assign(coloring.batch_count, empty_stretch_batch(spare_point_));
  gradients_.resize(stretch_.size());
  stretch_lane_ = coloring.lane_of;
  for (std::size_t i = 0; i < triangles_.size(); ++i) set_lane(triangles_[i], stretch_lane_[i]);
  for (const auto& [begin, end] : coloring.batches) stretch_colors_.push_back({begin, end});
}

void Model::add_hinges(const RestShape& rest, std::span<const Fabric> fabrics) {
  const Topology topology = build_topology(rest.positions.size(), rest.triangles);
  for (std::size_t e = 0; e < topology.edges.size(); ++e) {
    std::vector<std::size_t> wings;
    for (const Index t : topology.edge_triangles[e]) {
      if (wing_of(rest, static_cast<std::size_t>(t), topology.edges[e])) wings.push_back(static_cast<std::size_t>(t));
    }
    for (std::size_t k = 0; k + 1 < wings.size(); ++k) {
      const auto hinge = bend_element(rest, fabrics, topology.edges[e], wings[k], wings[k + 1]);
      if (!hinge) continue;
      hinge_edges_.push_back(topology.edges[e]);
      hinge_of_edge_.push_back(static_cast<Index>(hinges_.size()));
      hinges_.push_back(*hinge);
      if (hinge->rest != 0) flat_ = false;
    }
  }
  one_hinge_an_edge_ = std::adjacent_find(hinge_edges_.begin(), hinge_edges_.end()) == hinge_edges_.end();
  const Coloring coloring = color<BendElement>(hinges_, vertex_count_,
                                               [](const BendElement& e) { return std::span<const Index>(e.vertices); });
  bend_.reserve(coloring.batch_count + coloring.batch_count / 8);
  weights_.reserve(bend_.capacity());
  bend_.assign(coloring.batch_count, empty_bend_batch(spare_point_));
  weights_.resize(bend_.size());
  bend_lane_ = coloring.lane_of;
  for (std::size_t i = 0; i < hinges_.size(); ++i) set_lane(hinges_[i], bend_lane_[i]);
  for (const auto& [begin, end] : coloring.batches) bend_colors_.push_back({begin, end});
}

}  // namespace carom::cloth

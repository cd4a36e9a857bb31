#include "bodies/soft_lattice.hpp"

#include <Eigen/Geometry>
#include <Eigen/LU>
#include <algorithm>
#include <cmath>
#include <limits>
#include <map>
#include <optional>

#include "bodies/soft_blocks.hpp"
#include "bodies/soft_cut_surface.hpp"
#include "carom/detect/intersect.hpp"
#include "carom/mesh/closest.hpp"
#include "core/at.hpp"
#include "core/check.hpp"

namespace carom::solid {
namespace {

using Eigen::Vector3d;

/// Fraction of a voxel below which it is left out: corners of what is left are about half a voxel from the mesh.
constexpr double smallest_cut_fill = 1.0 / 3;
/// Material of a voxel at each corner at least, as a fraction of a full voxel, so that every node has a mass.
constexpr double smallest_corner_fill = 1e-4;
/// Kerf of a surface as made, where voxels touch along edges or at corners only, as a fraction of a voxel.
constexpr double first_kerf = 0.05;
constexpr int max_retreats = 10;

/// Triangles of a mesh by the cells of a lattice that their boxes meet.
class TrianglesByCell {
 public:
  TrianglesByCell(const mesh::VoxelLattice& lattice, const TriangleMesh& mesh) : lattice_(lattice), mesh_(mesh) {
    for (std::size_t t = 0; t < mesh.triangles.size(); ++t) {
      Vector3d low = corner(t, 0);
      Vector3d high = low;
      for (std::size_t k = 1; k < 3; ++k) {
        low = low.cwiseMin(corner(t, k));
        high = high.cwiseMax(corner(t, k));
      }
      const LatticeCell first = cell_of(low);
      const LatticeCell last = cell_of(high);
      for (std::int32_t z = first[2]; z <= last[2]; ++z) {
        for (std::int32_t y = first[1]; y <= last[1]; ++y) {
          for (std::int32_t x = first[0]; x <= last[0]; ++x) entries_.emplace_back(LatticeCell{x, y, z}, t);
        }
      }
    }
    std::sort(entries_.begin(), entries_.end());
  }

  /// Nearest point of the mesh, if one is within a voxel of a corner of voxels along each axis.
  std::optional<Vector3d> nearest(const Vector3d& node) const {
    const Vector3d place = (node - lattice_.origin) / lattice_.size;
    std::optional<Vector3d> best;
    double distance = std::numeric_limits<double>::infinity();
    for (std::size_t o = 0; o < 8; ++o) {
      LatticeCell cell{};
      for (std::size_t k = 0; k < 3; ++k)
        cell[k] = static_cast<std::int32_t>(std::lround(place[static_cast<Eigen::Index>(k)])) +
                  static_cast<std::int32_t>(o >> k & 1) - 1;
      const std::pair<LatticeCell, std::size_t> from(cell, 0);
      for (auto i = std::lower_bound(entries_.begin(), entries_.end(), from); i != entries_.end() && i->first == cell;
           ++i) {
        const Triangle& t = mesh_.triangles[i->second];
        const VertexTriangleClosest closest = closest_vertex_triangle(
            node, mesh_.positions[at(t[0])], mesh_.positions[at(t[1])], mesh_.positions[at(t[2])]);
        if (!(closest.distance < distance)) continue;
        distance = closest.distance;
        best = closest.point;
      }
    }
    return best;
  }

 private:
  using LatticeCell = std::array<std::int32_t, 3>;

  const Vector3d& corner(std::size_t t, std::size_t k) const { return mesh_.positions[at(mesh_.triangles[t][k])]; }
  LatticeCell cell_of(const Vector3d& p) const {
    const Vector3d place = (p - lattice_.origin) / lattice_.size;
    return {static_cast<std::int32_t>(std::floor(place.x())), static_cast<std::int32_t>(std::floor(place.y())),
            static_cast<std::int32_t>(std::floor(place.z()))};
  }

  const mesh::VoxelLattice& lattice_;
  const TriangleMesh& mesh_;
  std::vector<std::pair<LatticeCell, std::size_t>> entries_;
};

/// Corners at the border of the lattice, moved to the nearest points of the mesh.
class LatticeFit {
 public:
  LatticeFit(const mesh::VoxelLattice& lattice, const TriangleMesh& mesh)
      : lattice_(lattice), ways_(lattice.nodes.size()) {
    std::vector<int> voxels(lattice.nodes.size(), 0);
    for (const auto& corners : lattice.corners) {
      for (const Index n : corners) ++voxels[at(n)];
    }
    const TrianglesByCell triangles(lattice, mesh);
    const double longest = max_corner_shift * lattice.size;
    for (std::size_t n = 0; n < ways_.size(); ++n) {
      ways_[n].setZero();
      if (voxels[n] == 8) continue;
      if (const auto nearest = triangles.nearest(lattice.nodes[n]))
        ways_[n] = (*nearest - lattice.nodes[n]).cwiseMax(-longest).cwiseMin(longest);
    }
    for (int i = 0; i < max_retreats && straighten(); ++i) {
    }
  }

  Vector3d place(std::size_t node) const { return lattice_.nodes[node] + ways_[node]; }
  void retreat(std::size_t node) {
    ways_[node] = ways_[node].norm() < 1e-3 * lattice_.size ? Vector3d::Zero() : Vector3d(0.5 * ways_[node]);
  }

 private:
  /// Corners of voxels that are too thin at one go half the way back. Returns whether there were any.
  bool straighten() {
    std::vector<std::uint8_t> back(ways_.size(), 0);
    for (const auto& corners : lattice_.corners) {
      bool thin = false;
      for (std::size_t c = 0; c < 8 && !thin; ++c) {
        Eigen::Matrix3d edges;
        for (std::size_t k = 0; k < 3; ++k) {
          const double sign = (c >> k & 1) == 0 ? 1 : -1;
          edges.col(static_cast<Eigen::Index>(k)) =
              sign * (place(at(corners[c ^ (std::size_t{1} << k)])) - place(at(corners[c])));
        }
        thin = edges.determinant() < smallest_corner_volume * lattice_.size * lattice_.size * lattice_.size;
      }
      if (!thin) continue;
      for (const Index n : corners) back[at(n)] = 1;
    }
    bool any = false;
    for (std::size_t n = 0; n < ways_.size(); ++n) {
      if (back[n] == 0 || ways_[n].isZero(0)) continue;
      retreat(n);
      any = true;
    }
    return any;
  }

  const mesh::VoxelLattice& lattice_;
  std::vector<Vector3d> ways_;
};

void check_cuttable(const SoftBody& d) {
  require(d.tetrahedra.tetrahedra.empty(), ErrorCode::unsupported,
          "body '{}': cuttable is of lattices of voxels, and it has tetrahedra; leave it out", d.name);
  require(!d.field.has_value(), ErrorCode::unsupported, "body '{}': a field does not go with cuttable; leave it out",
          d.name);
  require(d.pressure == 0, ErrorCode::unsupported, "body '{}': pressure does not go with cuttable; expected 0", d.name);
}

Vector3d cell_corner(const CutLattice& lattice, Index voxel) {
  const std::array<std::int32_t, 3>& cell = lattice.links.cell(voxel);
  return {static_cast<double>(cell[0]), static_cast<double>(cell[1]), static_cast<double>(cell[2])};
}

}  // namespace

namespace {

/// Where a vertex is in the lattice: nodes and their weights.
struct VertexPlace {
  std::array<Index, 8> nodes{};
  std::array<double, 8> weights{};
};

VertexPlace vertex_place(const CutLattice& lattice, Index vertex) {
  const LatticeRecipe& recipe = *lattice.recipe;
  const std::vector<Index>& voxels = lattice.surface.vertices[at(vertex)].voxels;
  if (voxels.empty()) return {lattice.nodes[0], {1}};  // gone; goes with the body
  const Vector3d point = (lattice.rest[at(vertex)] - recipe.origin) / recipe.voxel_size;
  Index best = none;
  double nearest = std::numeric_limits<double>::infinity();
  for (const Index voxel : voxels) {
    const Vector3d local = point - cell_corner(lattice, voxel);
    const double distance = (local - local.cwiseMax(0.0).cwiseMin(1.0)).squaredNorm();
    if (!(distance < nearest)) continue;
    nearest = distance;
    best = voxel;
  }
  const auto element = std::lower_bound(lattice.voxels.begin(), lattice.voxels.end(), best) - lattice.voxels.begin();
  return {lattice.nodes[static_cast<std::size_t>(element)],
          mesh::trilinear_weights(point - cell_corner(lattice, best))};
}

}  // namespace

Vector3d place_in_nodes(const CutLattice& lattice, Index vertex, std::span<const Vector3d> nodes) {
  const VertexPlace place = vertex_place(lattice, vertex);
  Vector3d sum(0, 0, 0);
  for (std::size_t c = 0; c < 8; ++c) {
    if (place.weights[c] != 0) sum += place.weights[c] * nodes[at(place.nodes[c])];
  }
  return sum;
}

Embedding embed(const CutLattice& lattice) {
  Embedding embedding;
  for (std::size_t v = 0; v < lattice.surface.vertices.size(); ++v) {
    const VertexPlace place = vertex_place(lattice, static_cast<Index>(v));
    embedding.add(place.nodes, place.weights);
  }
  return embedding;
}

std::shared_ptr<const BodyModel> make_model(const CutLattice& lattice) {
  const LatticeRecipe& recipe = *lattice.recipe;
  Elements elements;
  elements.voxel_size = recipe.voxel_size;
  elements.voxels = lattice.nodes;
  std::size_t node_count = 0;
  for (const auto& corners : lattice.nodes) {
    for (const Index n : corners) node_count = std::max(node_count, at(n) + 1);
  }
  elements.nodes.resize(node_count);
  elements.node_volume.assign(node_count, 0.0);
  for (std::size_t e = 0; e < lattice.voxels.size(); ++e) {
    const Index voxel = lattice.voxels[e];
    elements.cells.push_back(lattice.links.cell(voxel));
    elements.fill.push_back(recipe.fill[at(voxel)]);
    for (std::size_t c = 0; c < 8; ++c) {
      const auto node = at(lattice.nodes[e][c]);
      const Vector3d corner(static_cast<double>(c & 1), static_cast<double>(c >> 1 & 1),
                            static_cast<double>(c >> 2 & 1));
      elements.nodes[node] = recipe.origin + recipe.voxel_size * (cell_corner(lattice, voxel) + corner);
      elements.node_volume[node] += recipe.volume[at(voxel)][c];
    }
  }
  auto model = std::make_shared<BodyModel>();
  model->elements = Model(elements, recipe.elasticity, recipe.regions,
                          inverse_masses(elements, recipe.elasticity.density, recipe.fixed));
  model->voxel_size = recipe.voxel_size;
  for (const double volume : elements.node_volume) {
    model->mass.push_back(recipe.elasticity.density * volume);
    model->rest_volume += volume;
  }
  model->plasticity = recipe.plasticity;
  for (const Actuator& actuator : recipe.actuators) {
    ActiveElements& active = model->actuators.emplace_back(ActiveElements{actuator, {}});
    for (std::size_t e = 0; e < lattice.voxels.size(); ++e) {
      const Vector3d center =
          recipe.origin + recipe.voxel_size * (cell_corner(lattice, lattice.voxels[e]) + Vector3d::Constant(0.5));
      if ((center.array() >= actuator.min.array()).all() && (center.array() <= actuator.max.array()).all())
        active.elements.push_back(e);
    }
  }
  model->surface = embed(lattice);
  return model;
}

void update_model(const CutLattice& lattice, const LatticeChange& change, BodyModel& model) {
  const LatticeRecipe& recipe = *lattice.recipe;
  std::vector<std::uint32_t> elements;
  std::map<Index, double> volume;  // m^3, of each node that is one of theirs: what their corners have of it
  std::map<Index, Vector3d> rest;
  for (const Index voxel : change.voxels) {
    const std::size_t e = element_of(lattice, voxel);
    elements.push_back(static_cast<std::uint32_t>(e));
    for (std::size_t c = 0; c < 8; ++c) {
      const Index node = lattice.nodes[e][c];
      const Vector3d corner(static_cast<double>(c & 1), static_cast<double>(c >> 1 & 1),
                            static_cast<double>(c >> 2 & 1));
      rest[node] = recipe.origin + recipe.voxel_size * (cell_corner(lattice, voxel) + corner);
    }
  }
  // Nodes of these voxels are of others, too: all around them.
  for (const auto& [node, place] : rest) volume[node] = 0;
  for (const auto& [node, place] : rest) {
    const Vector3d cell = (place - recipe.origin) / recipe.voxel_size;
    const LatticePlace corner{static_cast<std::int32_t>(std::lround(cell.x())),
                              static_cast<std::int32_t>(std::lround(cell.y())),
                              static_cast<std::int32_t>(std::lround(cell.z()))};
    const std::array<Index, 8> around = voxels_around(lattice.links, corner);
    for (std::size_t o = 0; o < 8; ++o) {
      if (!has_voxel(lattice, around[o]) || lattice.nodes[element_of(lattice, around[o])][7 - o] != node) continue;
      volume[node] += recipe.volume[at(around[o])][7 - o];
    }
  }
  std::vector<NodeMass> masses;
  for (const auto& [node, place] : rest) {
    model.mass.resize(std::max(model.mass.size(), at(node) + 1), 0.0);
    model.mass[at(node)] = recipe.elasticity.density * volume[node];
    masses.push_back({node, inverse_mass_at(place, volume[node], recipe.elasticity.density, recipe.fixed)});
  }
  std::vector<std::array<Index, 8>> nodes;
  for (const std::uint32_t e : elements) nodes.push_back(lattice.nodes[e]);
  model.elements.change_voxels(elements, nodes, masses);
  model.surface.ranges.resize(lattice.surface.vertices.size());
  for (const Index v : change.vertices) {
    const VertexPlace place = vertex_place(lattice, v);
    model.surface.set(at(v), place.nodes, place.weights);
  }
}

BodyState make_cuttable_state(SoftBody& d) {
  check_cuttable(d);
  mesh::VoxelOptions options{.size = d.voxel_size, .smallest_fill = smallest_cut_fill};
  if (d.voxel_size == 0)
    options.degrees_of_freedom = static_cast<std::size_t>(d.degrees_of_freedom > 0 ? d.degrees_of_freedom : 3000);
  const mesh::VoxelLattice voxels = mesh::make_voxels(d.name, d.mesh, options);
  auto recipe = std::make_shared<LatticeRecipe>();
  recipe->voxel_size = voxels.size;
  recipe->origin = voxels.origin;
  recipe->fill = voxels.fill;
  recipe->volume = voxels.corner_volume;
  recipe->corners = voxels.corners;
  recipe->elasticity = d.elasticity;
  recipe->regions = d.regions;
  recipe->fixed = d.fixed;
  recipe->actuators = d.actuators;
  recipe->plasticity = d.plasticity;
  // Corners with next to no material take of the others of their voxel, which keeps its mass.
  const double smallest = smallest_corner_fill * voxels.size * voxels.size * voxels.size;
  for (std::array<double, 8>& corners : recipe->volume) {
    double whole = 0;
    double raised = 0;
    for (double& part : corners) {
      whole += part;
      part = std::max(part, smallest);
      raised += part;
    }
    for (double& part : corners) part *= whole / raised;
  }

  LatticeFit fit(voxels, d.mesh);
  auto lattice = std::make_shared<CutLattice>(mesh::VoxelLinks(voxels.cells));
  for (std::size_t v = 0; v < voxels.cells.size(); ++v) lattice->voxels.push_back(static_cast<Index>(v));
  lattice->nodes = mesh::make_nodes(lattice->links).corners;
  const mesh::LinkSurface surface = mesh::make_surface(lattice->links);
  for (int i = 0;; ++i) {
    recipe->places.clear();
    for (std::size_t n = 0; n < voxels.nodes.size(); ++n) recipe->places.push_back(fit.place(n));
    lattice->recipe = recipe;
    lattice->surface = {};
    lattice->rest.clear();
    place_surface(first_kerf, surface, *lattice);
    const std::vector<Intersection> crossing =
        intersections(Surface(lattice->rest.size(), lattice->surface.triangles), lattice->rest, {.threads = 1});
    if (crossing.empty() || i == max_retreats) break;
    // Corners of voxels whose triangles intersect go half the way back.
    std::vector<std::uint8_t> back(voxels.nodes.size(), 0);
    for (const Intersection& pair : crossing) {
      for (const Index t : {pair.a, pair.b}) {
        const Index voxel = lattice->surface.sides[at(lattice->surface.side_of_triangle[at(t)])].voxel;
        for (const Index n : voxels.corners[at(voxel)]) back[at(n)] = 1;
      }
    }
    for (std::size_t n = 0; n < back.size(); ++n) {
      if (back[n] != 0) fit.retreat(n);
    }
  }

  BodyState state;
  state.model = make_model(*lattice);
  // Cuts add nodes.
  const std::size_t room = state.model->mass.size() + state.model->mass.size() / 8;
  state.nodes.reserve(room);
  state.velocities.reserve(room);
  d.mesh.positions = lattice->rest;
  d.mesh.triangles = lattice->surface.triangles;
  state.nodes.resize(state.model->mass.size());
  for (std::size_t e = 0; e < lattice->voxels.size(); ++e) {
    for (std::size_t c = 0; c < 8; ++c) state.nodes[at(lattice->nodes[e][c])] = voxels.nodes[at(voxels.corners[e][c])];
  }
  state.velocities.assign(state.nodes.size(), Vector3d::Zero());
  for (std::size_t n = 0; n < state.nodes.size(); ++n) {
    if (state.model->elements.inverse_mass()[n] > 0) state.velocities[n] = d.velocity;
  }
  lattice->node_blocks = list_node_blocks(*lattice);
  state.lattice = std::move(lattice);
  place_boxes(state.nodes, state);
  return state;
}

}  // namespace carom::solid

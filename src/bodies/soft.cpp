#include "bodies/soft.hpp"

#include <Eigen/Eigenvalues>
#include <Eigen/Geometry>
#include <Eigen/LU>
#include <algorithm>
#include <bit>
#include <cmath>
#include <limits>

#include "bodies/soft_rates.hpp"
#include "core/check.hpp"

namespace carom::solid {

namespace {

using kernels::element_lanes;
using kernels::TetrahedronBatch;
using kernels::VoxelBatch;

/// Mass of a node, as a fraction of that of a full voxel, below which it counts as this much.
constexpr double min_node_fill = 1e-6;
/// Stiffness of a voxel, as a fraction of that of a full one, below which it counts as this much.
constexpr double min_stiffness_fill = 0.01;

struct Lame {
  double mu = 0;      ///< Pa
  double lambda = 0;  ///< Pa, of the stable neo-Hookean energy: more by mu than that of linear elasticity
};

Lame lame(const Elasticity& e) {
  const double mu = e.young_modulus / (2 * (1 + e.poisson_ratio));
  const double lambda = e.young_modulus * e.poisson_ratio / ((1 + e.poisson_ratio) * (1 - 2 * e.poisson_ratio));
  return {mu, lambda + mu};
}

bool contains(const Eigen::Vector3d& min, const Eigen::Vector3d& max, const Eigen::Vector3d& p) {
  return (p.array() >= min.array()).all() && (p.array() <= max.array()).all();
}

double stiffness_at(std::span<const SoftRegion> regions, const Eigen::Vector3d& center) {
  double stiffness = 1;
  for (const SoftRegion& region : regions) {
    if (contains(region.min, region.max, center)) stiffness = region.stiffness;
  }
  return stiffness;
}

std::size_t at(Index index) {
  return static_cast<std::size_t>(index);
}

/// The lowest color that no node of the element has, one after the other.
std::vector<std::uint32_t> tetrahedron_colors(std::span<const Tetrahedron> elements, std::size_t node_count) {
  std::vector<std::vector<std::uint64_t>> used(node_count);
  std::vector<std::uint32_t> color_of;
  color_of.reserve(elements.size());
  for (const Tetrahedron& element : elements) {
    std::uint32_t color = 0;
    for (std::size_t word = 0;; ++word) {
      std::uint64_t taken = 0;
      for (const Index n : element) {
        if (word < used[at(n)].size()) taken |= used[at(n)][word];
      }
      if (~taken == 0) continue;
      color = static_cast<std::uint32_t>(64 * word) + static_cast<std::uint32_t>(std::countr_one(taken));
      break;
    }
    for (const Index n : element) {
      std::vector<std::uint64_t>& sets = used[at(n)];
      if (sets.size() <= color / 64) sets.resize(color / 64 + 1, 0);
      sets[color / 64] |= std::uint64_t{1} << (color % 64);
    }
    color_of.push_back(color);
  }
  return color_of;
}

/// Batch and lane of each element, batches of one color each, in the order of the elements.
struct Lanes {
  std::vector<std::uint32_t> place;        ///< of each element: lane among those of all batches
  std::vector<std::uint32_t> first_batch;  ///< of each color, and the number of all
};

Lanes lanes_of(std::span<const std::uint32_t> color_of) {
  std::vector<std::uint32_t> sizes;
  for (const std::uint32_t color : color_of) {
    if (sizes.size() <= color) sizes.resize(color + 1, 0);
    ++sizes[color];
  }
  Lanes lanes;
  lanes.first_batch.push_back(0);
  for (const std::uint32_t size : sizes)
    lanes.first_batch.push_back(lanes.first_batch.back() +
                                static_cast<std::uint32_t>(chunk_count(size, element_lanes)));
  std::vector<std::uint32_t> filled(sizes.size(), 0);
  for (const std::uint32_t color : color_of)
    lanes.place.push_back(lanes.first_batch[color] * static_cast<std::uint32_t>(element_lanes) + filled[color]++);
  return lanes;
}

}  // namespace

void check(const std::string& body, const Elasticity& e, std::span<const SoftRegion> regions,
           std::span<const FixedRegion> fixed) {
  const auto positive = [&](const char* field, double value) {
    require(std::isfinite(value) && value > 0, ErrorCode::invalid_argument,
            "body '{}': {} is {}; expected a positive number", body, field, value);
  };
  positive("density", e.density);
  positive("young_modulus", e.young_modulus);
  require(e.poisson_ratio >= 0 && e.poisson_ratio <= max_poisson_ratio, ErrorCode::invalid_argument,
          "body '{}': poisson_ratio is {}; expected 0 to {}", body, e.poisson_ratio, max_poisson_ratio);
  require(std::isfinite(e.damping) && e.damping >= 0, ErrorCode::invalid_argument,
          "body '{}': damping is {}; expected a number that is not negative", body, e.damping);
  const auto box = [&](const char* list, std::size_t i, const Eigen::Vector3d& min, const Eigen::Vector3d& max) {
    require((min.array() <= max.array()).all(), ErrorCode::invalid_argument,
            "body '{}': {}[{}] is from ({}, {}, {}) to ({}, {}, {}); expected min below max", body, list, i, min.x(),
            min.y(), min.z(), max.x(), max.y(), max.z());
  };
  for (std::size_t i = 0; i < regions.size(); ++i) {
    box("regions", i, regions[i].min, regions[i].max);
    require(std::isfinite(regions[i].stiffness) && regions[i].stiffness > 0, ErrorCode::invalid_argument,
            "body '{}': stiffness of regions[{}] is {}; expected a positive number", body, i, regions[i].stiffness);
  }
  for (std::size_t i = 0; i < fixed.size(); ++i) box("fixed", i, fixed[i].min, fixed[i].max);
}

Elements elements_of(const mesh::VoxelLattice& lattice) {
  Elements elements;
  elements.nodes = lattice.nodes;
  elements.node_volume = lattice.node_volume;
  elements.voxel_size = lattice.size;
  elements.voxels = lattice.corners;
  elements.cells = lattice.cells;
  elements.fill = lattice.fill;
  const double full = lattice.size * lattice.size * lattice.size;
  for (double& volume : elements.node_volume) volume = std::max(volume, min_node_fill * full);
  return elements;
}

Elements elements_of(const TetrahedralMesh& mesh) {
  Elements elements;
  elements.nodes = mesh.positions;
  elements.tetrahedra = mesh.tetrahedra;
  elements.node_volume.assign(mesh.positions.size(), 0.0);
  for (std::size_t i = 0; i < mesh.tetrahedra.size(); ++i) {
    for (const Index n : mesh.tetrahedra[i]) elements.node_volume[at(n)] += volume_of(mesh, i) / 4;
  }
  return elements;
}

std::vector<double> inverse_masses(const Elements& elements, double density, std::span<const FixedRegion> fixed) {
  std::vector<double> inverse(elements.nodes.size(), 0.0);
  for (std::size_t n = 0; n < inverse.size(); ++n)
    inverse[n] = inverse_mass_at(elements.nodes[n], elements.node_volume[n], density, fixed);
  return inverse;
}

double inverse_mass_at(const Eigen::Vector3d& place, double volume, double density,
                       std::span<const FixedRegion> fixed) {
  const bool held = std::any_of(fixed.begin(), fixed.end(),
                                [&](const FixedRegion& region) { return contains(region.min, region.max, place); });
  return !held && volume > 0 ? 1 / (density * volume) : 0.0;
}

Model::Model(const Elements& elements, const Elasticity& elasticity, std::span<const SoftRegion> regions,
             std::vector<double> inverse_mass)
    : element_count_(elements.count()), inverse_mass_(std::move(inverse_mass)), damping_(elasticity.damping) {
  fixed_count_ = static_cast<std::size_t>(std::count(inverse_mass_.begin(), inverse_mass_.end(), 0.0));
  const Lame moduli = lame(elasticity);
  std::vector<double> shear;
  std::vector<double> volume;
  std::vector<double> sizes;
  const auto add = [&](const Eigen::Vector3d& center, double size) {
    sizes.push_back(size);
    const double stiffness = stiffness_at(regions, center);
    shear.push_back(stiffness * size * moduli.mu);
    volume.push_back(stiffness * size * moduli.lambda);
  };
  if (!elements.voxels.empty()) {
    const double size = elements.voxel_size;
    inverse_size_ = 1 / size;
    for (std::size_t v = 0; v < elements.voxels.size(); ++v) {
      const Eigen::Vector3d center =
          0.5 * (elements.nodes[at(elements.voxels[v][0])] + elements.nodes[at(elements.voxels[v][7])]);
      add(center, size * size * size * std::max(elements.fill[v], min_stiffness_fill));
    }
    add_voxels(elements, sizes, shear, volume);
  } else {
    const TetrahedralMesh mesh{elements.nodes, elements.tetrahedra};
    for (std::size_t i = 0; i < elements.tetrahedra.size(); ++i) {
      Eigen::Vector3d center = Eigen::Vector3d::Zero();
      for (const Index n : elements.tetrahedra[i]) center += 0.25 * elements.nodes[at(n)];
      add(center, volume_of(mesh, i));
    }
    add_tetrahedra(elements, sizes, shear, volume);
  }
}

void Model::set_volumes(std::span<const double> sizes) {
  volume_.assign(batch_count() * element_lanes, 0.0);
  for (std::size_t e = 0; e < sizes.size(); ++e) volume_[lane_[e]] = sizes[e];
  volume_unit_ = unit_of(sizes);
}

void Model::add_voxels(const Elements& elements, std::span<const double> sizes, std::span<const double> shear,
                       std::span<const double> volume) {
  // Cells of the same parity have no corner in common.
  std::vector<std::uint32_t> color_of;
  for (const auto& cell : elements.cells)
    color_of.push_back(static_cast<std::uint32_t>((cell[0] & 1) + 2 * (cell[1] & 1) + 4 * (cell[2] & 1)));
  const Lanes lanes = lanes_of(color_of);
  lane_ = lanes.place;
  VoxelBatch empty{};
  for (auto& corner : empty.nodes) std::fill(corner, corner + element_lanes, static_cast<std::int32_t>(node_count()));
  voxels_.assign(lanes.first_batch.back(), empty);
  set_volumes(sizes);
  stiffness_.assign(node_count(), 0);
  stiffness_unit_ = unit_of(shear);
  for (std::size_t v = 0; v < elements.voxels.size(); ++v) {
    VoxelBatch& batch = voxels_[lanes.place[v] / element_lanes];
    const std::size_t lane = lanes.place[v] % element_lanes;
    batch.shear[lane] = shear[v];
    batch.volume[lane] = volume[v];
    set_nodes(lanes.place[v], elements.voxels[v]);
    add_stiffness(lanes.place[v], true);
  }
  std::vector<FollowedRate> rates;
  for (const std::uint32_t lane : lane_) {
    set_rate(lane);
    rates.push_back(rate_of_lane(lane));
  }
  for (std::size_t c = 0; c + 1 < lanes.first_batch.size(); ++c)
    colors_.push_back({lanes.first_batch[c], lanes.first_batch[c + 1]});
  resolved_rate_ = resolved_rate_of(std::move(rates));
  set_inner_step();
}

void Model::change_voxels(std::span<const std::uint32_t> elements, std::span<const std::array<Index, 8>> nodes,
                          std::span<const NodeMass> masses) {
  const std::size_t before = node_count();
  for (const NodeMass& mass : masses) {
    if (at(mass.node) >= inverse_mass_.size()) {
      fixed_count_ += at(mass.node) + 1 - inverse_mass_.size();
      inverse_mass_.resize(at(mass.node) + 1, 0.0);
    }
    double& inverse = inverse_mass_[at(mass.node)];
    fixed_count_ -= inverse == 0 ? 1 : 0;
    fixed_count_ += mass.inverse == 0 ? 1 : 0;
    inverse = mass.inverse;
  }
  // Lanes without an element are at the point after all nodes.
  for (const Range& color : colors_) {
    if (color.begin == color.end) continue;
    for (auto& corner : voxels_[color.end - 1].nodes) {
      for (std::int32_t& node : corner) {
        if (static_cast<std::size_t>(node) == before) node = static_cast<std::int32_t>(node_count());
      }
    }
  }
  stiffness_.resize(node_count(), 0);
  const auto count_rate = [&](const FollowedRate& each, bool comes) {
    if (!(each.rate > 0)) return;
    const std::uint64_t change = comes ? each.share : ~each.share + 1;
    resolved_rate_.all += change;
    if (each.rate < resolved_rate_.rate) resolved_rate_.below += change;
    if (each.rate == resolved_rate_.rate) resolved_rate_.equal += change;
  };
  for (std::size_t i = 0; i < elements.size(); ++i) {
    const std::size_t lane = lane_[elements[i]];
    count_rate(rate_of_lane(lane), false);
    add_stiffness(lane, false);
    set_nodes(lane, nodes[i]);
    add_stiffness(lane, true);
  }
  for (const std::uint32_t element : elements) {
    set_rate(lane_[element]);
    count_rate(rate_of_lane(lane_[element]), true);
  }
  const std::uint64_t resolved = resolved_amount(resolved_rate_.all);
  if (resolved <= resolved_rate_.below || resolved > resolved_rate_.below + resolved_rate_.equal) {
    std::vector<FollowedRate> rates;
    for (const std::uint32_t lane : lane_) rates.push_back(rate_of_lane(lane));
    resolved_rate_ = resolved_rate_of(std::move(rates));
  }
  set_inner_step();
}

void Model::add_tetrahedra(const Elements& elements, std::span<const double> sizes, std::span<const double> shear,
                           std::span<const double> volume) {
  const Lanes lanes = lanes_of(tetrahedron_colors(elements.tetrahedra, node_count()));
  lane_ = lanes.place;
  TetrahedronBatch empty{};
  for (auto& corner : empty.nodes) std::fill(corner, corner + element_lanes, static_cast<std::int32_t>(node_count()));
  tetrahedra_.assign(lanes.first_batch.back(), empty);
  set_volumes(sizes);
  const auto gradients_of = [&](const Tetrahedron& corners) {
    Eigen::Matrix3d edges;
    for (std::size_t k = 0; k < 3; ++k)
      edges.col(static_cast<Eigen::Index>(k)) = elements.nodes[at(corners[k + 1])] - elements.nodes[at(corners[0])];
    Eigen::Matrix<double, 3, 4> gradients;
    gradients.rightCols<3>() = edges.inverse().transpose();
    gradients.col(0) = -gradients.rightCols<3>().rowwise().sum();
    return gradients;
  };
  // Each node shares its mass among its elements by how stiff they are there.
  std::vector<double> stiffness(node_count(), 0.0);
  for (std::size_t i = 0; i < elements.tetrahedra.size(); ++i) {
    const Eigen::Matrix<double, 3, 4> gradients = gradients_of(elements.tetrahedra[i]);
    for (std::size_t k = 0; k < 4; ++k)
      stiffness[at(elements.tetrahedra[i][k])] += shear[i] * gradients.col(static_cast<Eigen::Index>(k)).squaredNorm();
  }
  std::vector<FollowedRate> rates;
  for (std::size_t i = 0; i < elements.tetrahedra.size(); ++i) {
    TetrahedronBatch& batch = tetrahedra_[lanes.place[i] / element_lanes];
    const std::size_t lane = lanes.place[i] % element_lanes;
    const Eigen::Matrix<double, 3, 4> gradients = gradients_of(elements.tetrahedra[i]);
    // Inverse masses as F sees them: the sum over nodes of its gradient, twice, and the inverse mass, all of it and the
    // part of the element.
    Eigen::Matrix3d seen = Eigen::Matrix3d::Zero();
    Eigen::Matrix3d shared = Eigen::Matrix3d::Zero();
    for (std::size_t k = 0; k < 4; ++k) {
      const std::size_t node = at(elements.tetrahedra[i][k]);
      batch.nodes[k][lane] = elements.tetrahedra[i][k];
      const Eigen::Vector3d gradient = gradients.col(static_cast<Eigen::Index>(k));
      const Eigen::Matrix3d square = inverse_mass_[node] * gradient * gradient.transpose();
      seen += square;
      shared += stiffness[node] / (shear[i] * gradient.squaredNorm()) * square;
      if (k == 0) continue;
      for (std::size_t axis = 0; axis < 3; ++axis)
        batch.gradient[axis][k - 1][lane] = gradient[static_cast<Eigen::Index>(axis)];
    }
    using Eigenvalues = Eigen::SelfAdjointEigenSolver<Eigen::Matrix3d>;
    batch.shear[lane] = shear[i];
    batch.volume[lane] = volume[i];
    batch.inertia[lane] = Eigenvalues(seen, Eigen::EigenvaluesOnly).eigenvalues().maxCoeff();
    const Eigen::Vector3d eigenvalues = Eigenvalues(shared, Eigen::EigenvaluesOnly).eigenvalues();
    batch.rate[lane] = shear[i] * frequency_of(eigenvalues, linear_ratio(shear[i], volume[i]));
    batch.follow[lane] = kernels::follow_of(batch.rate[lane], batch.inertia[lane], shear[i], volume[i]);
    rates.push_back({shear[i] * frequency_of(eigenvalues, followed_ratio(shear[i], volume[i])),
                     units_of(volume_[lanes.place[i]], volume_unit_)});
  }
  for (std::size_t c = 0; c + 1 < lanes.first_batch.size(); ++c)
    colors_.push_back({lanes.first_batch[c], lanes.first_batch[c + 1]});
  resolved_rate_ = resolved_rate_of(std::move(rates));
  set_inner_step();
}

}  // namespace carom::solid

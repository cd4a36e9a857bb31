#include "bodies/soft_body.hpp"

#include <Eigen/Geometry>
#include <algorithm>
#include <cmath>
#include <limits>

#include "bodies/soft_cut.hpp"
#include "core/check.hpp"

namespace carom::solid {
namespace {

using Eigen::Vector3d;

constexpr int default_degrees_of_freedom = 3000;

void check_number(const std::string& body, const char* field, double value) {
  require(std::isfinite(value) && value >= 0, ErrorCode::invalid_argument,
          "body '{}': {} is {}; expected a number that is not negative", body, field, value);
}

void check_actuator(const std::string& body, std::size_t i, const Actuator& actuator) {
  require((actuator.min.array() <= actuator.max.array()).all(), ErrorCode::invalid_argument,
          "body '{}': actuators[{}] is from ({}, {}, {}) to ({}, {}, {}); expected min below max", body, i,
          actuator.min.x(), actuator.min.y(), actuator.min.z(), actuator.max.x(), actuator.max.y(), actuator.max.z());
  const Vector3d& s = actuator.stretch;
  require((s.array() >= 0.1).all() && (s.array() <= 10).all(), ErrorCode::invalid_argument,
          "body '{}': stretch of actuators[{}] is ({}, {}, {}); expected 0.1 to 10 along each axis", body, i, s.x(),
          s.y(), s.z());
  require(!actuator.keys.empty(), ErrorCode::invalid_argument, "body '{}': actuators[{}] has no keys", body, i);
  for (std::size_t k = 0; k < actuator.keys.size(); ++k) {
    const ActivationKey& key = actuator.keys[k];
    require(std::isfinite(key.time) && (k == 0 || key.time > actuator.keys[k - 1].time), ErrorCode::invalid_argument,
            "body '{}': time of actuators[{}].keys[{}] is {}; expected times that ascend", body, i, k, key.time);
    require(key.value >= 0 && key.value <= 1, ErrorCode::invalid_argument,
            "body '{}': value of actuators[{}].keys[{}] is {}; expected 0 to 1", body, i, k, key.value);
  }
}

void check_soft(const SoftBody& d) {
  check(d.name, d.elasticity, d.regions, d.fixed);
  check_number(d.name, "voxel_size", d.voxel_size);
  require(d.degrees_of_freedom >= 0, ErrorCode::invalid_argument,
          "body '{}': degrees_of_freedom is {}; expected a number that is not negative", d.name, d.degrees_of_freedom);
  check_number(d.name, "pressure", d.pressure);
  check_number(d.name, "thickness", d.thickness);
  check_number(d.name, "air_damping", d.air_damping);
  check_number(d.name, "importance", d.importance);
  check_number(d.name, "plasticity.yield_strain", d.plasticity.yield_strain);
  check_number(d.name, "plasticity.flow_rate", d.plasticity.flow_rate);
  check_number(d.name, "plasticity.max_strain", d.plasticity.max_strain);
  require(d.inner_steps >= 0, ErrorCode::invalid_argument,
          "body '{}': inner_steps is {}; expected a number that is not negative", d.name, d.inner_steps);
  require(is_finite(d.velocity), ErrorCode::not_finite, "body '{}': velocity is ({}, {}, {}); expected finite", d.name,
          d.velocity.x(), d.velocity.y(), d.velocity.z());
  for (std::size_t i = 0; i < d.actuators.size(); ++i) check_actuator(d.name, i, d.actuators[i]);
}

/// Boundary of the tetrahedra over the nodes that are in it, which becomes the surface.
Embedding embed_boundary(SoftBody& d) {
  require(d.mesh.triangles.empty(), ErrorCode::invalid_argument,
          "body '{}' has a mesh and tetrahedra; expected one of them", d.name);
  require(d.voxel_size == 0 && d.degrees_of_freedom == 0, ErrorCode::invalid_argument,
          "body '{}': voxel_size and degrees_of_freedom are of lattices, and it has tetrahedra; leave them out",
          d.name);
  orient("body '" + d.name + "'", d.tetrahedra);
  const std::vector<Triangle> triangles = boundary_triangles(d.tetrahedra);
  std::vector<Index> number(d.tetrahedra.positions.size(), none);
  Embedding embedding;
  for (const Triangle& t : triangles) {
    Triangle own{};
    for (std::size_t k = 0; k < 3; ++k) {
      Index& found = number[static_cast<std::size_t>(t[k])];
      if (found == none) {
        found = static_cast<Index>(d.mesh.positions.size());
        d.mesh.positions.push_back(d.tetrahedra.positions[static_cast<std::size_t>(t[k])]);
        constexpr double whole = 1;
        embedding.add(std::span(&t[k], 1), std::span(&whole, 1));
      }
      own[k] = found;
    }
    d.mesh.triangles.push_back(own);
  }
  return embedding;
}

Elements make_elements(SoftBody& d, Embedding& embedding) {
  if (!d.tetrahedra.tetrahedra.empty()) {
    embedding = embed_boundary(d);
    return elements_of(d.tetrahedra);
  }
  require(d.voxel_size == 0 || d.degrees_of_freedom == 0, ErrorCode::invalid_argument,
          "body '{}': voxel_size is {} and degrees_of_freedom is {}; expected one of them", d.name, d.voxel_size,
          d.degrees_of_freedom);
  mesh::VoxelOptions options{.size = d.voxel_size};
  if (d.voxel_size == 0)
    options.degrees_of_freedom =
        static_cast<std::size_t>(d.degrees_of_freedom > 0 ? d.degrees_of_freedom : default_degrees_of_freedom);
  const mesh::VoxelLattice lattice = mesh::make_voxels(d.name, d.mesh, options);
  for (const mesh::Embedding& vertex : lattice.vertices)
    embedding.add(lattice.corners[static_cast<std::size_t>(vertex.voxel)], vertex.weights);
  return elements_of(lattice);
}

Vector3d center_of(const Elements& elements, std::size_t element) {
  Vector3d sum = Vector3d::Zero();
  const auto mean = [&](const auto& corners) {
    for (const Index n : corners) sum += elements.nodes[static_cast<std::size_t>(n)];
    return Vector3d(sum / static_cast<double>(corners.size()));
  };
  return elements.voxels.empty() ? mean(elements.tetrahedra[element]) : mean(elements.voxels[element]);
}

void check_fixed(const SoftBody& d, std::span<const Vector3d> nodes) {
  for (std::size_t i = 0; i < d.fixed.size(); ++i) {
    const FixedRegion& region = d.fixed[i];
    const bool any = std::any_of(nodes.begin(), nodes.end(), [&](const Vector3d& node) {
      return (node.array() >= region.min.array()).all() && (node.array() <= region.max.array()).all();
    });
    require(any, ErrorCode::invalid_argument, "body '{}': no node is in the box of fixed[{}]", d.name, i);
  }
}

/// Of elements: `centers` at rest.
void check_regions(const SoftBody& d, std::span<const Vector3d> centers) {
  for (std::size_t i = 0; i < d.regions.size(); ++i) {
    const SoftRegion& region = d.regions[i];
    const bool any = std::ranges::any_of(centers, [&](const Vector3d& center) {
      return (center.array() >= region.min.array()).all() && (center.array() <= region.max.array()).all();
    });
    require(any, ErrorCode::invalid_argument, "body '{}': no element has its center in the box of regions[{}]", d.name,
            i);
  }
}

}  // namespace

void Embedding::add(std::span<const Index> of, std::span<const double> by) {
  ranges.emplace_back();
  set(ranges.size() - 1, of, by);
}

void Embedding::set(std::size_t vertex, std::span<const Index> of, std::span<const double> by) {
  Range& range = ranges[vertex];
  range.count = static_cast<std::uint16_t>(by.size() - static_cast<std::size_t>(std::ranges::count(by, 0.0)));
  if (range.count > range.room) {
    range.begin = static_cast<std::uint32_t>(nodes.size());
    range.room = range.count;
    nodes.resize(nodes.size() + range.count);
    weights.resize(nodes.size());
  }
  std::size_t next = range.begin;
  for (std::size_t i = 0; i < of.size(); ++i) {
    if (by[i] == 0) continue;
    nodes[next] = of[i];
    weights[next++] = by[i];
  }
}

BodyState make_state(SoftBody& description) {
  check_soft(description);
  if (description.cuttable) {
    BodyState state = make_cuttable_state(description);
    check_fixed(description, state.nodes);
    std::vector<Vector3d> centers;
    for (const auto& corners : state.lattice->nodes) {
      Vector3d sum = Vector3d::Zero();
      for (const Index n : corners) sum += state.nodes[static_cast<std::size_t>(n)];
      centers.emplace_back(sum / static_cast<double>(corners.size()));
    }
    check_regions(description, centers);
    return state;
  }
  auto model = std::make_shared<BodyModel>();
  const Elements elements = make_elements(description, model->surface);
  model->elements = Model(elements, description.elasticity, description.regions,
                          inverse_masses(elements, description.elasticity.density, description.fixed));
  model->voxel_size = elements.voxel_size;
  for (const double volume : elements.node_volume) {
    model->mass.push_back(description.elasticity.density * volume);
    model->rest_volume += volume;
  }
  model->plasticity = description.plasticity;
  if (description.field) {
    model->rest = elements;
    model->field = DistanceField(Shape::mesh(description.mesh), *description.field);
  }
  for (std::size_t i = 0; i < description.actuators.size(); ++i) {
    ActiveElements& active = model->actuators.emplace_back(ActiveElements{description.actuators[i], {}});
    for (std::size_t e = 0; e < elements.count(); ++e) {
      const Vector3d center = center_of(elements, e);
      if ((center.array() >= active.actuator.min.array()).all() &&
          (center.array() <= active.actuator.max.array()).all())
        active.elements.push_back(e);
    }
    require(!active.elements.empty(), ErrorCode::invalid_argument,
            "body '{}': no element has its center in the box of actuators[{}]", description.name, i);
  }
  check_fixed(description, elements.nodes);
  std::vector<Vector3d> centers;
  for (std::size_t e = 0; e < elements.count(); ++e) centers.push_back(center_of(elements, e));
  check_regions(description, centers);
  BodyState state;
  state.nodes = elements.nodes;
  state.velocities.assign(state.nodes.size(), Vector3d::Zero());
  for (std::size_t n = 0; n < state.nodes.size(); ++n) {
    if (model->elements.inverse_mass()[n] > 0) state.velocities[n] = description.velocity;
  }
  state.model = std::move(model);
  return state;
}

void contact_masses(const BodyModel& model, std::span<const std::uint32_t> vertices, std::vector<double>& work,
                    std::span<double> inverse_mass) {
  const Embedding& e = model.surface;
  const std::span<const double> inverse = model.elements.inverse_mass();
  if (work.size() < inverse.size()) work.resize(inverse.size(), 0.0);
  for (const std::uint32_t v : vertices) {
    for (std::uint32_t i = e.ranges[v].begin; i < e.ranges[v].end(); ++i)
      work[static_cast<std::size_t>(e.nodes[i])] += std::abs(e.weights[i]);
  }
  for (std::size_t k = 0; k < vertices.size(); ++k) {
    const std::uint32_t v = vertices[k];
    double sum = 0;
    for (std::uint32_t i = e.ranges[v].begin; i < e.ranges[v].end(); ++i) {
      const auto n = static_cast<std::size_t>(e.nodes[i]);
      sum += std::abs(e.weights[i]) * work[n] * inverse[n];
    }
    inverse_mass[k] = sum;
  }
  for (const std::uint32_t v : vertices) {
    for (std::uint32_t i = e.ranges[v].begin; i < e.ranges[v].end(); ++i)
      work[static_cast<std::size_t>(e.nodes[i])] = 0;
  }
}

}  // namespace carom::solid

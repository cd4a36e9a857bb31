#pragma once

#include <cmath>
#include <span>
#include <utility>
#include <vector>

#include "world/state.hpp"

/// Blades of bodies: where they are, and how hard they press.
namespace carom::world {

struct Box {
  Eigen::Vector3d low = Eigen::Vector3d::Constant(INFINITY);
  Eigen::Vector3d high = Eigen::Vector3d::Constant(-INFINITY);
  void extend(const Eigen::Vector3d& p) {
    low = low.cwiseMin(p);
    high = high.cwiseMax(p);
  }
  void grow(double by) {
    low.array() -= by;
    high.array() += by;
  }
  bool overlaps(const Box& other) const {
    return (low.array() <= other.high.array()).all() && (other.low.array() <= high.array()).all();
  }
  bool contains(const Eigen::Vector3d& p) const {
    return (low.array() <= p.array()).all() && (p.array() <= high.array()).all();
  }
};

/// Motion of a chain of points over a step.
struct ChainMotion {
  std::span<const Eigen::Vector3d> start;
  std::span<const Eigen::Vector3d> end;
  std::size_t blade = 0;

  Box box() const {
    Box box;
    for (const Eigen::Vector3d& p : start) box.extend(p);
    for (const Eigen::Vector3d& p : end) box.extend(p);
    return box;
  }
};

/// Points of a blade in the world, m, as its body is between two steps.
std::vector<Eigen::Vector3d> places_of(const World::State& state, const BodyBlade& blade);
/// The same at the end of a step of dt (s), as it is predicted.
std::vector<Eigen::Vector3d> predicted_places(const World::State& state, const BodyBlade& blade, double dt);

/// Point of a chain nearest to a place, as a distance (m) and a length along the chain (m).
std::pair<double, double> nearest_on(std::span<const Eigen::Vector3d> chain, const Eigen::Vector3d& place);

/// Whether blades cut a body along edges of its triangles: cloth of one level, particles whose steps may get shorter,
/// and surfaces that no force moves and that were made to be cut.
bool is_cut_as_sheet(const World::State& state, const Body& body);
/// Whether blades cut a body: a sheet, or a soft body that was made to be cut.
inline bool is_cut(const World::State& state, const Body& body) {
  return body.soft.lattice != nullptr || is_cut_as_sheet(state, body);
}

/// Contact distance of a body, m.
double thickness_of(const World::State& state, const Body& body);
/// Energy that a cut of a body takes, J/m^2.
double fracture_energy_of(const World::State& state, BodyId body);

/// Contacts of a body with the edge of a blade in the last step.
struct EdgePressure {
  double sum = 0;                  ///< N, of the normal forces
  Eigen::Vector3d force{0, 0, 0};  ///< N, on the body
  double low = INFINITY;           ///< m along the chain, of the first contact
  double high = -INFINITY;         ///< of the last
};
/// Of contacts within a distance (m) of the chain.
EdgePressure pressure_at(const World::State& state, const BodyBlade& blade, std::span<const Eigen::Vector3d> chain,
                         BodyId body, double within, double dt);

}  // namespace carom::world

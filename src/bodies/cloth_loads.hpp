#pragma once

#include <Eigen/Core>
#include <cstdint>
#include <span>
#include <string>
#include <vector>

#include "carom/body/fabric.hpp"
#include "carom/mesh/mesh.hpp"
#include "core/parallel.hpp"
#include "kernels/cloth_vertices.hpp"

/// What acts on the vertices of cloth besides its constraints: gravity, the damping of the air, wind.
namespace carom::cloth {

/// N s and N m s about the origin.
struct Impulse {
  Eigen::Vector3d linear{0, 0, 0};
  Eigen::Vector3d angular{0, 0, 0};
};

struct Loads {
  Eigen::Vector3d gravity{0, 0, 0};         ///< m/s^2
  double air_damping = 0;                   ///< 1/s
  std::span<const Eigen::Vector3d> wind{};  ///< m/s^2, of each vertex; empty: none
  bool noted = true;                        ///< whether the impulse of the air is added up

  bool any() const { return air_damping != 0 || !wind.empty() || !gravity.isZero(0); }
};

/// The same in plain numbers, for kernels::begin_cloth_step() over an interval (s).
kernels::ClothLoads plain(const Loads& loads, double interval);
kernels::ClothVertices plain(std::span<const Eigen::Vector3d> start, std::span<const Eigen::Vector3d> displacements,
                             std::span<const double> inverse_mass, std::span<Eigen::Vector3d> velocities);
Impulse sum_of(std::span<const kernels::ClothImpulse> parts);

/// Changes velocities of the vertices that move by what acts over an interval (s). Returns the impulse of the air, if
/// it is noted.
Impulse apply(Workers& workers, const Loads& loads, double interval, std::span<const Eigen::Vector3d> start,
              std::span<const Eigen::Vector3d> displacements, std::span<const double> inverse_mass,
              std::span<Eigen::Vector3d> velocities);

/// Adds what the wind does to the velocities in an interval (s) at a time (s), triangle after triangle, and returns it.
/// Each takes no more than what brings it to rest in the wind.
Impulse add_wind(const Wind& wind, double time, std::span<const Triangle> triangles, double interval,
                 std::span<const Eigen::Vector3d> start, std::span<const Eigen::Vector3d> displacements,
                 std::span<const double> inverse_mass, std::span<Eigen::Vector3d> velocities);
/// Throws Error that names the body and the field.
void check(const std::string& body, const Wind& wind);

/// Wind as accelerations, found for several inner steps at a time: cloth comes to rest in the air within tens of
/// milliseconds, a hundred inner steps.
class WindLoad {
 public:
  /// Before the first inner step of a step or round.
  void begin() { left_ = 0; }
  /// Accelerations (m/s^2) of the vertices in an inner step of h (s), from where they are and how fast if those of the
  /// last call are too old: after `wind_interval`, or a quarter of the time in which the triangle that the air brakes
  /// most would come to rest in it. A triangle is not pushed beyond rest in the wind: its vertices share their masses
  /// among their triangles. The result does not depend on the number of threads.
  std::span<const Eigen::Vector3d> find(Workers& workers, const Wind& wind, double time,
                                        std::span<const Triangle> triangles, double h,
                                        std::span<const Eigen::Vector3d> start,
                                        std::span<const Eigen::Vector3d> displacements,
                                        std::span<const double> inverse_mass,
                                        std::span<const Eigen::Vector3d> velocities);
  /// s, for which the accelerations of the last call are good.
  double interval() const { return interval_; }

 private:
  struct Push {
    double force[3];  ///< N
    double rate;      ///< 1/s, at which the triangle comes to rest in the air
  };
  void note_triangles(std::span<const Triangle> triangles, std::size_t vertices);

  std::vector<Triangle> triangles_;
  std::vector<std::uint32_t> first_of_vertex_;  ///< in `of_vertex_`
  std::vector<std::uint32_t> of_vertex_;        ///< triangles of each vertex, ascending
  std::vector<Push> pushes_;                    ///< of each triangle
  std::vector<double> rates_;                   ///< 1/s, largest of each chunk
  std::vector<Eigen::Vector3d> accelerations_;
  double interval_ = 0;
  double left_ = 0;  ///< s
};

/// s; wind is found again after this: 240 times in a second it follows folds that run through a flag at its speed.
inline constexpr double wind_interval = 1.0 / 240;

}  // namespace carom::cloth

#pragma once

#include <cstddef>

#include "kernels/cloth_constraints.hpp"

/// Loops over the vertices of cloth before and after its constraints, eight at a time. The operations of
/// cloth_vertices_reference.cpp in the same order, so the results have the same bits on every target.
namespace carom::kernels {

/// Partial sums over vertices: each eighth one goes into the same, and they are added up at the end.
inline constexpr std::size_t cloth_sums = 8;

/// Three numbers a vertex, one vertex after the other, but for the inverse masses.
struct ClothVertices {
  const double* start = nullptr;          ///< m
  const double* displacements = nullptr;  ///< m, since then; none: all zero
  const double* inverse_mass = nullptr;   ///< 1/kg; 0 of what does not move
  double* velocities = nullptr;           ///< m/s
};

/// What acts over an interval on the vertices that move.
struct ClothLoads {
  double interval = 0;            ///< s
  double gravity[3] = {0, 0, 0};  ///< m/s^2
  double air_damping = 0;         ///< 1/s
  const double* wind = nullptr;   ///< m/s^2, three numbers a vertex; none: no wind
  bool any = true;                ///< whether there is one of these
  bool noted = false;             ///< whether the impulse of the air is added up
};

/// N s, and N m s about the origin.
struct ClothImpulse {
  double linear[3] = {0, 0, 0};
  double angular[3] = {0, 0, 0};
};

/// Offsets of vertices at the end of an inner step.
struct ClothEnds {
  double h = 0;                   ///< s
  double common[3] = {0, 0, 0};   ///< m, is taken from every offset
  ClothOffset* points = nullptr;  ///< none: offsets are not wanted
};

/// Loads change the velocities of the vertices [begin, end); then points go to where these velocities lead, with their
/// inverse masses. Returns the impulse of the air, if it is noted.
ClothImpulse begin_cloth_step(const ClothLoads& loads, const ClothEnds& ends, const ClothVertices& vertices,
                              std::size_t begin, std::size_t end);
/// Velocities change by what the constraints have moved the points since begin_cloth_step, over h. If `noted` returns
/// the impulse, without its moment.
ClothImpulse end_cloth_step(const ClothEnds& ends, bool noted, const ClothVertices& vertices, std::size_t begin,
                            std::size_t end);

/// The same, one vertex after the other.
ClothImpulse begin_cloth_step_reference(const ClothLoads& loads, const ClothEnds& ends, const ClothVertices& vertices,
                                        std::size_t begin, std::size_t end);
ClothImpulse end_cloth_step_reference(const ClothEnds& ends, bool noted, const ClothVertices& vertices,
                                      std::size_t begin, std::size_t end);

}  // namespace carom::kernels

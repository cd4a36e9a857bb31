#pragma once

#include <span>
#include <vector>

#include "bodies/sheet_cut.hpp"
#include "world/blades.hpp"

/// Edges of sheets that blades pass through, or are pressed against: decided by the exact test of two edges in motion.
namespace carom::world {

/// Edges of vertices that the segments of a chain pass through. Of several crossings of one edge the first counts.
/// `first`: number of the first vertex of the sheet among those of the edges.
void find_crossings(std::span<const Edge> edges, Index first, std::span<const Eigen::Vector3d> start,
                    std::span<const Eigen::Vector3d> end, const ChainMotion& chain,
                    std::vector<sheet::EdgeCrossing>& crossings);
/// Edges of a part of the joined surface, which ascend by their first vertex.
std::span<const Edge> edges_of(const World::State& state, const bodies::SurfacePart& part);
/// Part of a body in the joined surface, or nothing.
const bodies::SurfacePart* part_of(const World::State& state, BodyId id);

/// Edges of a part that blades passed through in a step of dt (s), and those that they press on hard enough. `ends`:
/// places of the blades at its end.
void find_sheet_crossings(const World::State& state, const bodies::SurfacePart& part,
                          std::span<const std::vector<Eigen::Vector3d>> ends, double dt,
                          std::vector<sheet::EdgeCrossing>& crossings);

}  // namespace carom::world

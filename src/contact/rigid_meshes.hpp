#pragma once

#include <algorithm>
#include <deque>
#include <span>
#include <vector>

#include "bodies/vertices.hpp"
#include "narrow/surface/mesh_sides.hpp"

/// Rigid meshes among the parts of the joined surface, and on which side of them vertices are.
namespace carom::contact {

struct RigidMeshes {
  // Made by edits.
  std::vector<Shape> shapes;         ///< shape of each mesh
  std::vector<BodyId> ids;           ///< body of each mesh
  std::deque<DistanceField> fields;  ///< fields of the meshes that have one; they never move
  std::vector<narrow::surface::SidedPart> parts;
  std::vector<narrow::surface::SidedPair> pairs;

  std::vector<narrow::surface::SidedMesh> start;         ///< where they are at the start of the step
  std::vector<narrow::surface::SidedMesh> end;           ///< where they are at its predicted end
  std::vector<narrow::surface::SidedPair> moving_pairs;  ///< those of `pairs` of which a side moves
  narrow::surface::MeshSides contact_sides;              ///< where contacts are measured
  narrow::surface::MeshSides start_sides;  ///< at the start of the step, if contacts are measured at its end
  std::vector<std::uint8_t> limited;       ///< 0 for a vertex that starts inside, and may come out; empty: all 1

  double largest_margin() const {
    double largest = 0;
    for (const narrow::surface::SidedMesh& mesh : start) largest = std::max(largest, mesh.margin);
    return largest;
  }
};

/// Places the meshes where their bodies are, and where they go if nothing touches them.
void place(const rigid::Bodies& table, const rigid::StepMotion& motion, double dt, RigidMeshes& meshes);

struct SideIn {
  const bodies::Vertices& vertices;
  SlotSpan<const std::uint8_t> still;  ///< 1 if nothing of the body moves in this step
  std::span<const std::array<Index, 2>> excluded_vertices;
  double within = 0;        ///< m, distance of contacts
  bool at_end = false;      ///< contacts are those of the predicted end of the step
  bool continuous = false;  ///< `limited` is asked for
};

/// Gives contacts with rigid meshes their sides, and notes which vertices start inside of one: continuous detection
/// lets those out.
void find_sides(Context& context, const SideIn& in, RigidMeshes& meshes, std::vector<Contact>& features,
                StageStats& stats);

}  // namespace carom::contact

#pragma once

#include <Eigen/Geometry>
#include <array>
#include <cstdint>
#include <span>
#include <vector>

#include "carom/detect/contact.hpp"
#include "carom/field/distance_field.hpp"
#include "core/parallel.hpp"
#include "shapes/mesh_data.hpp"

/// Side of rigid meshes on which the features of deforming bodies are.
///
/// Contacts of features have no sign: two surfaces are near each other, and either may be on either side. A rigid mesh
/// that is closed has an inside, and what is there has to come out again:
///
/// - A vertex inside has one contact, with the nearest point of the surface, however deep it is. Its distance is
///   negative, and the normal is that of the way out.
/// - An edge or a triangle with a vertex inside makes no contacts with that mesh: the vertex says where to go.
/// - An edge or a triangle whose vertices are all outside, but whose contact point is inside, has been pierced by an
///   edge or a vertex of the mesh. Of such contacts it keeps the one with the shortest way out among those along which
///   the mesh at its feature reaches no farther than the feature; the distance is negative.
///
/// All other contacts stay as they are, also those of meshes, or pieces of meshes, that are open. A margin of the mesh
/// makes every distance to it smaller by as much. A mesh with a field makes no contacts here. Whether a point is inside
/// is decided exactly for its coordinates in the frame of the mesh.
namespace carom::narrow::surface {

/// Rigid mesh that is a part of the surface.
struct SidedMesh {
  const shapes::MeshData* mesh = nullptr;
  Eigen::Isometry3d pose = Eigen::Isometry3d::Identity();  ///< of the mesh, where the surface is
  double margin = 0;                                       ///< m
  /// Field that makes the contacts of the mesh. Sides are found for continuous detection only.
  const DistanceField* field = nullptr;
};

/// Part of the surface: one body.
struct SidedPart {
  Index first_vertex = 0;
  Index vertex_count = 0;
  Index first_triangle = 0;
  std::int32_t mesh = -1;  ///< of a rigid mesh: its number
};

/// Rigid mesh and a deforming part that may touch it.
struct SidedPair {
  std::uint32_t mesh = 0;
  std::uint32_t part = 0;
  friend auto operator<=>(const SidedPair&, const SidedPair&) = default;
};

struct SidesIn {
  std::span<const Triangle> triangles;  ///< of the surface
  std::span<const Eigen::Vector3d> positions;
  std::span<const SidedMesh> meshes;
  std::span<const SidedPart> parts;  ///< all of the surface, ascending
  std::span<const SidedPair> pairs;  ///< ascending, each once
  std::span<const std::array<Index, 2>> excluded_vertices{};
};

/// Finds vertices inside of rigid meshes and gives contacts their sides. Keeps what it found: a vertex that moved less
/// than it was away from the surface is still on the same side. The result does not depend on that.
class MeshSides {
 public:
  /// Finds the vertices of all pairs that are inside.
  void classify(Workers& workers, const SidesIn& in);
  /// Vertices inside of a mesh, ascending, each once, as classify() found them.
  std::span<const Index> inside() const { return inside_; }

  /// classify(), then changes `contacts` as above; they stay in canonical order. Contacts are those of features closer
  /// than `within` and the largest margin; contacts that are not below `within`, margins included, are left out.
  struct Changes {
    std::size_t dropped = 0;
    std::size_t added = 0;
  };
  Changes apply(Workers& workers, const SidesIn& in, double within, std::vector<Contact>& contacts);

  /// Drops what was kept: the numbers of parts and meshes have new meanings.
  void forget() { pairs_.clear(); }

 private:
  struct Known {
    math::Vec3 place;      ///< in the frame of the mesh
    double clearance = 0;  ///< m: the surface was this far from `place`
    bool inside = false;
  };
  struct PairState {
    SidedPair pair;
    std::vector<Known> vertices;
  };
  enum class Verdict : std::uint8_t { keep, drop, turn };

  const PairState* find(const SidesIn& in, std::int32_t mesh, std::size_t part) const;
  Verdict judge(const SidesIn& in, const Contact& contact) const;
  void add_vertices(const SidesIn& in, std::vector<Contact>& contacts) const;
  static void keep_shortest(const SidesIn& in, std::span<const Contact> contacts, std::vector<Verdict>& verdicts);

  std::vector<PairState> pairs_;  ///< as SidesIn::pairs
  std::vector<Index> inside_;
  std::vector<Verdict> verdicts_;
};

}  // namespace carom::narrow::surface

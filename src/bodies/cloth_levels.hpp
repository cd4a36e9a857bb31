#pragma once

#include <memory>
#include <span>
#include <vector>

#include "bodies/cloth_hierarchy.hpp"

/// Cloth whose vertices move by themselves only where it matters (Zouiouche 2012, IV.4 and V.5.4). Active vertices
/// carry constraints and the mass of those around them; the others follow, as means of three active ones. All vertices
/// stay in the surface that collides, so a change of level opens no crack and moves nothing.
namespace carom::cloth {

/// What levels are made from, once.
struct LevelModel {
  Hierarchy hierarchy{};
  std::vector<Eigen::Vector3d> rest_positions{};
  std::vector<Triangle> triangles{};
  Eigen::Vector3d warp{1, 0, 0};
  std::vector<Fabric> fabrics{};
  std::vector<Index> fabric_of_triangle{};  ///< empty: the first, of all
  std::vector<double> mass{};               ///< kg, of each vertex, pinned or not
  std::vector<std::uint8_t> pinned{};       ///< 1 for vertices that never move
  double hold = 0;                          ///< s without contacts after which a patch becomes coarser
};

/// Vertex that follows three active ones.
struct Follower {
  Index vertex = none;
  std::array<Index, 3> active{};    ///< numbers among the active vertices
  std::array<double, 3> weights{};  ///< not negative, their sum is 1
};

/// One choice of active vertices, with the constraints between them.
class Resolution {
 public:
  /// `levels`: of each patch. Where triangles between different levels would fold over or be thin, single vertices of
  /// finer levels are active as well.
  Resolution(const LevelModel& model, std::vector<std::uint8_t> levels);

  std::span<const std::uint8_t> levels() const { return levels_; }  ///< of each patch
  std::span<const Index> active() const { return active_; }         ///< vertices, ascending
  std::span<const Follower> followers() const { return followers_; }
  /// Followers of an active vertex, by number: place in followers() and which of its three.
  struct Followed {
    std::uint32_t follower = 0;
    std::uint32_t corner = 0;
  };
  std::span<const Followed> followers_of(std::size_t active) const {
    return std::span(followed_).subspan(followed_begin_[active], followed_begin_[active + 1] - followed_begin_[active]);
  }
  std::span<const double> mass() const { return mass_; }  ///< kg, of active vertices with what follows them
  std::span<const double> inverse_mass() const { return inverse_mass_; }  ///< 1/kg; 0 of pinned ones
  const Model& constraints() const { return constraints_; }               ///< between active vertices, by number
  double inner_step() const { return inner_step_; }                       ///< s, as Model::inner_step
  double bend_step() const { return bend_step_; }                         ///< s, as Model::bend_step

 private:
  std::vector<Triangle> find_triangles(const LevelModel& model, std::vector<Index>& fabrics);
  void follow(const LevelModel& model, std::span<const Triangle> triangles);

  std::vector<std::uint8_t> levels_;
  std::vector<Index> active_;
  std::vector<Index> number_;  ///< of each vertex among the active ones; none if it is not
  std::vector<Index> image_;   ///< of each vertex: itself, or the active one it is collapsed onto
  std::vector<Follower> followers_;
  std::vector<std::size_t> followed_begin_;
  std::vector<Followed> followed_;
  std::vector<double> mass_;
  std::vector<double> inverse_mass_;
  Model constraints_;
  double inner_step_ = 0;
  double bend_step_ = 0;
};

/// Levels of a body between two steps.
struct LevelState {
  std::shared_ptr<const LevelModel> model;  ///< none: the body has one level
  std::shared_ptr<const Resolution> resolution;
  std::vector<double> calm;         ///< s, of each patch: since it last had a contact
  double since_change = 0;          ///< s
  std::uint64_t activations = 0;    ///< vertices that became active, since the beginning
  std::uint64_t deactivations = 0;  ///< vertices that began to follow
};

/// All patches as coarse as they can be, no contact so far.
LevelState start_levels(LevelModel model);

/// Adds an interval (s) to the calm of patches without a touched vertex; `touched` has 1 for those with a contact, or
/// is empty.
void note_contacts(double interval, std::span<const std::uint8_t> touched, LevelState& state);

/// Changes active vertices as contacts want it: fine around a touched patch within a tenth of `hold`, coarser when
/// nothing has touched it for `hold`. Positions stay. Velocities of what follows become means; momentum is kept, and
/// angular momentum if nothing is pinned. Whether anything has changed.
bool change_levels(std::span<const Eigen::Vector3d> positions, LevelState& state,
                   std::span<Eigen::Vector3d> velocities);

/// Motion of cloth with levels in inner steps.
class LevelMotion {
 public:
  /// Velocities with which a step begins: those of followers are means of active ones.
  void begin(const Resolution& resolution, std::span<const Eigen::Vector3d> velocities);
  /// Gives active vertices all momentum that vertices have got since the last call. Velocities of followers are not
  /// used any more, until follow().
  void collect(Workers& workers, const LevelState& state, std::span<Eigen::Vector3d> velocities);
  /// Constraints of the active vertices over an inner step of h (s), as Projection::run.
  void project(Workers& workers, const Resolution& resolution, double h, std::span<const Eigen::Vector3d> start,
               std::span<const Eigen::Vector3d> displacements, std::span<Eigen::Vector3d> velocities);
  /// Gives followers the velocities of what they follow. In an inner step of h (s) they also come closer to where they
  /// belong, without a velocity: a vertex that has just begun to follow need not be there.
  void follow(Workers& workers, const Resolution& resolution, double h, std::span<const Eigen::Vector3d> start,
              std::span<Eigen::Vector3d> displacements, std::span<Eigen::Vector3d> velocities);

 private:
  std::vector<Eigen::Vector3d> known_;                               ///< velocities as of the last call
  std::vector<Eigen::Vector3d> start_, displacements_, velocities_;  ///< of active vertices, by number
  Projection projection_;
};

}  // namespace carom::cloth

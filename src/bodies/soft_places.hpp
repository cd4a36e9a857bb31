#pragma once

#include <cstdint>
#include <memory>
#include <mutex>
#include <optional>
#include <span>
#include <vector>

#include "bodies/soft_body.hpp"

/// Which element of a soft body holds a point, and where the point was at rest.
namespace carom::solid {

/// Elements of a soft body by the cells of a grid that their boxes meet, for where its nodes are now: a point is looked
/// for in the few elements of its cell.
class ElementCells {
 public:
  /// `rest` has the elements whose nodes are at `nodes`.
  void build(const Elements& rest, std::span<const Eigen::Vector3d> nodes);
  /// Elements whose boxes may hold a point, ascending: voxels, or tetrahedra.
  std::span<const std::uint32_t> at(const Eigen::Vector3d& point) const;
  /// Of all nodes; empty if there are none.
  const Eigen::AlignedBox3d& box() const { return box_; }

 private:
  std::uint32_t cell_along(std::size_t axis, double x) const;

  Eigen::AlignedBox3d box_;
  double per_cell_ = 0;  ///< 1/m
  std::array<std::uint32_t, 3> size_{1, 1, 1};
  std::vector<std::uint32_t> begin_;  ///< of each cell in `elements_`, and their end
  std::vector<std::uint32_t> elements_;
};

/// Place of a point in the field of a body.
struct FieldPlace {
  SoftDepth depth;
  Eigen::Vector3d rest = Eigen::Vector3d::Zero();  ///< m, where it was at rest
};

/// Where a point is to the surface, by the field of the model, which there must be; none if no element holds it. By
/// cells that were built for the nodes of the state.
std::optional<FieldPlace> place_in_field(const BodyState& state, const ElementCells& cells,
                                         const Eigen::Vector3d& point);
/// The same by all elements.
std::optional<FieldPlace> place_in_field(const BodyState& state, const Eigen::Vector3d& point);

/// Cells of bodies as they are, made when somebody asks and kept until nodes have moved. May be asked by several
/// threads at a time.
class CellsOfBodies {
 public:
  CellsOfBodies() = default;
  CellsOfBodies(CellsOfBodies&&) noexcept {}
  CellsOfBodies& operator=(CellsOfBodies&&) noexcept {
    known_.clear();
    return *this;
  }
  /// `serial` is that of the body, which has a field.
  std::optional<FieldPlace> place(std::uint32_t serial, const BodyState& state, const Eigen::Vector3d& point);

 private:
  struct Known {
    std::uint32_t serial = 0;
    std::shared_ptr<const BodyModel> model;
    std::vector<Eigen::Vector3d> nodes;
    ElementCells cells;
  };
  std::mutex mutex_;
  std::vector<std::shared_ptr<const Known>> known_;
};

}  // namespace carom::solid

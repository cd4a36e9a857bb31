#pragma once

#include <vector>

#include "core/parallel.hpp"
#include "field/field_data.hpp"

namespace carom::field {

/// Cell that is not halved, while a field is made. Its number is that in FieldData::tree.
struct Leaf {
  GridPoint low{};
  std::uint32_t entry = 0;                 ///< of the tree
  std::array<std::uint32_t, 8> corners{};  ///< nodes
  std::uint32_t middle = 0;                ///< node
  int level = 0;
  double error = 0;     ///< m, proven for the exact values at the corners
  double allowed = 0;   ///< m
  double joint = 0;     ///< m; the largest difference between the values and the exact ones
  bool halved = false;  ///< is no cell any more
  CornerValues values{};

  std::uint32_t size() const { return root_units >> static_cast<unsigned>(level); }
};

inline constexpr std::uint32_t no_leaf = 0xffffffff;

/// Sets the values at the corners of all cells: the exact ones, rounded to single precision, and where a corner is on
/// the side of a larger cell, the value that this one has there. That makes the field continuous: what two cells have
/// in common is a whole face, edge or corner of the smaller, and a trilinear function is the interpolation of its own
/// values on any part of the grid.
///
/// Returns the larger cells, ascending, that have to be halved: those that make a sign at a corner wrong, or the error
/// of a smaller cell larger than allowed. With `last` there are none: a wrong sign is replaced by a value next to 0,
/// which leaves a step in the field no larger than its error.
std::vector<std::uint32_t> join_values(Workers& workers, const FieldData& field, std::span<const double> node_values,
                                       std::vector<Leaf>& leaves, bool last);

}  // namespace carom::field

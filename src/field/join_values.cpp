#include <algorithm>
#include <cmath>
#include <limits>

#include "field/leaf.hpp"

namespace carom::field {
namespace {

constexpr std::size_t leaf_grain = 256;
/// Rounding of an interpolation of numbers in single precision, over the largest of them.
constexpr double single_rounding = 4 * 0x1p-24;

/// Value with the sign of an exact one: above 0 outside, not above 0 inside.
float signed_value(double value, double exact) {
  const auto rounded = static_cast<float>(value);
  if (exact > 0) return std::max(rounded, std::numeric_limits<float>::min());
  return std::min(rounded, -0.0F);
}

/// The largest cell that has a point of the grid in it or on its border.
FoundCell largest_cell_around(const FieldData& field, const GridPoint& p) {
  FoundCell largest{no_leaf, max_level + 1};
  for (std::size_t k = 0; k < 8; ++k) {
    GridPoint place = p;
    bool in_grid = true;
    for (std::size_t axis = 0; axis < 3; ++axis) {
      if ((k >> axis & 1U) != 0) {
        in_grid = in_grid && place[axis] > 0;
        --place[axis];
      }
      in_grid = in_grid && place[axis] < field.roots[axis] * root_units;
    }
    if (!in_grid) continue;
    const FoundCell found = cell_at(field, place);
    if (found.level < largest.level) largest = found;
  }
  return largest;
}

double value_in(const Leaf& leaf, const GridPoint& p) {
  const double scale = 1.0 / leaf.size();
  return interpolate(leaf.values,
                     {scale * (p[0] - leaf.low[0]), scale * (p[1] - leaf.low[1]), scale * (p[2] - leaf.low[2])});
}

double largest_value(const Leaf& leaf) {
  double largest = 0;
  for (const float v : leaf.values) largest = std::max(largest, std::abs(static_cast<double>(v)));
  return largest;
}

/// Sets the values of one cell; the larger ones have theirs. Appends the cells that should be halved.
void set_values(const FieldData& field, std::span<const double> node_values, const std::vector<Leaf>& leaves,
                Leaf& leaf, std::vector<std::uint32_t>& culprits) {
  leaf.joint = 0;
  for (std::size_t k = 0; k < 8; ++k) {
    const double exact = node_values[leaf.corners[k]];
    const GridPoint p = corner_at(leaf.low, leaf.size(), k);
    const FoundCell found = largest_cell_around(field, p);
    double value = exact;
    if (found.level < leaf.level) {
      const Leaf& larger = leaves[found.cell];
      value = value_in(larger, p);
      const double step = std::abs(value - exact);
      const bool wrong = (value > 0) != (exact > 0) && std::abs(value) > single_rounding * largest_value(larger);
      // A cell that has a larger error than allowed in itself gains nothing from better neighbors.
      const bool too_far = leaf.error + step > leaf.allowed && leaf.error <= leaf.allowed;
      if (wrong || too_far) culprits.push_back(found.cell);
    }
    leaf.values[k] = signed_value(value, exact);
    leaf.joint = std::max(leaf.joint, std::abs(leaf.values[k] - exact));
  }
}

}  // namespace

std::vector<std::uint32_t> join_values(Workers& workers, const FieldData& field, std::span<const double> node_values,
                                       std::vector<Leaf>& leaves, bool last) {
  std::vector<std::vector<std::uint32_t>> by_level(static_cast<std::size_t>(max_level) + 1);
  for (std::size_t i = 0; i < leaves.size(); ++i) {
    if (!leaves[i].halved) by_level[static_cast<std::size_t>(leaves[i].level)].push_back(static_cast<std::uint32_t>(i));
  }
  std::vector<std::uint32_t> result;
  std::vector<std::uint32_t> of_level;
  OrderedAppend<std::uint32_t> append;
  for (const std::vector<std::uint32_t>& level : by_level) {
    append.run(workers, level.size(), leaf_grain, of_level,
               [&](std::size_t begin, std::size_t end, std::vector<std::uint32_t>& out, std::size_t) {
                 for (std::size_t i = begin; i < end; ++i)
                   set_values(field, node_values, leaves, leaves[level[i]], out);
               });
    result.insert(result.end(), of_level.begin(), of_level.end());
  }
  if (last) return {};
  std::sort(result.begin(), result.end());
  result.erase(std::unique(result.begin(), result.end()), result.end());
  return result;
}

}  // namespace carom::field

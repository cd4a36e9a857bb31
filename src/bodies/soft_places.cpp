#include "bodies/soft_places.hpp"

#include <algorithm>
#include <cmath>

namespace carom::solid {
namespace {

using Eigen::AlignedBox3d;
using Eigen::Vector3d;

/// Cells of a grid over elements, at most.
constexpr double max_cells_of_element = 4;
/// Bodies whose cells are kept.
constexpr std::size_t max_known = 64;

template <class Visit>
void each_box(const Elements& rest, std::span<const Vector3d> nodes, const Visit& visit) {
  std::uint32_t number = 0;
  const auto walk = [&](const auto& elements) {
    for (const auto& corners : elements) {
      AlignedBox3d box;
      for (const Index n : corners) box.extend(nodes[static_cast<std::size_t>(n)]);
      visit(number++, box);
    }
  };
  walk(rest.voxels);
  walk(rest.tetrahedra);
}

}  // namespace

/// Never descends as x ascends, rounded or not: a point in a box is in one of the cells of the box.
std::uint32_t ElementCells::cell_along(std::size_t axis, double x) const {
  const double cell = (x - box_.min()[static_cast<Eigen::Index>(axis)]) * per_cell_;
  return static_cast<std::uint32_t>(std::clamp(cell, 0.0, static_cast<double>(size_[axis] - 1)));
}

void ElementCells::build(const Elements& rest, std::span<const Vector3d> nodes) {
  box_.setEmpty();
  for (const Vector3d& node : nodes) box_.extend(node);
  const auto count = static_cast<double>(rest.count());
  double mean = 0;
  each_box(rest, nodes, [&](std::uint32_t, const AlignedBox3d& box) { mean += box.sizes().maxCoeff() / count; });
  const Vector3d sizes = box_.isEmpty() ? Vector3d::Zero() : Vector3d(box_.sizes());
  double cell = std::max(mean, 1e-300);
  const auto cells = [&] {
    double product = 1;
    for (Eigen::Index k = 0; k < 3; ++k) product *= std::floor(sizes[k] / cell) + 1;
    return product;
  };
  while (cells() > max_cells_of_element * count + 1) cell *= 2;
  per_cell_ = 1 / cell;
  for (std::size_t k = 0; k < 3; ++k)
    size_[k] = static_cast<std::uint32_t>(std::floor(sizes[static_cast<Eigen::Index>(k)] / cell)) + 1;
  const auto each_cell = [&](const AlignedBox3d& box, const auto& visit) {
    std::array<std::uint32_t, 3> low{};
    std::array<std::uint32_t, 3> high{};
    for (std::size_t k = 0; k < 3; ++k) {
      low[k] = cell_along(k, box.min()[static_cast<Eigen::Index>(k)]);
      high[k] = cell_along(k, box.max()[static_cast<Eigen::Index>(k)]);
    }
    for (std::uint32_t z = low[2]; z <= high[2]; ++z) {
      for (std::uint32_t y = low[1]; y <= high[1]; ++y) {
        for (std::uint32_t x = low[0]; x <= high[0]; ++x) visit((z * size_[1] + y) * size_[0] + x);
      }
    }
  };
  begin_.assign(std::size_t{size_[0]} * size_[1] * size_[2] + 1, 0);
  each_box(rest, nodes,
           [&](std::uint32_t, const AlignedBox3d& box) { each_cell(box, [&](std::uint32_t c) { ++begin_[c + 1]; }); });
  for (std::size_t c = 1; c < begin_.size(); ++c) begin_[c] += begin_[c - 1];
  elements_.resize(begin_.back());
  std::vector<std::uint32_t> next(begin_.begin(), begin_.end() - 1);
  each_box(rest, nodes, [&](std::uint32_t element, const AlignedBox3d& box) {
    each_cell(box, [&](std::uint32_t c) { elements_[next[c]++] = element; });
  });
}

std::span<const std::uint32_t> ElementCells::at(const Vector3d& point) const {
  if (!box_.contains(point)) return {};
  std::array<std::uint32_t, 3> cell{};
  for (std::size_t k = 0; k < 3; ++k) cell[k] = cell_along(k, point[static_cast<Eigen::Index>(k)]);
  const std::size_t c = (std::size_t{cell[2]} * size_[1] + cell[1]) * size_[0] + cell[0];
  return std::span(elements_).subspan(begin_[c], begin_[c + 1] - begin_[c]);
}

std::optional<FieldPlace> CellsOfBodies::place(std::uint32_t serial, const BodyState& state, const Vector3d& point) {
  std::shared_ptr<const Known> found;
  {
    const std::lock_guard lock(mutex_);
    const auto of_body = std::find_if(known_.begin(), known_.end(), [&](const std::shared_ptr<const Known>& known) {
      return known->serial == serial;
    });
    if (of_body != known_.end() && (*of_body)->model == state.model && (*of_body)->nodes == state.nodes) {
      found = *of_body;
    } else {
      auto made = std::make_shared<Known>();
      made->serial = serial;
      made->model = state.model;
      made->nodes = state.nodes;
      made->cells.build(state.model->rest, state.nodes);
      found = made;
      if (of_body != known_.end()) known_.erase(of_body);
      if (known_.size() >= max_known) known_.erase(known_.begin());
      known_.push_back(found);
    }
  }
  return place_in_field(state, found->cells, point);
}

}  // namespace carom::solid

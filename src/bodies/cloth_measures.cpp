#include <Eigen/Geometry>
#include <algorithm>
#include <cmath>
#include <limits>
#include <numeric>

#include "bodies/cloth.hpp"
#include "core/at.hpp"

// What can be said of constraints without moving them.
namespace carom::cloth {

namespace {

/// Inner step in units of one over the largest frequency of a triangle (adr/0014).
constexpr double inner_step_factor = 1.5;
/// Interval in which bending acts once, in units of one over the largest frequency of an edge: there are several at
/// each vertex.
constexpr double bend_step_factor = 0.25;

Eigen::Vector3d column_of(const StretchElement& e, std::size_t axis, std::span<const Eigen::Vector3d> x) {
  const Eigen::Vector3d& p = x[at(e.corners[0])];
  return e.gradient[axis][0] * (x[at(e.corners[1])] - p) + e.gradient[axis][1] * (x[at(e.corners[2])] - p);
}

}  // namespace

namespace {

double rate_of(const StretchElement& e, std::span<const double> inverse_mass) {
  double largest = 0;
  for (std::size_t axis = 0; axis < 2; ++axis) {
    const double g1 = e.gradient[axis][0];
    const double g2 = e.gradient[axis][1];
    const double weight = inverse_mass[at(e.corners[0])] * (g1 + g2) * (g1 + g2) +
                          inverse_mass[at(e.corners[1])] * g1 * g1 + inverse_mass[at(e.corners[2])] * g2 * g2;
    largest = std::max(largest, weight / e.compliance[axis]);
  }
  return largest;
}

double rate_of(const BendElement& e, std::span<const double> inverse_mass) {
  const double first = -(e.weight[1] + e.weight[2] + e.weight[3]);
  double weight = inverse_mass[at(e.vertices[0])] * first * first;
  for (std::size_t i = 1; i < 4; ++i) weight += inverse_mass[at(e.vertices[i])] * e.weight[i] * e.weight[i];
  // Damping is faster than the spring where it is strong.
  const double rate = weight * (1 + e.damping * std::sqrt(weight / e.compliance));
  return rate / e.compliance;
}

template <class Element>
double largest_rate(std::span<const Element> elements, std::span<const double> inverse_mass) {
  double largest = 0;
  for (const Element& e : elements) largest = std::max(largest, rate_of(e, inverse_mass));
  return largest;
}

// One projection leaves an error of (h w)^2 of the strain, where w is the frequency of a triangle on its own.
double inner_step_of(double rate) {
  return rate > 0 ? inner_step_factor / std::sqrt(rate) : std::numeric_limits<double>::infinity();
}

double bend_step_of(double rate) {
  return rate > 0 ? bend_step_factor / std::sqrt(rate) : std::numeric_limits<double>::infinity();
}

/// Constraints of which one rate is known.
constexpr std::size_t rate_block = 256;

/// Rates of blocks with these constraints, or of all blocks.
template <class Element>
void update_rates(std::span<const Element> elements, std::span<const double> inverse_mass, bool all,
                  std::span<const Index> numbers, std::vector<double>& rates) {
  rates.resize((elements.size() + rate_block - 1) / rate_block);
  const auto update = [&](std::size_t block) {
    const std::size_t begin = block * rate_block;
    rates[block] = largest_rate(elements.subspan(begin, std::min(rate_block, elements.size() - begin)), inverse_mass);
  };
  if (all) {
    for (std::size_t block = 0; block < rates.size(); ++block) update(block);
    return;
  }
  std::vector<std::size_t> blocks;
  for (const Index number : numbers) blocks.push_back(at(number) / rate_block);
  std::sort(blocks.begin(), blocks.end());
  blocks.erase(std::unique(blocks.begin(), blocks.end()), blocks.end());
  for (const std::size_t block : blocks) {
    if (block < rates.size()) update(block);  // hinges at the end may have gone
  }
}

}  // namespace

double Model::inner_step(std::span<const double> inverse_mass) const {
  return inner_step_of(largest_rate(std::span(triangles_), inverse_mass));
}

double Model::bend_step(std::span<const double> inverse_mass) const {
  return bend_step_of(largest_rate(std::span(hinges_), inverse_mass));
}

/// Notes masses, and constraints at those that have changed. False if some have changed at other vertices than these.
bool Model::know_rates(std::span<const double> inverse_mass, std::span<const Index> vertices,
                       std::span<const Index> triangles) {
  const std::size_t before = rates_.inverse_mass.size();
  if (before == 0 || before > inverse_mass.size()) return false;
  for (const Index v : vertices) {
    if (at(v) < before) rates_.inverse_mass[at(v)] = inverse_mass[at(v)];
  }
  if (!std::equal(rates_.inverse_mass.begin(), rates_.inverse_mass.end(), inverse_mass.begin())) return false;
  for (std::size_t v = before; v < inverse_mass.size(); ++v) {
    if (!std::binary_search(vertices.begin(), vertices.end(), static_cast<Index>(v))) return false;
  }
  for (const Index t : triangles) {
    rates_.triangles.push_back(t);
    const std::array<Index, 3>& c = triangles_[at(t)].corners;
    for (std::size_t k = 0; k < 3; ++k) {
      const auto [low, high] = std::minmax(c[k], c[(k + 1) % 3]);
      if (const Index* hinge = hinge_at({low, high}); hinge != nullptr && *hinge != none)
        rates_.hinges.push_back(*hinge);
    }
  }
  return true;
}

Model::Steps Model::update_steps(std::span<const double> inverse_mass, std::span<const Index> vertices,
                                 std::span<const Index> triangles) {
  const bool known = know_rates(inverse_mass, vertices, triangles);
  update_rates(std::span<const StretchElement>(triangles_), inverse_mass, !known, rates_.triangles, rates_.stretch);
  update_rates(std::span<const BendElement>(hinges_), inverse_mass, !known, rates_.hinges, rates_.bend);
  const std::size_t noted = known ? rates_.inverse_mass.size() : 0;
  rates_.inverse_mass.resize(inverse_mass.size());
  std::copy(inverse_mass.begin() + static_cast<std::ptrdiff_t>(noted), inverse_mass.end(),
            rates_.inverse_mass.begin() + static_cast<std::ptrdiff_t>(noted));
  rates_.triangles.clear();
  rates_.hinges.clear();
  const auto largest = [](const std::vector<double>& rates) {
    return std::accumulate(rates.begin(), rates.end(), 0.0, [](double a, double b) { return std::max(a, b); });
  };
  return {inner_step_of(largest(rates_.stretch)), bend_step_of(largest(rates_.bend))};
}

double Model::energy(std::span<const Eigen::Vector3d> positions) const {
  double sum = 0;
  for (const StretchElement& e : triangles_) {
    const Eigen::Vector3d u = column_of(e, 0, positions);
    const Eigen::Vector3d v = column_of(e, 1, positions);
    const double strain[3] = {u.norm() - 1, v.norm() - 1, u.dot(v)};
    for (std::size_t k = 0; k < 3; ++k) sum += 0.5 * strain[k] * strain[k] / e.compliance[k];
  }
  for (const BendElement& e : hinges_) {
    const Eigen::Vector3d& p = positions[at(e.vertices[0])];
    const Eigen::Vector3d e1 = positions[at(e.vertices[1])] - p;
    const Eigen::Vector3d e2 = positions[at(e.vertices[2])] - p;
    const Eigen::Vector3d e3 = positions[at(e.vertices[3])] - p;
    const Eigen::Vector3d bend = e.weight[1] * e1 + e.weight[2] * e2 + e.weight[3] * e3;
    const bool away = bend.dot(e1.cross(e2) + e3.cross(e1)) < 0;
    const double value = bend.norm() + (away ? e.rest : -e.rest);
    sum += 0.5 * value * value / e.compliance;
  }
  return sum;
}

std::vector<double> Model::strains(std::span<const Eigen::Vector3d> positions) const {
  std::vector<double> strain;
  for (const StretchElement& e : triangles_)
    strain.push_back(std::max(column_of(e, 0, positions).norm(), column_of(e, 1, positions).norm()) - 1);
  return strain;
}

}  // namespace carom::cloth

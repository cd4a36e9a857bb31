#include "response/heavy_loads.hpp"

#include <algorithm>
#include <cmath>
#include <utility>

#include "contact/anchor_contacts.hpp"
#include "core/at.hpp"

namespace carom::response {
namespace {

/// Masses of bodies, in units of that of the vertices that carry them, from which on and up to which inner steps become
/// more.
constexpr double light_ratio = 30;
constexpr double heavy_ratio = 300;
/// Inner steps under a heavy load: the strain beyond that of the fabric is a sixteenth then.
constexpr double heavy_factor = 4;

/// Coupled bodies and the vertices that carry them, each pair once.
std::vector<std::pair<std::int32_t, Index>> carriers(const LoadIn& in) {
  std::vector<std::pair<std::int32_t, Index>> list;
  const auto add = [&](const contact::Anchor& body, const contact::Anchor& other) {
    if (body.rigid < 0 || in.table.mass[in.coupled[at(body.rigid)].body].inverse == 0) return;
    for (std::size_t k = 0; k < other.count; ++k) {
      if (in.vertices.awake_inverse_mass[at(other.vertices[k])] > 0) list.emplace_back(body.rigid, other.vertices[k]);
    }
  };
  const auto add_both = [&](const auto& pair) {
    add(pair.a, pair.b);
    add(pair.b, pair.a);
  };
  std::ranges::for_each(in.contacts, add_both);
  std::ranges::for_each(in.joints, add_both);
  std::sort(list.begin(), list.end());
  list.erase(std::unique(list.begin(), list.end()), list.end());
  return list;
}

double factor_of(double ratio) {
  const double between = std::log(ratio / light_ratio) / std::log(heavy_ratio / light_ratio);
  return 1 + (heavy_factor - 1) * std::clamp(between, 0.0, 1.0);
}

}  // namespace

std::vector<double> load_factors(const LoadIn& in) {
  const std::vector<std::pair<std::int32_t, Index>> list = carriers(in);
  std::vector<double> factors(in.vertices.parts.size(), 1);
  for (std::size_t i = 0; i < list.size();) {
    const bodies::SurfacePart& part = contact::part_of_vertex(in.vertices.parts, list[i].second);
    const std::int32_t body = list[i].first;
    double mass = 0;
    for (; i < list.size() && list[i].first == body && list[i].second < part.first_vertex + part.vertex_count; ++i)
      mass += 1 / in.vertices.awake_inverse_mass[at(list[i].second)];
    double& factor = factors[static_cast<std::size_t>(&part - in.vertices.parts.data())];
    factor = std::max(factor, factor_of(1 / (in.table.mass[in.coupled[at(body)].body].inverse * mass)));
  }
  return factors;
}

}  // namespace carom::response

#include "contact/nearest_contacts.hpp"

#include <algorithm>
#include <cstdint>
#include <tuple>

namespace carom::contact {
namespace {

/// A feature of one body that touches another: a vertex, or an edge, and the number of the other body.
struct Touching {
  std::array<Index, 2> feature{none, none};
  std::size_t other = 0;
  double distance = 0;
  std::uint32_t contact = 0;

  auto key() const { return std::tie(feature, other, distance, contact); }
};

}  // namespace

std::size_t keep_nearest(std::span<const bodies::SurfacePart> parts, std::vector<Contact>& contacts) {
  const auto part_of = [&](Index vertex) {
    const auto after = std::upper_bound(parts.begin(), parts.end(), vertex,
                                        [](Index v, const bodies::SurfacePart& part) { return v < part.first_vertex; });
    return static_cast<std::size_t>(after - parts.begin());
  };
  std::vector<Touching> touching;
  for (std::uint32_t i = 0; i < contacts.size(); ++i) {
    const Contact& c = contacts[i];
    const std::size_t a = part_of(c.vertices[0]);
    const std::size_t b = part_of(c.vertices[3]);
    touching.push_back({c.a, b, c.distance, i});
    if (c.kind == ContactKind::edge_edge) touching.push_back({c.b, a, c.distance, i});
  }
  std::sort(touching.begin(), touching.end(),
            [](const Touching& left, const Touching& right) { return left.key() < right.key(); });
  std::vector<std::uint8_t> kept(contacts.size(), 0);
  for (std::size_t k = 0; k < touching.size(); ++k) {
    if (k == 0 || touching[k].feature != touching[k - 1].feature || touching[k].other != touching[k - 1].other)
      kept[touching[k].contact] = 1;
  }
  std::size_t next = 0;
  for (std::size_t i = 0; i < contacts.size(); ++i) {
    if (kept[i] == 0) continue;
    if (next != i) contacts[next] = contacts[i];
    ++next;
  }
  const std::size_t gone = contacts.size() - next;
  contacts.resize(next);
  return gone;
}

}  // namespace carom::contact

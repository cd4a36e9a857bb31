#include "detect_rows.hpp"

#include <fmt/format.h>

namespace carom::app {
namespace {

std::string place_cells(const Eigen::Vector3d& p) {
  return fmt::format("{},{},{}", p.x(), p.y(), p.z());
}

}  // namespace

void append_csv(std::size_t frame, const CompactContacts& contacts, const Surface& surface,
                std::span<const Eigen::Vector3d> positions, std::string& rows) {
  const std::span<const Edge> edges = surface.edges();
  for (std::size_t i = 0; i < contacts.size(); ++i) {
    const CompactContact& contact = contacts[i];
    const Contact whole = make_contact(surface, positions, contacts, i);
    const std::string place = place_cells(0.5 * (whole.point_a + whole.point_b));
    if (contacts.kind(i) == ContactKind::vertex_face) {
      fmt::format_to(std::back_inserter(rows), "{},vf,{},{},{},{}\n", frame, contact.a, contact.b, contact.distance,
                     place);
    } else {
      const Edge& a = edges[static_cast<std::size_t>(contact.a)];
      const Edge& b = edges[static_cast<std::size_t>(contact.b)];
      fmt::format_to(std::back_inserter(rows), "{},ee,{}-{},{}-{},{},{}\n", frame, a[0], a[1], b[0], b[1],
                     contact.distance, place);
    }
  }
}

Eigen::Vector3d place_of(const Intersection& pair) {
  return 0.5 * (pair.start + pair.end);
}

void append_csv(std::size_t frame, const Intersection& pair, std::string& rows) {
  fmt::format_to(std::back_inserter(rows), "{},tt,{},{},0,{}\n", frame, pair.a, pair.b, place_cells(place_of(pair)));
}

void append_csv(std::size_t frame, const MovingContact& contact, std::span<const Eigen::Vector3d> start,
                std::span<const Eigen::Vector3d> end, std::string& rows) {
  const auto at_impact = [&](Index v) -> Eigen::Vector3d {
    const auto i = static_cast<std::size_t>(v);
    return start[i] + contact.impact.time * (end[i] - start[i]);
  };
  if (contact.kind == ContactKind::vertex_face) {
    fmt::format_to(std::back_inserter(rows), "{},vf,{},{},{},{}\n", frame, contact.a[0], contact.b[0],
                   contact.impact.time, place_cells(at_impact(contact.vertices[0])));
  } else {
    fmt::format_to(std::back_inserter(rows), "{},ee,{}-{},{}-{},{},{}\n", frame, contact.a[0], contact.a[1],
                   contact.b[0], contact.b[1], contact.impact.time,
                   place_cells(0.5 * (at_impact(contact.a[0]) + at_impact(contact.a[1]))));
  }
}

}  // namespace carom::app

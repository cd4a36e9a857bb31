#include "contact/identity.hpp"

#include <algorithm>
#include <tuple>

#include "core/stage_timer.hpp"

namespace carom::contact {

namespace {

const BodyRange& body_of_vertex(std::span<const BodyRange> bodies, Index vertex) {
  const auto after = std::upper_bound(bodies.begin(), bodies.end(), vertex,
                                      [](Index v, const BodyRange& body) { return v < body.first_vertex; });
  return *std::prev(after);
}

const BodyRange& body_of_triangle(std::span<const BodyRange> bodies, Index triangle) {
  const auto after = std::upper_bound(bodies.begin(), bodies.end(), triangle,
                                      [](Index t, const BodyRange& body) { return t < body.first_triangle; });
  return *std::prev(after);
}

/// Numbers the features within their bodies.
void localise(std::array<Index, 2>& feature, Index first) {
  for (Index& index : feature) {
    if (index != none) index -= first;
  }
}

/// Orders contacts in the same way before and after bodies came or went: serials only grow.
auto key(const SurfaceContact& c, const std::array<std::uint32_t, 2>& serials) {
  return std::tuple(c.contact.kind, serials[0], c.contact.a, serials[1], c.contact.b);
}

}  // namespace

void run(const In& in, Identified& out, StageStats& stats) {
  const StageTimer timer(stats);
  const Identified& previous = in.previous;
  out.contacts.resize(in.contacts.size());
  out.serials.resize(in.contacts.size());
  out.next_id = previous.next_id;

  std::size_t old = 0;
  for (std::size_t i = 0; i < in.contacts.size(); ++i) {
    SurfaceContact& current = out.contacts[i];
    current.contact = in.contacts[i];
    Contact& c = current.contact;
    const BodyRange& a = body_of_vertex(in.bodies, c.a[0]);
    const BodyRange& b =
        c.kind == ContactKind::vertex_face ? body_of_triangle(in.bodies, c.b[0]) : body_of_vertex(in.bodies, c.b[0]);
    current.body_a = a.id;
    current.body_b = b.id;
    localise(c.a, a.first_vertex);
    localise(c.b, c.kind == ContactKind::vertex_face ? b.first_triangle : b.first_vertex);
    const int split = side_a_size(c.kind);
    for (int k = 0; k < 4; ++k) c.vertices[static_cast<std::size_t>(k)] -= k < split ? a.first_vertex : b.first_vertex;
    out.serials[i] = {a.serial, b.serial};

    const auto here = key(current, out.serials[i]);
    while (old < previous.contacts.size() && key(previous.contacts[old], previous.serials[old]) < here) ++old;
    if (old < previous.contacts.size() && key(previous.contacts[old], previous.serials[old]) == here) {
      current.id = previous.contacts[old].id;
      current.age = previous.contacts[old].age + 1;
    } else {
      current.id = out.next_id++;
      current.age = 0;
    }
  }
  stats.set_unit("contacts");
  stats.in += in.contacts.size();
  stats.out += out.contacts.size();
}

}  // namespace carom::contact

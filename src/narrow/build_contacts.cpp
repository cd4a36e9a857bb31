#include "narrow/build_contacts.hpp"

#include <algorithm>

#include "kernels/closest.hpp"
#include "narrow/proximity.hpp"

namespace carom::narrow {

namespace {

std::array<Index, 4> vertices_of(const Hit& hit, std::span<const Triangle> triangles) {
  if (kind_of(hit) == ContactKind::vertex_face) {
    const Triangle& corners = triangles[static_cast<std::size_t>(triangle_of(hit))];
    return {vertex_of(hit), corners[0], corners[1], corners[2]};
  }
  const Edge a = edge_a_of(hit);
  const Edge b = edge_b_of(hit);
  return {a[0], a[1], b[0], b[1]};
}

Contact one(const Hit& hit, std::span<const Triangle> triangles, std::span<const Eigen::Vector3d> positions) {
  if (kind_of(hit) == ContactKind::edge_edge) return edge_edge(positions, edge_a_of(hit), edge_b_of(hit));
  const Index triangle = triangle_of(hit);
  return vertex_face(positions, vertex_of(hit), triangle, triangles[static_cast<std::size_t>(triangle)]);
}

/// All of one kind, no more than a batch.
void build(ContactKind kind, std::span<const Hit> hits, std::span<const Triangle> triangles,
           std::span<const Eigen::Vector3d> positions, Contact* contacts) {
  if (hits.empty()) return;
  kernels::ClosestBatch batch;
  kernels::ClosestResults results;
  for (std::size_t i = 0; i < hits.size(); ++i) {
    const std::array<Index, 4> vertices = vertices_of(hits[i], triangles);
    for (std::size_t k = 0; k < 4; ++k) {
      const Eigen::Vector3d& p = positions[static_cast<std::size_t>(vertices[k])];
      batch.x[k][i] = p.x();
      batch.y[k][i] = p.y();
      batch.z[k][i] = p.z();
    }
    contacts[i].vertices = vertices;
  }
  if (kind == ContactKind::vertex_face) {
    kernels::closest_vertex_triangle(batch, hits.size(), results);
  } else {
    kernels::closest_edge_edge(batch, hits.size(), results);
  }
  for (std::size_t i = 0; i < hits.size(); ++i) {
    Contact& contact = contacts[i];
    if (results.valid[i] == 0) {
      contact = one(hits[i], triangles, positions);
      continue;
    }
    contact.kind = kind;
    const bool face = kind == ContactKind::vertex_face;
    contact.a = face ? Edge{vertex_of(hits[i]), none} : edge_a_of(hits[i]);
    contact.b = face ? Edge{triangle_of(hits[i]), none} : edge_b_of(hits[i]);
    for (std::size_t k = 0; k < 4; ++k) contact.weights[k] = results.weights[k][i];
    contact.distance = results.distance[i];
    contact.point_a = {results.point_a[0][i], results.point_a[1][i], results.point_a[2][i]};
    contact.point_b = {results.point_b[0][i], results.point_b[1][i], results.point_b[2][i]};
    contact.normal = {results.normal[0][i], results.normal[1][i], results.normal[2][i]};
  }
}

}  // namespace

void build_contacts(Context& context, std::span<const Triangle> triangles, std::span<const Eigen::Vector3d> positions,
                    std::span<const Hit> hits, std::vector<Contact>& contacts) {
  contacts.resize(hits.size());
  constexpr std::size_t grain = 8 * kernels::closest_batch;
  parallel_chunks(context.workers, hits.size(), grain, [&](std::size_t begin, std::size_t end, std::size_t) {
    while (begin < end) {
      const ContactKind kind = kind_of(hits[begin]);
      std::size_t stop = begin + 1;
      while (stop < std::min(end, begin + kernels::closest_batch) && kind_of(hits[stop]) == kind) ++stop;
      build(kind, hits.subspan(begin, stop - begin), triangles, positions, contacts.data() + begin);
      begin = stop;
    }
  });
}

}  // namespace carom::narrow

#include "narrow/build_contacts.hpp"

#include <algorithm>
#include <array>
#include <bit>
#include <cstddef>
#include <cstdint>

#include "carom/mesh/closest.hpp"
#include "core/at.hpp"
#include "kernels/closest.hpp"
#include "kernels/compact_contacts.hpp"
#include "narrow/proximity.hpp"

namespace carom::narrow {

namespace {

constexpr std::size_t contact_grain = 8 * kernels::closest_batch;
constexpr std::size_t compact_grain = 16 * kernels::compact_batch;
constexpr std::size_t numbering_grain = 4096;

// What the kernel writes is the second half of a contact.
static_assert(sizeof(Contact) == offsetof(Contact, weights) + 14 * sizeof(double));
static_assert(offsetof(Contact, distance) == offsetof(Contact, weights) + 4 * sizeof(double));
static_assert(offsetof(Contact, point_a) == offsetof(Contact, weights) + 5 * sizeof(double));
static_assert(offsetof(Contact, point_b) == offsetof(Contact, weights) + 8 * sizeof(double));
static_assert(offsetof(Contact, normal) == offsetof(Contact, weights) + 11 * sizeof(double));

/// Two features: what a contact says of them before anything is measured.
struct Features {
  ContactKind kind;
  Edge a, b;
  std::array<Index, 4> vertices;
};

Features features_of(const Hit& hit, std::span<const Triangle> triangles) {
  if (kind_of(hit) == ContactKind::vertex_face) {
    const Triangle& corners = triangles[at(triangle_of(hit))];
    return {ContactKind::vertex_face,
            {vertex_of(hit), none},
            {triangle_of(hit), none},
            {vertex_of(hit), corners[0], corners[1], corners[2]}};
  }
  const Edge a = edge_a_of(hit);
  const Edge b = edge_b_of(hit);
  return {ContactKind::edge_edge, a, b, {a[0], a[1], b[0], b[1]}};
}

/// All of one kind, no more than a batch. `features(i)` are those of contact i.
template <class FeaturesAt>
void build(ContactKind kind, std::size_t count, const FeaturesAt& features, std::span<const Triangle> triangles,
           std::span<const Eigen::Vector3d> positions, Contact* contacts) {
  if (count == 0) return;
  kernels::ClosestBatch batch;
  kernels::ClosestResults results;
  std::int32_t numbers[kernels::closest_batch][4];
  for (std::size_t i = 0; i < count; ++i) {
    const Features f = features(i);
    contacts[i].kind = kind;
    contacts[i].a = f.a;
    contacts[i].b = f.b;
    contacts[i].vertices = f.vertices;
    std::copy(f.vertices.begin(), f.vertices.end(), numbers[i]);
  }
  kernels::gather_points(positions.front().data(), positions.size(), numbers, count, batch);
  if (kind == ContactKind::vertex_face) {
    kernels::closest_vertex_triangle(batch, count, results);
  } else {
    kernels::closest_edge_edge(batch, count, results);
  }
  kernels::scatter_results(results, count, reinterpret_cast<unsigned char*>(contacts) + offsetof(Contact, weights),
                           sizeof(Contact));
  for (std::size_t i = 0; i < count; ++i) {
    if (results.valid[i] != 0) continue;
    const Features f = features(i);
    contacts[i] = kind == ContactKind::edge_edge ? edge_edge(positions, f.a, f.b)
                                                 : vertex_face(positions, f.a[0], f.b[0], triangles[at(f.b[0])]);
  }
}

/// Contacts [begin, end) of a list of which the first `faces` are of vertices and faces.
template <class FeaturesAt>
void build_range(std::size_t begin, std::size_t end, std::size_t faces, const FeaturesAt& features,
                 std::span<const Triangle> triangles, std::span<const Eigen::Vector3d> positions, Contact* contacts) {
  while (begin < end) {
    const bool face = begin < faces;
    const std::size_t stop = std::min({end, begin + kernels::closest_batch, face ? faces : end});
    build(
        face ? ContactKind::vertex_face : ContactKind::edge_edge, stop - begin,
        [&](std::size_t i) { return features(begin + i); }, triangles, positions, contacts);
    contacts += stop - begin;
    begin = stop;
  }
}

/// Features by number.
struct NumberedFeatures {
  const FeaturePairs& pairs;
  std::span<const Triangle> triangles;

  Features operator()(std::size_t i) const {
    const std::size_t faces = pairs.vertex_triangle.size();
    if (i < faces) {
      const auto vertex = static_cast<Index>(pairs.vertex_triangle[i] >> 32U);
      const auto triangle = static_cast<Index>(pairs.vertex_triangle[i] & 0xffffffffU);
      const Triangle& corners = triangles[at(triangle)];
      return {ContactKind::vertex_face, {vertex, none}, {triangle, none}, {vertex, corners[0], corners[1], corners[2]}};
    }
    const Edge a = pairs.edges[pairs.edge_edge[i - faces] >> 32U];
    const Edge b = pairs.edges[pairs.edge_edge[i - faces] & 0xffffffffU];
    return {ContactKind::edge_edge, a, b, {a[0], a[1], b[0], b[1]}};
  }
};

}  // namespace

void build_contacts(Context& context, std::span<const Triangle> triangles, std::span<const Eigen::Vector3d> positions,
                    std::span<const Hit> hits, std::vector<Contact>& contacts) {
  contacts.resize(hits.size());
  const auto faces = static_cast<std::size_t>(
      std::partition_point(hits.begin(), hits.end(),
                           [](const Hit& hit) { return kind_of(hit) == ContactKind::vertex_face; }) -
      hits.begin());
  parallel_chunks(context.workers, hits.size(), contact_grain, [&](std::size_t begin, std::size_t end, std::size_t) {
    build_range(
        begin, end, faces, [&](std::size_t i) { return features_of(hits[i], triangles); }, triangles, positions,
        contacts.data() + begin);
  });
}

std::size_t build_few_contacts(std::span<const Triangle> triangles, std::span<const Eigen::Vector3d> positions,
                               std::span<const Hit> hits, std::span<Contact> contacts) {
  if (hits.empty()) return 0;
  const ContactKind kind = kind_of(hits.front());
  std::size_t count = 1;
  while (count < std::min(hits.size(), few_contacts) && kind_of(hits[count]) == kind) ++count;
  build(
      kind, count, [&](std::size_t i) { return features_of(hits[i], triangles); }, triangles, positions,
      contacts.data());
  return count;
}

void build_contacts(Context& context, const FeaturePairs& pairs, std::span<const Triangle> triangles,
                    std::span<const Eigen::Vector3d> positions, std::vector<Contact>& contacts) {
  contacts.resize(pairs.size());
  parallel_chunks(context.workers, contacts.size(), contact_grain,
                  [&](std::size_t begin, std::size_t end, std::size_t) {
                    build_range(begin, end, pairs.vertex_triangle.size(), NumberedFeatures{pairs, triangles}, triangles,
                                positions, contacts.data() + begin);
                  });
}

void build_some_contacts(const FeaturePairs& pairs, std::span<const Triangle> triangles,
                         std::span<const Eigen::Vector3d> positions, std::size_t first, std::span<Contact> contacts) {
  build_range(first, first + contacts.size(), pairs.vertex_triangle.size(), NumberedFeatures{pairs, triangles},
              triangles, positions, contacts.data());
}

void build_contacts(Context& context, const FeaturePairs& pairs, std::span<const Triangle> triangles,
                    std::span<const Eigen::Vector3d> positions, CompactContacts& contacts) {
  static_assert(sizeof(CompactContact) == sizeof(kernels::CompactRecord));
  static_assert(offsetof(CompactContact, weights) == offsetof(kernels::CompactRecord, weights));
  static_assert(offsetof(CompactContact, distance) == offsetof(kernels::CompactRecord, distance));
  static_assert(sizeof(Triangle) == sizeof(std::int32_t[3]) && sizeof(Edge) == sizeof(std::int32_t[2]));
  const std::size_t faces = pairs.vertex_triangle.size();
  contacts.resize(faces, pairs.edge_edge.size());
  auto* const records = reinterpret_cast<kernels::CompactRecord*>(contacts.data());
  const auto position = [&](Index v) -> const Eigen::Vector3d& { return positions[at(v)]; };
  parallel_chunks(context.workers, faces, compact_grain, [&](std::size_t begin, std::size_t end, std::size_t) {
    for (std::size_t i = begin; i < end; i += kernels::compact_batch) {
      std::uint64_t unsafe = kernels::compact_vertex_triangle(
          positions.front().data(), positions.size(), reinterpret_cast<const std::int32_t(*)[3]>(triangles.data()),
          pairs.vertex_triangle.data() + i, std::min(end - i, kernels::compact_batch), records + i);
      for (; unsafe != 0; unsafe &= unsafe - 1) {
        CompactContact& contact = contacts.data()[i + static_cast<std::size_t>(std::countr_zero(unsafe))];
        const Triangle& corners = triangles[at(contact.b)];
        const VertexTriangleClosest closest = closest_vertex_triangle(position(contact.a), position(corners[0]),
                                                                      position(corners[1]), position(corners[2]));
        contact.weights = {closest.weights[1], closest.weights[2]};
        contact.distance = closest.distance;
      }
    }
  });
  parallel_chunks(
      context.workers, pairs.edge_edge.size(), compact_grain, [&](std::size_t begin, std::size_t end, std::size_t) {
        for (std::size_t i = begin; i < end; i += kernels::compact_batch) {
          std::uint64_t unsafe = kernels::compact_edge_edge(
              positions.front().data(), positions.size(),
              reinterpret_cast<const std::int32_t(*)[2]>(pairs.edges.data()), pairs.edge_edge.data() + i,
              std::min(end - i, kernels::compact_batch), records + faces + i);
          for (; unsafe != 0; unsafe &= unsafe - 1) {
            CompactContact& contact = contacts.data()[faces + i + static_cast<std::size_t>(std::countr_zero(unsafe))];
            const Edge a = pairs.edges[at(contact.a)];
            const Edge b = pairs.edges[at(contact.b)];
            const EdgeEdgeClosest closest =
                closest_edge_edge(position(a[0]), position(a[1]), position(b[0]), position(b[1]));
            contact.weights = {closest.s, closest.t};
            contact.distance = closest.distance;
          }
        }
      });
}

void number_features(Context& context, std::span<const Hit> hits, std::span<const Edge> edges, NumberedPairs& pairs) {
  const auto faces = static_cast<std::size_t>(
      std::partition_point(hits.begin(), hits.end(),
                           [](const Hit& hit) { return kind_of(hit) == ContactKind::vertex_face; }) -
      hits.begin());
  const auto number = [&](const Edge& edge) {
    return static_cast<std::uint64_t>(std::lower_bound(edges.begin(), edges.end(), edge) - edges.begin());
  };
  pairs.vertex_triangle.resize(faces);
  pairs.edge_edge.resize(hits.size() - faces);
  parallel_for(context.workers, hits.size(), numbering_grain, [&](std::size_t i) {
    if (i < faces) {
      pairs.vertex_triangle.data()[i] = hit_bits::pack(vertex_of(hits[i]), triangle_of(hits[i]));
    } else {
      pairs.edge_edge.data()[i - faces] = number(edge_a_of(hits[i])) << 32U | number(edge_b_of(hits[i]));
    }
  });
}

}  // namespace carom::narrow

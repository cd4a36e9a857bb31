#include "detect/impacts.hpp"

#include <algorithm>
#include <bit>

namespace carom::detection {

namespace {

using narrow::FeaturePairs;
using narrow::Hit;
using narrow::MovingIn;

constexpr std::size_t grain = 2048;
constexpr std::size_t start_grain = 8 * narrow::few_contacts;

/// A measured distance is wrong by less than this share of it (tests/geometry), so what is less than the separation by
/// more is so in truth.
constexpr double rounding = 1e-12;

/// Pair i of a list, those of vertices and triangles first.
MovingContact describe(const FeaturePairs& pairs, std::span<const Triangle> triangles, std::size_t i) {
  MovingContact contact;
  const std::size_t faces = pairs.vertex_triangle.size();
  if (i < faces) {
    const auto vertex = static_cast<Index>(pairs.vertex_triangle[i] >> 32U);
    const auto triangle = static_cast<Index>(pairs.vertex_triangle[i] & 0xffffffffU);
    const Triangle& corners = triangles[static_cast<std::size_t>(triangle)];
    contact.kind = ContactKind::vertex_face;
    contact.a = {vertex, none};
    contact.b = {triangle, none};
    contact.vertices = {vertex, corners[0], corners[1], corners[2]};
  } else {
    contact.kind = ContactKind::edge_edge;
    contact.a = pairs.edges[pairs.edge_edge[i - faces] >> 32U];
    contact.b = pairs.edges[pairs.edge_edge[i - faces] & 0xffffffffU];
    contact.vertices = {contact.a[0], contact.a[1], contact.b[0], contact.b[1]};
  }
  return contact;
}

void set_at_time_zero(const Contact& contact, double separation, MovingContact& result) {
  result.kind = contact.kind;
  result.a = contact.a;
  result.b = contact.b;
  result.vertices = contact.vertices;
  result.impact = {};
  result.impact.collides = true;
  result.impact.time = 0;
  result.impact.tolerance = contact.distance < separation * (1 - rounding) ? 0 : separation * rounding;
  result.impact.weights = contact.weights;
  result.impact.normal = contact.normal;
}

/// What comes within the separation after the start, in canonical order, into `scratch.found`.
void search(Context& context, const MovingIn& in, const FeaturePairs& pairs, const ContinuousOptions& options,
            ImpactScratch& scratch) {
  const std::span<const Triangle> triangles = in.surface.triangles();
  const std::size_t faces = pairs.vertex_triangle.size();
  if (scratch.queries.size() < chunk_count(pairs.size(), grain))
    scratch.queries.resize(chunk_count(pairs.size(), grain));
  scratch.append.run(context.workers, pairs.size(), grain, scratch.found,
                     [&](std::size_t begin, std::size_t end, std::vector<IndexedImpact>& out, std::size_t chunk) {
                       ImpactScratch::Queries& queries = scratch.queries[chunk];
                       const std::size_t middle = std::clamp(faces, begin, end);
                       const auto ask = [&](ContactKind kind, std::size_t first, std::size_t last) {
                         queries.vertices.clear();
                         queries.impacts.clear();
                         for (std::size_t i = first; i < last; ++i)
                           queries.vertices.push_back(describe(pairs, triangles, i).vertices);
                         first_impacts(kind, in.start, in.end, queries.vertices, options, queries.impacts);
                         for (const IndexedImpact& found : queries.impacts)
                           out.push_back({first + found.query, found.impact});
                       };
                       if (begin < middle) ask(ContactKind::vertex_face, begin, middle);
                       if (middle < end) ask(ContactKind::edge_edge, middle, end);
                     });
}

/// How many pairs of one list come before pair i of another in canonical order.
std::size_t count_before(const FeaturePairs& list, const FeaturePairs& other, std::size_t i) {
  const std::size_t faces = other.vertex_triangle.size();
  const auto below = [](std::span<const std::uint64_t> numbers, std::uint64_t number) {
    return static_cast<std::size_t>(std::lower_bound(numbers.begin(), numbers.end(), number) - numbers.begin());
  };
  if (i < faces) return below(list.vertex_triangle, other.vertex_triangle[i]);
  return list.vertex_triangle.size() + below(list.edge_edge, other.edge_edge[i - faces]);
}

}  // namespace

void split_at_start(Context& context, const MovingIn& in, std::span<const Hit> hits, double separation,
                    narrow::Scratch& scratch, narrow::NumberedPairs& at_start, narrow::NumberedPairs& later) {
  if (separation > 0) {
    StageStats ignored;
    narrow::select(context, {.surface = in.surface, .positions = in.start}, hits, separation, scratch, ignored);
  } else {
    scratch.hits.clear();
  }
  std::vector<Hit> others(hits.size() - scratch.hits.size());
  std::set_difference(hits.begin(), hits.end(), scratch.hits.begin(), scratch.hits.end(), others.begin());
  narrow::number_features(context, scratch.hits, in.surface.edges(), at_start);
  narrow::number_features(context, others, in.surface.edges(), later);
}

void find_impacts(Context& context, const MovingIn& in, const StepPairs& pairs, const ContinuousOptions& options,
                  ImpactScratch& scratch, std::vector<MovingContact>& contacts) {
  search(context, in, pairs.later, options, scratch);
  // Contacts at the start come first, those found at time 0 among them where canonical order has them. The others
  // follow by time: a stable sort leaves those of the same time as they are.
  scratch.at_zero.clear();
  scratch.order.clear();
  for (std::size_t i = 0; i < scratch.found.size(); ++i) {
    const IndexedImpact& found = scratch.found[i];
    if (found.impact.time == 0) {
      scratch.at_zero.push_back({i, count_before(pairs.at_start, pairs.later, found.query)});
    } else {
      scratch.order.push_back({std::bit_cast<std::uint64_t>(found.impact.time), i});
    }
  }
  scratch.sort.run(context.workers, scratch.order, 64, [](const ImpactScratch::Timed& timed) { return timed.time; });

  const std::span<const Triangle> triangles = in.surface.triangles();
  const std::size_t first = pairs.at_start.size();
  const std::size_t zeros = scratch.at_zero.size();
  contacts.resize(first + scratch.found.size());
  parallel_chunks(context.workers, first, start_grain, [&](std::size_t begin, std::size_t end, std::size_t) {
    std::array<Contact, narrow::few_contacts> measured;
    auto zero = std::partition_point(scratch.at_zero.begin(), scratch.at_zero.end(),
                                     [&](const ImpactScratch::AtZero& z) { return z.before <= begin; });
    for (std::size_t i = begin; i < end;) {
      const std::size_t count = std::min(end - i, narrow::few_contacts);
      build_some_contacts(pairs.at_start, triangles, in.start, i, std::span(measured).first(count));
      for (std::size_t k = 0; k < count; ++k, ++i) {
        while (zero != scratch.at_zero.end() && zero->before <= i) ++zero;
        set_at_time_zero(measured[k], options.separation,
                         contacts[i + static_cast<std::size_t>(zero - scratch.at_zero.begin())]);
      }
    }
  });
  parallel_for(context.workers, scratch.found.size(), grain, [&](std::size_t i) {
    const std::size_t place = i < zeros ? scratch.at_zero[i].place : scratch.order[i - zeros].place;
    MovingContact& contact = contacts[i < zeros ? scratch.at_zero[i].before + i : first + i];
    contact = describe(pairs.later, triangles, scratch.found[place].query);
    contact.impact = scratch.found[place].impact;
  });
}

}  // namespace carom::detection

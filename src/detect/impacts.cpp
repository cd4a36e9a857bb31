#include "detect/impacts.hpp"

#include <algorithm>
#include <bit>

#include "narrow/build_contacts.hpp"
#include "narrow/canonical_order.hpp"

namespace carom::detection {

namespace {

using narrow::Hit;
using narrow::MovingIn;

constexpr std::size_t grain = 2048;

/// A measured distance is wrong by less than this share of it (tests/geometry), so what is less than the separation by
/// more is so in truth.
constexpr double rounding = 1e-12;

MovingContact describe(const Hit& hit, std::span<const Triangle> triangles) {
  MovingContact contact;
  contact.kind = kind_of(hit);
  if (contact.kind == ContactKind::vertex_face) {
    const Triangle& corners = triangles[static_cast<std::size_t>(triangle_of(hit))];
    contact.a = {vertex_of(hit), none};
    contact.b = {triangle_of(hit), none};
    contact.vertices = {vertex_of(hit), corners[0], corners[1], corners[2]};
  } else {
    contact.a = edge_a_of(hit);
    contact.b = edge_b_of(hit);
    contact.vertices = {contact.a[0], contact.a[1], contact.b[0], contact.b[1]};
  }
  return contact;
}

MovingContact at_time_zero(const Contact& contact, double separation) {
  MovingContact result;
  result.kind = contact.kind;
  result.a = contact.a;
  result.b = contact.b;
  result.vertices = contact.vertices;
  result.impact.collides = true;
  result.impact.time = 0;
  result.impact.tolerance = contact.distance < separation * (1 - rounding) ? 0 : separation * rounding;
  result.impact.weights = contact.weights;
  result.impact.normal = contact.normal;
  return result;
}

/// Pairs that are within the separation at the start, into `scratch.at_start`; the others into `scratch.later`.
void split(Context& context, const MovingIn& in, std::span<const Hit> pairs, double separation, narrow::Scratch& narrow,
           ImpactScratch& scratch) {
  scratch.at_start.clear();
  if (separation > 0) {
    StageStats ignored;
    narrow::select(context, {.surface = in.surface, .positions = in.start}, pairs, separation, narrow, ignored);
    narrow::build_contacts(context, in.surface.triangles(), in.start, narrow.hits, scratch.at_start);
  } else {
    narrow.hits.clear();
  }
  scratch.later.resize(pairs.size() - narrow.hits.size());
  std::set_difference(pairs.begin(), pairs.end(), narrow.hits.begin(), narrow.hits.end(), scratch.later.begin());
}

void search(Context& context, const MovingIn& in, const ContinuousOptions& options, ImpactScratch& scratch) {
  const std::span<const Hit> pairs = scratch.later;
  const std::span<const Triangle> triangles = in.surface.triangles();
  if (scratch.queries.size() < chunk_count(pairs.size(), grain))
    scratch.queries.resize(chunk_count(pairs.size(), grain));
  scratch.append.run(context.workers, pairs.size(), grain, scratch.found,
                     [&](std::size_t begin, std::size_t end, std::vector<MovingContact>& out, std::size_t chunk) {
                       ImpactScratch::Queries& queries = scratch.queries[chunk];
                       for (const ContactKind kind : {ContactKind::vertex_face, ContactKind::edge_edge}) {
                         queries.vertices.clear();
                         queries.hits.clear();
                         queries.impacts.clear();
                         for (std::size_t i = begin; i < end; ++i) {
                           if (kind_of(pairs[i]) != kind) continue;
                           queries.vertices.push_back(describe(pairs[i], triangles).vertices);
                           queries.hits.push_back(i);
                         }
                         first_impacts(kind, in.start, in.end, queries.vertices, options, queries.impacts);
                         for (const IndexedImpact& found : queries.impacts) {
                           out.push_back(describe(pairs[queries.hits[found.query]], triangles));
                           out.back().impact = found.impact;
                         }
                       }
                     });
}

}  // namespace

void find_impacts(Context& context, const MovingIn& in, std::span<const Hit> pairs, const ContinuousOptions& options,
                  narrow::Scratch& narrow, ImpactScratch& scratch, std::vector<MovingContact>& contacts) {
  split(context, in, pairs, options.separation, narrow, scratch);
  search(context, in, options, scratch);

  // Both lists are in canonical order; so is what they are merged to, and a stable sort by time leaves it so. Places
  // from the number of contacts at the start on are of the others.
  const std::size_t first = scratch.at_start.size();
  const std::size_t second = scratch.found.size();
  scratch.order.clear();
  for (std::size_t i = 0, j = 0; i < first || j < second;) {
    if (j == second || (i < first && canonically_before(scratch.at_start[i], scratch.found[j]))) {
      scratch.order.push_back({0, i++});
    } else {
      scratch.order.push_back({std::bit_cast<std::uint64_t>(scratch.found[j].impact.time), first + j});
      ++j;
    }
  }
  scratch.sort.run(context.workers, scratch.order, 64, [](const ImpactScratch::Timed& timed) { return timed.time; });
  contacts.resize(scratch.order.size());
  parallel_for(context.workers, contacts.size(), grain, [&](std::size_t i) {
    const std::size_t place = scratch.order[i].place;
    contacts[i] =
        place < first ? at_time_zero(scratch.at_start[place], options.separation) : scratch.found[place - first];
  });
}

}  // namespace carom::detection

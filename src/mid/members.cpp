#include "mid/members.hpp"

namespace carom::mid {

namespace {

constexpr std::size_t membership_grain = 4096;

/// Whom the broad phase paired each object with.
struct Partners {
  std::span<std::size_t> starts;
  std::span<Index> list;  ///< objects

  std::span<const Index> of(Index object) const {
    const auto i = static_cast<std::size_t>(object);
    return list.subspan(starts[i], starts[i + 1] - starts[i]);
  }
};

Partners find_partners(Arena& arena, std::size_t objects, std::span<const broad::ObjectPair> pairs) {
  Partners partners{arena.make<std::size_t>(objects + 2), arena.make<Index>(2 * pairs.size())};
  // Counted two places on and filled one place on, so that each start ends where it belongs.
  std::fill(partners.starts.begin(), partners.starts.end(), 0);
  const auto count = [&](Index object) -> std::size_t& {
    return partners.starts[static_cast<std::size_t>(object) + 2];
  };
  for (const broad::ObjectPair& pair : pairs) {
    ++count(pair.a);
    if (pair.a != pair.b) ++count(pair.b);
  }
  for (std::size_t i = 2; i < partners.starts.size(); ++i) partners.starts[i] += partners.starts[i - 1];
  for (const auto& [a, b] : pairs) {
    partners.list[partners.starts[static_cast<std::size_t>(a) + 1]++] = b;
    if (a != b) partners.list[partners.starts[static_cast<std::size_t>(b) + 1]++] = a;
  }
  return partners;
}

}  // namespace

Box region_of(std::span<const Box> objects, const broad::ObjectPair& pair) {
  Box region = objects[static_cast<std::size_t>(pair.a)];
  const Box& other = objects[static_cast<std::size_t>(pair.b)];
  for (std::size_t k = 0; k < 3; ++k) {
    region.min[k] = std::max(region.min[k], other.min[k]);
    region.max[k] = std::min(region.max[k], other.max[k]);
  }
  return region;
}

Box region_of(std::span<const Box> objects, std::span<const broad::ObjectPair> pairs) {
  Box region;
  for (const broad::ObjectPair& pair : pairs) region.grow(region_of(objects, pair));
  return region;
}

void collect_members(Context& context, const Surface& surface, std::span<const Box> triangles,
                     std::span<const Box> objects, std::span<const broad::ObjectPair> object_pairs, PairScope scope,
                     OrderedAppend<Member>& append, std::vector<Member>& members) {
  const Partners partners = find_partners(context.arena, objects.size(), object_pairs);
  const auto object_of = surface.object_index_of_triangle();
  const auto matters = [&](std::size_t i) {
    const auto others = partners.of(object_of[i]);
    if (scope != PairScope::between) return !others.empty();
    return std::any_of(others.begin(), others.end(), [&](Index partner) {
      return overlap(triangles[i], objects[static_cast<std::size_t>(partner)]);
    });
  };
  append.run(context.workers, triangles.size(), membership_grain, members,
             [&](std::size_t begin, std::size_t end, std::vector<Member>& out, std::size_t) {
               for (std::size_t i = begin; i < end; ++i) {
                 if (!triangles[i].empty() && matters(i)) out.push_back({static_cast<Index>(i), 0});
               }
             });
}

}  // namespace carom::mid

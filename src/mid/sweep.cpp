#include "mid/sweep.hpp"

#include <algorithm>

namespace carom::mid {

namespace {

// Few enough for the load to balance, many enough for the loop to be worth starting.
constexpr std::size_t sweep_grain = 256;

/// The triangles that can matter, dead ones not among them. For contacts within objects that is all of them; for
/// contacts between objects only what lies in the box of another one (the region of interest of F. Léonard, 3.4).
void collect(Context& context, const In& in, const Options& options, std::vector<Swept>& swept) {
  const auto object_of = in.surface.object_index_of_triangle();
  swept.clear();
  if (options.pairs != PairScope::between) {
    for (std::size_t i = 0; i < in.triangles.size(); ++i) {
      if (!in.triangles[i].empty()) swept.push_back({in.triangles[i], static_cast<Index>(i), object_of[i]});
    }
    return;
  }
  std::pmr::vector<std::pmr::vector<Index>> partners(in.objects.size(), &context.arena);
  for (const broad::ObjectPair& pair : in.object_pairs) {
    partners[static_cast<std::size_t>(pair.a)].push_back(pair.b);
    partners[static_cast<std::size_t>(pair.b)].push_back(pair.a);
  }
  for (std::size_t i = 0; i < in.triangles.size(); ++i) {
    if (in.triangles[i].empty()) continue;
    const auto& others = partners[static_cast<std::size_t>(object_of[i])];
    const bool matters = std::any_of(others.begin(), others.end(), [&](Index other) {
      return overlap(in.triangles[i], in.objects[static_cast<std::size_t>(other)]);
    });
    if (matters) swept.push_back({in.triangles[i], static_cast<Index>(i), object_of[i]});
  }
}

}  // namespace

void sweep(Context& context, const In& in, const Options& options, Out& out, StageStats& stats) {
  collect(context, in, options, out.swept);
  std::vector<Swept>& swept = out.swept;
  const std::size_t axis = widest_axis(swept, [](const Swept& s) -> const Box& { return s.box; });
  const std::size_t second = (axis + 1) % 3;
  const std::size_t third = (axis + 2) % 3;
  std::sort(swept.begin(), swept.end(), [axis](const Swept& a, const Swept& b) {
    return a.box.min[axis] != b.box.min[axis] ? a.box.min[axis] < b.box.min[axis] : a.triangle < b.triangle;
  });

  const bool same_wanted = options.pairs != PairScope::between;
  const bool different_wanted = options.pairs != PairScope::self;
  out.counts.assign(chunk_count(swept.size(), sweep_grain), {});
  out.append.run(context.workers, swept.size(), sweep_grain, out.pairs,
                 [&](std::size_t begin, std::size_t end, std::vector<TrianglePair>& pairs, std::size_t chunk) {
                   auto& [seen, box_culled, object_culled] = out.counts[chunk];
                   for (std::size_t i = begin; i < end; ++i) {
                     const Swept& a = swept[i];
                     std::size_t j = i + 1;
                     for (; j < swept.size() && swept[j].box.min[axis] <= a.box.max[axis]; ++j) {
                       const Swept& b = swept[j];
                       if (a.box.min[second] > b.box.max[second] || b.box.min[second] > a.box.max[second] ||
                           a.box.min[third] > b.box.max[third] || b.box.min[third] > a.box.max[third]) {
                         ++box_culled;
                       } else if ((a.object == b.object ? !same_wanted : !different_wanted) ||
                                  (options.filter != nullptr &&
                                   options.filter->verdict(a.object, b.object) != broad::Verdict::allowed)) {
                         ++object_culled;
                       } else {
                         pairs.push_back({std::min(a.triangle, b.triangle), std::max(a.triangle, b.triangle)});
                       }
                     }
                     seen += j - i - 1;
                   }
                 });
  std::array<std::uint64_t, 3> total{};
  for (const auto& count : out.counts) {
    for (std::size_t k = 0; k < 3; ++k) total[k] += count[k];
  }
  stats.in += total[0];
  stats.add_culled("box", total[1]);
  stats.add_culled("object", total[2]);
}

}  // namespace carom::mid

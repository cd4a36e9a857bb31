#include "mid/sweep.hpp"

#include <algorithm>

namespace carom::mid {

namespace {

// Few enough for the load to balance, many enough for the loop to be worth starting.
constexpr std::size_t grain = 256;

/// For contacts between objects only what lies in the box of the other one can matter (the
/// region of interest of F. Léonard, 3.4); for contacts within an object all of it can.
void collect(Context& context, const In& in, const Options& options, std::vector<Swept>& swept) {
  const std::span<bool> whole = context.arena.make<bool>(in.objects.size());
  std::fill(whole.begin(), whole.end(), options.pairs != PairScope::between);

  const auto object_of = in.surface.object_index_of_triangle();
  std::pmr::vector<std::pmr::vector<Index>> partners(&context.arena);
  partners.resize(in.objects.size());
  for (const broad::ObjectPair& pair : in.object_pairs) {
    if (pair.a == pair.b) continue;
    partners[static_cast<std::size_t>(pair.a)].push_back(pair.b);
    partners[static_cast<std::size_t>(pair.b)].push_back(pair.a);
  }

  swept.clear();
  for (std::size_t i = 0; i < in.triangles.size(); ++i) {
    const auto object = static_cast<std::size_t>(object_of[i]);
    const bool matters = whole[object] || std::any_of(partners[object].begin(), partners[object].end(), [&](Index p) {
                           return overlap(in.triangles[i], in.objects[static_cast<std::size_t>(p)]);
                         });
    if (matters) swept.push_back({in.triangles[i], static_cast<Index>(i), object_of[i]});
  }
}

/// The axis with the largest variance of box centres.
std::size_t widest_axis(std::span<const Swept> swept) {
  std::array<double, 3> variance{};
  for (std::size_t k = 0; k < 3; ++k) {
    double sum = 0;
    double sum_of_squares = 0;
    const double origin = swept.empty() ? 0 : swept.front().box.min[k];
    for (const Swept& s : swept) {
      const double x = 0.5 * (static_cast<double>(s.box.min[k]) + static_cast<double>(s.box.max[k])) - origin;
      sum += x;
      sum_of_squares += x * x;
    }
    variance[k] = sum_of_squares - sum * sum / static_cast<double>(std::max<std::size_t>(swept.size(), 1));
  }
  return static_cast<std::size_t>(std::max_element(variance.begin(), variance.end()) - variance.begin());
}

}  // namespace

void sweep(Context& context, const In& in, const Options& options, Out& out, StageStats& stats) {
  collect(context, in, options, out.swept);
  std::vector<Swept>& swept = out.swept;
  const std::size_t axis = widest_axis(swept);
  const std::size_t second = (axis + 1) % 3;
  const std::size_t third = (axis + 2) % 3;
  std::sort(swept.begin(), swept.end(), [axis](const Swept& a, const Swept& b) {
    return a.box.min[axis] != b.box.min[axis] ? a.box.min[axis] < b.box.min[axis] : a.triangle < b.triangle;
  });

  const bool same_wanted = options.pairs != PairScope::between;
  const bool different_wanted = options.pairs != PairScope::self;
  out.counts.assign(chunk_count(swept.size(), grain), {});
  out.append.run(context.workers, swept.size(), grain, out.pairs,
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
                       } else if (a.object == b.object ? !same_wanted : !different_wanted) {
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

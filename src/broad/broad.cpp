#include "broad/broad.hpp"

#include <algorithm>

#include "core/stage_timer.hpp"

namespace carom::broad {

namespace {

void leave_out(const ObjectFilter& filter, std::vector<ObjectPair>& pairs, StageStats& stats) {
  std::uint64_t excluded = 0;
  std::uint64_t filtered = 0;
  std::erase_if(pairs, [&](const ObjectPair& pair) {
    const Verdict verdict = filter.verdict(pair.a, pair.b);
    excluded += verdict == Verdict::excluded ? 1 : 0;
    filtered += verdict == Verdict::filtered ? 1 : 0;
    return verdict != Verdict::allowed;
  });
  stats.add_culled("filtered", filtered);
  stats.add_culled("excluded", excluded);
}

}  // namespace

void run(Context& context, const In& in, const Options& options, Out& out, StageStats& stats) {
  const StageTimer timer(stats);
  const auto box = [&](Index i) -> const Box& { return in.objects[static_cast<std::size_t>(i)]; };
  const std::span<Index> memory = context.arena.make<Index>(in.objects.size());
  std::size_t count = 0;
  for (Index i = 0; static_cast<std::size_t>(i) < in.objects.size(); ++i) {
    if (!box(i).empty()) memory[count++] = i;  // the others have no triangles
  }
  const std::span<Index> order = memory.first(count);
  out.pairs.clear();

  if (options.pairs != PairScope::between) {
    stats.in += count;
    for (const Index i : order) out.pairs.push_back({i, i});
  }
  if (options.pairs != PairScope::self && count > 1) {
    const std::uint64_t all = static_cast<std::uint64_t>(count) * (count - 1) / 2;
    const std::size_t before = out.pairs.size();
    const std::size_t axis = widest_axis(order, box);
    std::sort(order.begin(), order.end(), [&](Index a, Index b) {
      return box(a).min[axis] != box(b).min[axis] ? box(a).min[axis] < box(b).min[axis] : a < b;
    });
    for (std::size_t i = 0; i < count; ++i) {
      const Box& first = box(order[i]);
      for (std::size_t j = i + 1; j < count && box(order[j]).min[axis] <= first.max[axis]; ++j) {
        if (overlap(first, box(order[j])))
          out.pairs.push_back({std::min(order[i], order[j]), std::max(order[i], order[j])});
      }
    }
    stats.in += all;
    stats.add_culled("box", all - (out.pairs.size() - before));
    std::sort(out.pairs.begin(), out.pairs.end());
  }
  if (options.filter != nullptr) leave_out(*options.filter, out.pairs, stats);
  stats.out += out.pairs.size();
  stats.set_unit("pairs of bodies");
}

}  // namespace carom::broad

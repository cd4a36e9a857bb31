#include "broad/broad.hpp"

#include <algorithm>
#include <numeric>

#include "core/stage_timer.hpp"

namespace carom::broad {

void run(Context& context, const In& in, const Options& options, Out& out, StageStats& stats) {
  const StageTimer timer(stats);
  const std::size_t count = in.objects.size();
  out.pairs.clear();

  if (options.pairs != PairScope::between) {
    stats.in += count;
    for (std::size_t i = 0; i < count; ++i) out.pairs.push_back({static_cast<Index>(i), static_cast<Index>(i)});
  }
  if (options.pairs != PairScope::self && count > 1) {
    const std::uint64_t all = static_cast<std::uint64_t>(count) * (count - 1) / 2;
    const std::size_t before = out.pairs.size();
    const std::span<Index> order = context.arena.make<Index>(count);
    std::iota(order.begin(), order.end(), 0);
    const auto box = [&](Index i) -> const Box& { return in.objects[static_cast<std::size_t>(i)]; };
    const std::size_t axis = widest_axis(in.objects, [](const Box& b) -> const Box& { return b; });
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
  stats.out += out.pairs.size();
}

}  // namespace carom::broad

#include "carom/intersect.hpp"

#include "bounds/bounds.hpp"
#include "broad/broad.hpp"
#include "core/check.hpp"
#include "core/stage_timer.hpp"
#include "mid/cones.hpp"
#include "mid/mid.hpp"
#include "narrow/crossing.hpp"

namespace carom {

struct IntersectScratch::Impl {
  Workers workers{1};
  Arena arena;
  bounds::Out bounds;
  broad::Out broad;
  mid::Out mid;
  mid::Cones cones;
  narrow::CrossingScratch narrow;
};

IntersectScratch::IntersectScratch() : impl_(std::make_unique<Impl>()) {}
IntersectScratch::~IntersectScratch() = default;
IntersectScratch::IntersectScratch(IntersectScratch&&) noexcept = default;
IntersectScratch& IntersectScratch::operator=(IntersectScratch&&) noexcept = default;

void intersections(const Surface& surface, std::span<const Eigen::Vector3d> positions, const IntersectOptions& options,
                   IntersectScratch& scratch, std::vector<Intersection>& found, PipelineStats& stats) {
  require(positions.size() == surface.vertex_count(), ErrorCode::invalid_argument,
          "{} positions for a surface of {} vertices", positions.size(), surface.vertex_count());
  const mid::Method method = mid::method_by_name(options.method);

  IntersectScratch::Impl& memory = scratch.impl();
  memory.workers.set_threads(options.threads);
  memory.arena.reset();
  Context context{memory.workers, memory.arena};
  stats = {};

  bounds::run(context, {surface, positions}, {.distance = 0}, memory.bounds, stats[Stage::bounds]);
  broad::run(context, {.objects = memory.bounds.objects}, {.pairs = options.pairs}, memory.broad, stats[Stage::broad]);
  mid::run(context,
           {.surface = surface,
            .triangles = memory.bounds.triangles,
            .objects = memory.bounds.objects,
            .object_pairs = memory.broad.pairs},
           {.method = method, .pairs = options.pairs}, memory.mid, stats[Stage::mid]);

  const bool cones = options.cones && options.pairs != PairScope::between;  // a patch is of one object
  if (cones) {
    const StageTimer timer(stats[Stage::mid]);
    memory.cones.update(context, surface.triangles(), positions);
  }
  narrow::find_crossings(context, {surface, positions, memory.mid.pairs, cones ? &memory.cones : nullptr},
                         memory.narrow, found, stats[Stage::mid], stats[Stage::narrow]);
}

std::vector<Intersection> intersections(const Surface& surface, std::span<const Eigen::Vector3d> positions,
                                        const IntersectOptions& options) {
  IntersectScratch scratch;
  std::vector<Intersection> found;
  PipelineStats stats;
  intersections(surface, positions, options, scratch, found, stats);
  return found;
}

}  // namespace carom

#include "carom/detect/intersect.hpp"

#include "core/check.hpp"
#include "core/stage_timer.hpp"
#include "detect/detection.hpp"
#include "mid/cones.hpp"
#include "narrow/crossing.hpp"

namespace carom {

struct IntersectScratch::Impl {
  Workers workers{1};
  Arena arena;
  detection::Candidates candidates;
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
  mid::check_sphere_depth(options.sphere_depth);

  IntersectScratch::Impl& memory = scratch.impl();
  memory.workers.set_threads(options.threads);
  memory.arena.reset();
  Context context{memory.workers, memory.arena};
  stats = {};

  detection::find_triangle_pairs(
      context, {surface, positions},
      {.distance = 0, .pairs = options.pairs, .method = method, .sphere_depth = options.sphere_depth},
      memory.candidates, stats);

  const bool cones = options.cones && options.pairs != PairScope::between;  // a patch is of one object
  if (cones) {
    const StageTimer timer(stats[Stage::mid]);
    memory.cones.update(context, surface.triangles(), positions);
  }
  narrow::find_crossings(context, {surface, positions, memory.candidates.mid.pairs, cones ? &memory.cones : nullptr},
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

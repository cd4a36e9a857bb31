#include "world/state.hpp"

namespace carom {
namespace {

bool ran(const StageStats& stats) {
  return stats.in + stats.out > 0;
}

/// Both kinds of counts of one stage, where both have something to count.
StageStats joined_stage(Stage stage, const PipelineStats& surfaces, const PipelineStats& shapes) {
  const StageStats& surface = surfaces[stage];
  StageStats result = shapes[stage];
  result.add(surface);
  switch (stage) {
    case Stage::predict:
    case Stage::bounds:
    case Stage::commit:
      // Bodies are counted, as vertices and triangles are parts of them.
      result.in = shapes[stage].in;
      result.out = shapes[stage].out;
      result.set_units(shapes[stage].in_unit, shapes[stage].out_unit);
      result.add_counted(surface.out_unit, surface.out);
      break;
    case Stage::broad:
      // Surfaces are colliders, whose pairs with each other and with themselves are found apart from the others.
      result = shapes[stage];
      result.out += surface.out;
      result.seconds += surface.seconds;
      break;
    case Stage::narrow:
      // Pairs of colliders come from the broad phase, pairs of features from the mid phase. Manifolds are counted by
      // their points, as in the next stage.
      result.out = surface.out + shapes[Stage::contacts].in;
      result.set_units("pairs of colliders and of features", "contacts");
      break;
    default:
      break;
  }
  return result;
}

}  // namespace

PipelineStats joined(const PipelineStats& surfaces, const PipelineStats& shapes, bool any_shape) {
  if (!any_shape) return surfaces;
  PipelineStats result = shapes;
  for (std::size_t i = 0; i < stage_count; ++i) {
    const auto stage = static_cast<Stage>(i);
    const bool both = ran(surfaces[stage]) && (ran(shapes[stage]) || stage == Stage::narrow);
    if (both) {
      result[stage] = joined_stage(stage, surfaces, shapes);
      continue;
    }
    const StageStats& counts = ran(surfaces[stage]) ? surfaces[stage] : shapes[stage];
    result[stage].add(surfaces[stage]);
    result[stage].set_units(counts.in_unit, counts.out_unit);
  }
  return result;
}

}  // namespace carom

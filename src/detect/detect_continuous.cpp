#include "carom/detect/detect_continuous.hpp"

#include "core/check.hpp"
#include "detect/scratch.hpp"

namespace carom {

void detect_continuous(const Surface& surface, std::span<const Eigen::Vector3d> start,
                       std::span<const Eigen::Vector3d> end, const DetectContinuousOptions& options,
                       DetectScratch& scratch, std::vector<MovingContact>& contacts, PipelineStats& stats) {
  require(std::isfinite(options.distance) && options.distance >= 0, ErrorCode::invalid_argument,
          "distance is {}; expected a number of metres that is not negative", options.distance);
  require(std::isfinite(options.tolerance) && options.tolerance >= 0, ErrorCode::invalid_argument,
          "tolerance is {}; expected a number that is not negative", options.tolerance);
  require(!options.exact || options.distance == 0, ErrorCode::unsupported,
          "exact answers are for distance 0; it is {} m", options.distance);
  require(start.size() == surface.vertex_count(), ErrorCode::invalid_argument,
          "{} positions at the start for a surface of {} vertices", start.size(), surface.vertex_count());
  require(end.size() == surface.vertex_count(), ErrorCode::invalid_argument,
          "{} positions at the end for a surface of {} vertices", end.size(), surface.vertex_count());
  const mid::Method method = mid::method_by_name(options.method);
  require(mid::takes_steps(method), ErrorCode::unsupported,
          "method {} is for frames; expected auto, bvh, bvh14 or bvh18 over a step", options.method);

  DetectScratch::Impl& memory = scratch.impl();
  memory.workers.set_threads(options.threads);
  std::optional<Workers::Session> session;
  memory.gather(surface, session);
  memory.arena.reset();
  Context context{memory.workers, memory.arena};
  stats = {};
  detection::run_continuous(context, {surface, start, end}, options, method, memory.detection, memory.continuous,
                            contacts, stats);
}

std::vector<MovingContact> detect_continuous(const Surface& surface, std::span<const Eigen::Vector3d> start,
                                             std::span<const Eigen::Vector3d> end,
                                             const DetectContinuousOptions& options) {
  DetectScratch scratch;
  std::vector<MovingContact> contacts;
  PipelineStats stats;
  detect_continuous(surface, start, end, options, scratch, contacts, stats);
  return contacts;
}

}  // namespace carom

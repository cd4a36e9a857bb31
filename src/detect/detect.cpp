#include "carom/detect/detect.hpp"

#include "carom/detect/compact_contacts.hpp"
#include "core/check.hpp"
#include "detect/scratch.hpp"

namespace carom {

DetectScratch::DetectScratch() : impl_(std::make_unique<Impl>()) {}
DetectScratch::~DetectScratch() = default;
DetectScratch::DetectScratch(DetectScratch&&) noexcept = default;
DetectScratch& DetectScratch::operator=(DetectScratch&&) noexcept = default;

namespace {

template <class Contacts>
void detect_into(const Surface& surface, std::span<const Eigen::Vector3d> positions, const DetectOptions& options,
                 DetectScratch& scratch, Contacts& contacts, PipelineStats& stats) {
  require(std::isfinite(options.distance) && options.distance > 0, ErrorCode::invalid_argument,
          "distance is {}; expected a positive number of metres (for triangles that intersect, call intersections)",
          options.distance);
  require(positions.size() == surface.vertex_count(), ErrorCode::invalid_argument,
          "{} positions for a surface of {} vertices", positions.size(), surface.vertex_count());
  const mid::Method method = mid::method_by_name(options.method);
  mid::check_sphere_depth(options.sphere_depth);

  DetectScratch::Impl& memory = scratch.impl();
  memory.workers.set_threads(options.threads);
  std::optional<Workers::Session> session;
  memory.gather(surface, session);
  memory.arena.reset();
  Context context{memory.workers, memory.arena};
  stats = {};
  detection::run(context, {surface, positions},
                 {.distance = options.distance,
                  .pairs = options.pairs,
                  .method = method,
                  .filters = options.filters,
                  .coherent = options.coherent,
                  .sphere_depth = options.sphere_depth},
                 memory.detection, contacts, stats);
}

}  // namespace

void detect(const Surface& surface, std::span<const Eigen::Vector3d> positions, const DetectOptions& options,
            DetectScratch& scratch, std::vector<Contact>& contacts, PipelineStats& stats) {
  detect_into(surface, positions, options, scratch, contacts, stats);
}

void detect(const Surface& surface, std::span<const Eigen::Vector3d> positions, const DetectOptions& options,
            DetectScratch& scratch, CompactContacts& contacts, PipelineStats& stats) {
  detect_into(surface, positions, options, scratch, contacts, stats);
}

std::vector<Contact> detect(const Surface& surface, std::span<const Eigen::Vector3d> positions,
                            const DetectOptions& options) {
  DetectScratch scratch;
  std::vector<Contact> contacts;
  PipelineStats stats;
  detect(surface, positions, options, scratch, contacts, stats);
  return contacts;
}

}  // namespace carom

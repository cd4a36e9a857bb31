#include "core/check.hpp"
#include "world/option_difference.hpp"
#include "world/state.hpp"

namespace carom {

/// Working memory and what is made again by `edits` are left out. What these make of the joined surface depends on the
/// surface before them: its clusters are others after edits than made at once, and so are motions that are measured of
/// them, such as LastingState::near_speed.
struct World::Snapshot::Data {
  WorldOptions options;  ///< options of the world it was taken of
  LastingState state;
  std::shared_ptr<const Surface> surface;
  std::vector<bodies::SurfacePart> parts;  ///< of the surface
};

World::Snapshot World::snapshot() const {
  return Snapshot(std::make_shared<const Snapshot::Data>(Snapshot::Data{.options = state_->options,
                                                                        .state = *state_,
                                                                        .surface = state_->vertices.joined,
                                                                        .parts = state_->vertices.parts}));
}

void World::restore(const Snapshot& snapshot) {
  State& s = *state_;
  const Snapshot::Data& d = snapshot.data();
  if (const auto differing = differences(d.options, s.options); !differing.empty())
    fail(ErrorCode::invalid_argument, "restore: option {} differs: snapshot {}, world {}", differing[0].name,
         differing[0].a, differing[0].b);
  static_cast<LastingState&>(s) = d.state;
  s.vertices.joined = d.surface;
  s.vertices.parts = d.parts;
  // Numbers of parts.
  s.tangles_at_start.clear();
  s.in_shapes.clear();
  s.pairs.stale = true;
  s.pair_scratch.broad.forget();
  s.ccd_scratch.rigid.inner.clear();
  s.contact_list.forget();
  s.query_tree.forget();
  s.edited = true;
  s.filters_edited = true;
  s.cuts.clear();
  s.cuts_between.clear();
  s.not_cut.clear();
  s.limited_bodies.clear();
}

}  // namespace carom

#include "core/check.hpp"
#include "world/option_difference.hpp"
#include "world/state.hpp"

namespace carom {

/// Working memory and what is made again by `edits` are left out.
struct World::Snapshot::Data {
  WorldOptions options;  ///< options of the world it was taken of
  LastingState state;
};

World::Snapshot World::snapshot() const {
  return Snapshot(std::make_shared<const Snapshot::Data>(Snapshot::Data{state_->options, *state_}));
}

void World::restore(const Snapshot& snapshot) {
  State& s = *state_;
  const Snapshot::Data& d = snapshot.data();
  if (const auto differing = differences(d.options, s.options); !differing.empty())
    fail(ErrorCode::invalid_argument, "restore: option {} differs: snapshot {}, world {}", differing[0].name,
         differing[0].a, differing[0].b);
  static_cast<LastingState&>(s) = d.state;
  s.pairs.stale = true;
  s.pair_scratch.broad.forget();
  s.ccd_scratch.rigid.inner.clear();
  s.contact_list.forget();
  s.query_tree.forget();
  s.edited = true;
  s.filters_edited = true;
}

}  // namespace carom

#include "carom/detect/broad_phase.hpp"

#include <algorithm>
#include <chrono>

#include "broad/bounds_check.hpp"
#include "broad/box_queries.hpp"
#include "broad/finders.hpp"
#include "broad/overlap_pass.hpp"
#include "broad/tree_finder.hpp"

namespace carom {

namespace {

std::string named(ProxyId id) {
  return fmt::format("proxy {} (generation {})", id.index, id.generation);
}

std::string new_proxy() {
  return "the proxy to add";
}

/// All is searched again if more than one in so many left its wide box: searching for one costs several times what it
/// costs in a search for all, and after that all have a wide box to move in.
constexpr std::size_t rebuild_fraction = 8;

constexpr std::size_t check_grain = 1024;

struct Given {
  AxisBox box;
  broad::MoreBounds more;
};

Given split(const Dop<18>& dop) {
  Given given;
  for (std::size_t k = 0; k < 3; ++k) {
    given.box.min[static_cast<Eigen::Index>(k)] = dop.low[k];
    given.box.max[static_cast<Eigen::Index>(k)] = dop.high[k];
  }
  std::copy_n(dop.low.begin() + 3, 6, given.more.begin());
  std::copy_n(dop.high.begin() + 3, 6, given.more.begin() + 6);
  return given;
}

Given split(const SweptBox& swept) {
  Given given{{swept.start.min.cwiseMin(swept.end.min), swept.start.max.cwiseMax(swept.end.max)}, {}};
  Eigen::Map<Eigen::Matrix<double, 3, 4>> more(given.more.data());
  more << swept.start.min, swept.start.max, swept.end.min, swept.end.max;
  return given;
}

}  // namespace

struct BroadPhase::Impl {
  explicit Impl(const BroadPhaseOptions& options)
      : own_workers(options.threads), finders(options), proxies(options.margin, finders.needs_dops()) {}

  std::uint32_t at(ProxyId id) const {
    if (!proxies.contains(id)) fail(ErrorCode::bad_index, "there is no {}", named(id));
    return id.index;
  }
  void check_room() const {
    require(proxies.size() < broad::max_proxies, ErrorCode::invalid_argument, "more than {} proxies",
            broad::max_proxies);
  }
  broad::NodePair pair_of(ProxyId a, ProxyId b) const {
    if (at(a) == at(b)) fail(ErrorCode::invalid_argument, "{} makes no pair with itself", named(a));
    return {std::min(a.index, b.index), std::max(a.index, b.index)};
  }
  const broad::TreeFinder* trees() const {
    if (const broad::TreeFinder* tree = finders.tree()) return tree;
    return prepared ? &query_trees : nullptr;
  }
  bool find_candidates();

  Workers own_workers;
  Workers* workers = &own_workers;
  broad::Finders finders;
  broad::Proxies proxies;
  broad::CandidateList candidates;
  broad::OverlapPass overlaps;
  broad::TreeFinder query_trees;  // where the method has none
  bool prepared = false;
  bool first = true;
  std::vector<broad::NodePair> found;
  std::vector<std::uint32_t> indices;
  std::vector<std::size_t> wrong;  // of each chunk of a move, the first
  BroadPhaseStats stats;
};

BroadPhase::BroadPhase(const BroadPhaseOptions& options) : impl_(std::make_unique<Impl>(options)) {}
BroadPhase::~BroadPhase() = default;
BroadPhase::BroadPhase(BroadPhase&&) noexcept = default;
BroadPhase& BroadPhase::operator=(BroadPhase&&) noexcept = default;

void BroadPhase::work_with(Workers& workers) {
  impl_->workers = &workers;
}

ProxyId BroadPhase::add(const AxisBox& box, const CollisionFilter& filter, std::uint64_t value) {
  impl_->check_room();
  broad::check_box(box, new_proxy);
  return impl_->proxies.add(box, broad::BoundsKind::box, nullptr, filter, value);
}

ProxyId BroadPhase::add(const Dop<18>& dop, const CollisionFilter& filter, std::uint64_t value) {
  impl_->check_room();
  broad::check_dop(dop, new_proxy);
  const Given given = split(dop);
  return impl_->proxies.add(given.box, broad::BoundsKind::dop, &given.more, filter, value);
}

ProxyId BroadPhase::add(const SweptBox& swept, const CollisionFilter& filter, std::uint64_t value) {
  impl_->check_room();
  broad::check_swept(swept, new_proxy);
  const Given given = split(swept);
  return impl_->proxies.add(given.box, broad::BoundsKind::swept, &given.more, filter, value);
}

void BroadPhase::move(ProxyId id, const AxisBox& box) {
  const std::uint32_t i = impl_->at(id);
  broad::check_box(box, [&] { return named(id); });
  impl_->proxies.move(i, box, broad::BoundsKind::box, nullptr);
}

void BroadPhase::move(ProxyId id, const Dop<18>& dop) {
  const std::uint32_t i = impl_->at(id);
  broad::check_dop(dop, [&] { return named(id); });
  const Given given = split(dop);
  impl_->proxies.move(i, given.box, broad::BoundsKind::dop, &given.more);
}

void BroadPhase::move(ProxyId id, const SweptBox& swept) {
  const std::uint32_t i = impl_->at(id);
  broad::check_swept(swept, [&] { return named(id); });
  const Given given = split(swept);
  impl_->proxies.move(i, given.box, broad::BoundsKind::swept, &given.more);
}

void BroadPhase::move(std::span<const ProxyId> ids, std::span<const AxisBox> boxes) {
  require(ids.size() == boxes.size(), ErrorCode::invalid_argument, "{} boxes for {} proxies", boxes.size(), ids.size());
  const auto first_wrong = [&](std::size_t begin, std::size_t end) {
    std::size_t i = begin;
    while (i < end && impl_->proxies.contains(ids[i]) && broad::is_box(boxes[i])) ++i;
    return i < end ? i : ids.size();
  };
  const auto first = [](std::size_t a, std::size_t b) { return std::min(a, b); };
  const std::size_t wrong =
      parallel_reduce(*impl_->workers, ids.size(), check_grain, ids.size(), first_wrong, first, impl_->wrong);
  if (wrong < ids.size()) {
    impl_->at(ids[wrong]);
    broad::check_box(boxes[wrong], [&] { return named(ids[wrong]); });
  }
  impl_->proxies.move_boxes(*impl_->workers, ids, boxes);
}

void BroadPhase::remove(ProxyId id) {
  const std::uint32_t i = impl_->at(id);
  impl_->proxies.remove(i);
  impl_->overlaps.include_all_of(i);
}

void BroadPhase::set_filter(ProxyId id, const CollisionFilter& filter) {
  impl_->proxies.set_filter(impl_->at(id), filter);
}

bool BroadPhase::exclude(ProxyId a, ProxyId b) {
  const broad::NodePair pair = impl_->pair_of(a, b);
  if (!impl_->overlaps.exclude(pair)) return false;
  impl_->proxies.touch(pair.a);
  return true;
}

bool BroadPhase::include(ProxyId a, ProxyId b) {
  const broad::NodePair pair = impl_->pair_of(a, b);
  if (!impl_->overlaps.include(pair)) return false;
  impl_->proxies.touch(pair.a);
  return true;
}

/// Candidates again, or those that changed. True if all have to be looked at.
bool BroadPhase::Impl::find_candidates() {
  const std::size_t left = proxies.left().size();
  if (left == 0) return false;
  prepared = false;
  bool rebuild = first || rebuild_fraction * left > proxies.count();
  if (!rebuild) {
    proxies.enlarge_left(*workers);
    rebuild = !finders.follow(*workers, proxies, found);
    if (!rebuild) candidates.merge(*workers, proxies, found);
  }
  if (rebuild) {
    proxies.enlarge_all(*workers);
    proxies.list(indices);
    finders.rebuild(*workers, proxies, indices, found);
    candidates.replace(*workers, proxies, found);
    first = false;
  }
  return rebuild;
}

void BroadPhase::update() {
  Impl& impl = *impl_;
  impl.stats.moved = impl.proxies.moved().size();
  impl.stats.searched = impl.proxies.left().size();
  impl.stats.rebuilt = false;
  impl.overlaps.forget_events();
  if (impl.stats.moved > 0) {
    const auto start = std::chrono::steady_clock::now();
    impl.stats.rebuilt = impl.find_candidates();
    impl.finders.charge(std::chrono::duration<double>(std::chrono::steady_clock::now() - start).count());
    impl.stats.method = impl.finders.name();
    impl.overlaps.run(*impl.workers, impl.proxies, impl.candidates, impl.stats.rebuilt, impl.stats);
  }
  impl.proxies.settle();
}

std::span<const ProxyPair> BroadPhase::pairs() const {
  return impl_->overlaps.pairs();
}
std::span<const StepInterval> BroadPhase::intervals() const {
  return impl_->overlaps.intervals();
}
std::span<const ProxyPair> BroadPhase::began() const {
  return impl_->overlaps.began();
}
std::span<const ProxyPair> BroadPhase::ended() const {
  return impl_->overlaps.ended();
}
const BroadPhaseStats& BroadPhase::stats() const {
  return impl_->stats;
}
std::size_t BroadPhase::size() const {
  return impl_->proxies.count();
}
bool BroadPhase::contains(ProxyId id) const {
  return impl_->proxies.contains(id);
}

ProxyId BroadPhase::id(std::uint32_t index) const {
  require(index < impl_->proxies.size(), ErrorCode::bad_index, "no proxy ever had the index {}", index);
  return {index, impl_->proxies[index].generation};
}

std::uint64_t BroadPhase::value(std::uint32_t index) const {
  require(index < impl_->proxies.size(), ErrorCode::bad_index, "no proxy ever had the index {}", index);
  return impl_->proxies.value(index);
}

AxisBox BroadPhase::box(ProxyId id) const {
  const broad::ProxyRecord& record = impl_->proxies[impl_->at(id)];
  return {{record.min[0], record.min[1], record.min[2]}, {record.max[0], record.max[1], record.max[2]}};
}

std::vector<ProxyId> BroadPhase::overlapping(const AxisBox& box) const {
  broad::check_box(box, [] { return std::string("the box asked for"); });
  std::vector<ProxyId> result;
  broad::find_overlapping(impl_->proxies, impl_->trees(), box, result);
  return result;
}

std::vector<ProxyHit> BroadPhase::ray(const Eigen::Vector3d& origin, const Eigen::Vector3d& direction,
                                      double limit) const {
  std::vector<ProxyHit> hits;
  ray(origin, direction, limit, [&](ProxyId proxy, double t) {
    hits.push_back({proxy, t});
    return limit;
  });
  return hits;
}

void BroadPhase::ray(const Eigen::Vector3d& origin, const Eigen::Vector3d& direction, double limit,
                     const std::function<double(ProxyId, double)>& visit) const {
  require(is_finite(origin) && is_finite(direction), ErrorCode::not_finite, "the {} of the ray is not finite",
          is_finite(origin) ? "direction" : "origin");
  require(!direction.isZero(0), ErrorCode::invalid_argument, "the direction of the ray is zero");
  require(!std::isnan(limit), ErrorCode::not_finite, "the limit of the ray is NaN");
  broad::walk_ray(impl_->proxies, impl_->trees(), {origin, direction, limit}, visit);
}

void BroadPhase::prepare_queries() {
  Impl& impl = *impl_;
  if (impl.trees() != nullptr) return;
  // Proxies that left are looked at one by one until the next update.
  impl.proxies.list(impl.indices);
  std::erase_if(impl.indices,
                [&](std::uint32_t i) { return (impl.proxies.flags()[i] & broad::Proxies::left_flag) != 0; });
  impl.query_trees.build(*impl.workers, impl.proxies, impl.indices);
  impl.prepared = true;
}

}  // namespace carom

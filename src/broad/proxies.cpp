#include "broad/proxies.hpp"

#include <cassert>
#include <cmath>

namespace carom::broad {

namespace {

constexpr std::size_t proxy_grain = 1024;

/// Where the margin is ours to choose: what moves slowly shall stay in its wide box for some steps, but a box larger by
/// more than a part of itself finds too many pairs. What is too fast for that gets none, for it is searched each step.
constexpr double steps_ahead = 8;
constexpr double max_of_size = 0.15;
constexpr double of_size_at_rest = 0.03;

double margin_for(double speed, double size) {
  if (!std::isfinite(size)) return 0;
  const double largest = max_of_size * size;
  if (2 * speed > largest) return 0;
  return std::clamp(steps_ahead * speed, of_size_at_rest * size, largest);
}

struct DopAxis {
  std::size_t first, second;
  double sign;
};
/// dop_axes()[3..8].
constexpr std::array<DopAxis, 6> diagonals{{{0, 1, 1}, {0, 2, 1}, {1, 2, 1}, {0, 1, -1}, {0, 2, -1}, {1, 2, -1}}};

}  // namespace

ProxyId Proxies::add(const AxisBox& box, BoundsKind kind, const MoreBounds* more, const CollisionFilter& filter,
                     std::uint64_t value) {
  std::uint32_t i;
  if (free_.empty()) {
    i = static_cast<std::uint32_t>(records_.size());
    records_.emplace_back();
    value_.emplace_back();
    wide_.emplace_back();
    speed_.emplace_back();
    flags_.emplace_back();
    if (with_dops_) wide_dop_.emplace_back();
    if (!more_.empty()) more_.emplace_back();
  } else {
    i = free_.back();
    free_.pop_back();
  }
  ProxyRecord& record = records_[i];
  ++record.generation;
  record.there = true;
  record.filter = filter;
  ever_filtered_ = ever_filtered_ || filter.group != 1 || (filter.mask & 1) == 0;
  value_[i] = value;
  speed_[i] = 0;
  flags_[i] = 0;
  for (std::size_t k = 0; k < 3; ++k) {
    record.min[k] = box.min[static_cast<Eigen::Index>(k)];
    record.max[k] = box.max[static_cast<Eigen::Index>(k)];
  }
  ++count_;
  search_again(i);
  record.kind = BoundsKind::box;
  if (kind != BoundsKind::box) move(i, box, kind, more);
  return {i, record.generation};
}

void Proxies::touch(std::uint32_t i) {
  mark(i, moved_flag, moved_);
}

void Proxies::search_again(std::uint32_t i) {
  touch(i);
  mark(i, left_flag, left_);
}

/// False if nothing changes.
bool Proxies::write(std::uint32_t i, const AxisBox& box) {
  ProxyRecord& record = records_[i];
  double travel = 0;
  bool same = true;
  const auto set = [&](double& side, double x) {
    const double d = std::abs(x - side);  // NaN from infinity to infinity
    travel = d > travel ? d : travel;
    same = same && x == side;
    side = x;
  };
  for (std::size_t k = 0; k < 3; ++k) {
    set(record.min[k], box.min[static_cast<Eigen::Index>(k)]);
    set(record.max[k], box.max[static_cast<Eigen::Index>(k)]);
  }
  if (same) return false;
  speed_[i] = std::max(0.5F * speed_[i], static_cast<float>(std::min(travel, 1e30)));
  return true;
}

bool Proxies::inside_wide(std::uint32_t i) const {
  const ProxyRecord& record = records_[i];
  const Box& wide = wide_[i];
  bool inside = true;
  for (std::size_t k = 0; k < 3; ++k) {
    inside &= record.min[k] - origin_[k] >= static_cast<double>(wide.min[k]);
    inside &= record.max[k] - origin_[k] <= static_cast<double>(wide.max[k]);
  }
  if (!with_dops_ || record.kind != BoundsKind::dop) return inside;
  for (std::size_t k = 0; k < diagonals.size(); ++k) {
    const double origin = origin_[diagonals[k].first] + diagonals[k].sign * origin_[diagonals[k].second];
    inside &= more_[i][k] - origin >= static_cast<double>(wide_dop_[i][k]);
    inside &= more_[i][k + 6] - origin <= static_cast<double>(wide_dop_[i][k + 6]);
  }
  return inside;
}

void Proxies::move(std::uint32_t i, const AxisBox& box, BoundsKind kind, const MoreBounds* more) {
  ProxyRecord& record = records_[i];
  bool changed = write(i, box);
  // The wide box of another kind says nothing along the other axes.
  const bool other_kind = record.kind != kind;
  record.kind = kind;
  if (more != nullptr) {
    if (more_.empty()) more_.resize(records_.size());
    changed = changed || more_[i] != *more;
    more_[i] = *more;
    ever_swept_ = ever_swept_ || kind == BoundsKind::swept;
  }
  if (other_kind) {
    search_again(i);
  } else if (changed) {
    touch(i);
    if ((flags_[i] & left_flag) == 0 && !inside_wide(i)) mark(i, left_flag, left_);
  }
}

void Proxies::move_boxes(Workers& workers, std::span<const ProxyId> ids, std::span<const AxisBox> boxes) {
  // An id that comes twice would be written by two threads at once; the order in which it is moved would matter, too.
  const auto not_ascending = [](ProxyId a, ProxyId b) { return a.index >= b.index; };
  if (workers.threads() == 1 || std::adjacent_find(ids.begin(), ids.end(), not_ascending) != ids.end()) {
    for (std::size_t j = 0; j < ids.size(); ++j) move(ids[j].index, boxes[j], BoundsKind::box, nullptr);
    return;
  }
  constexpr std::uint8_t now_moved = 0x10;
  constexpr std::uint8_t now_left = 0x20;
  parallel_for(workers, ids.size(), proxy_grain, [&](std::size_t j) {
    const std::uint32_t i = ids[j].index;
    const bool other_kind = records_[i].kind != BoundsKind::box;
    records_[i].kind = BoundsKind::box;
    if (!write(i, boxes[j]) && !other_kind) return;
    flags_[i] |= now_moved;
    if (other_kind || !inside_wide(i)) flags_[i] |= now_left;
  });
  for (const ProxyId id : ids) {
    const std::uint8_t now = flags_[id.index];
    flags_[id.index] &= static_cast<std::uint8_t>(~(now_moved | now_left));
    if ((now & now_moved) != 0) touch(id.index);
    if ((now & now_left) != 0) mark(id.index, left_flag, left_);
  }
}

void Proxies::remove(std::uint32_t i) {
  search_again(i);
  records_[i].there = false;
  removed_.push_back(i);
  --count_;
}

void Proxies::set_filter(std::uint32_t i, const CollisionFilter& filter) {
  records_[i].filter = filter;
  ever_filtered_ = true;
  search_again(i);
  flags_[i] |= refiltered_flag;
}

void Proxies::enlarge(std::uint32_t i) {
  const ProxyRecord& record = records_[i];
  double size = 0;
  for (std::size_t k = 0; k < 3; ++k) size = std::max(size, record.max[k] - record.min[k]);
  const double margin = margin_ >= 0 ? margin_ : margin_for(static_cast<double>(speed_[i]), size);
  for (std::size_t k = 0; k < 3; ++k) {
    wide_[i].min[k] = round_down((record.min[k] - origin_[k]) - margin);
    wide_[i].max[k] = round_up((record.max[k] - origin_[k]) + margin);
  }
  if (!with_dops_) return;
  WideDop& dop = wide_dop_[i];
  for (std::size_t k = 0; k < diagonals.size(); ++k) {
    if (record.kind != BoundsKind::dop) {
      dop[k] = -INFINITY;
      dop[k + 6] = INFINITY;
      continue;
    }
    const double origin = origin_[diagonals[k].first] + diagonals[k].sign * origin_[diagonals[k].second];
    dop[k] = round_down((more_[i][k] - origin) - 2 * margin);
    dop[k + 6] = round_up((more_[i][k + 6] - origin) + 2 * margin);
  }
}

/// Near where most are, so that floats have digits to spare. Any point would do.
void Proxies::choose_origin() {
  std::array<double, 3> sum{};
  double n = 0;
  const std::size_t step = records_.size() / 256 + 1;
  for (std::size_t i = 0; i < records_.size(); i += step) {
    const ProxyRecord& r = records_[i];
    std::array<double, 3> center{};
    bool fine = r.there;
    for (std::size_t k = 0; k < 3; ++k) {
      center[k] = 0.5 * r.min[k] + 0.5 * r.max[k];
      fine = fine && std::abs(center[k]) < 1e300;
    }
    if (!fine) continue;
    ++n;
    for (std::size_t k = 0; k < 3; ++k) sum[k] += (center[k] - sum[k]) / n;
  }
  origin_ = sum;
}

void Proxies::enlarge_left(Workers& workers) {
  parallel_for(workers, left_.size(), proxy_grain, [&](std::size_t j) {
    if (records_[left_[j]].there) enlarge(left_[j]);
  });
}

void Proxies::enlarge_all(Workers& workers) {
  choose_origin();
  parallel_for(workers, records_.size(), proxy_grain, [&](std::size_t i) {
    if (records_[i].there) enlarge(static_cast<std::uint32_t>(i));
  });
}

void Proxies::settle() {
  for (const std::uint32_t i : moved_) flags_[i] = 0;
  moved_.clear();
  left_.clear();
  for (const std::uint32_t i : free_soon_) {
    if (records_[i].generation != 0xffffffffU) free_.push_back(i);  // else its ids would come round again
  }
  free_soon_.clear();
  std::swap(free_soon_, removed_);
}

void Proxies::list(std::vector<std::uint32_t>& indices) const {
  indices.clear();
  for (std::size_t i = 0; i < records_.size(); ++i) {
    if (records_[i].there) indices.push_back(static_cast<std::uint32_t>(i));
  }
}

}  // namespace carom::broad

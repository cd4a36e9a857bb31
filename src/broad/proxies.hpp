#pragma once

#include <span>
#include <vector>

#include "bounds/box.hpp"
#include "carom/detect/broad_phase.hpp"
#include "core/parallel.hpp"

namespace carom::broad {

enum class BoundsKind : std::uint8_t { box, dop, swept };

/// Data of a proxy that each pair asks for, in one cache line.
struct alignas(64) ProxyRecord {
  std::array<double, 3> min{}, max{};
  CollisionFilter filter;
  std::uint32_t generation = 0;
  BoundsKind kind = BoundsKind::box;
  bool there = false;
};

/// The six axes of an 18-DOP beyond those of a box (low ends, high ends), or the box at the start and at the end of a
/// step (min, max, min, max).
using MoreBounds = std::array<double, 12>;

/// Six axes of an 18-DOP besides those of its box, enlarged and rounded outward; infinite where there is no 18-DOP.
using WideDop = std::array<float, 12>;

/// All proxies by index, and what changed since the last update.
///
/// Each has an enlarged box ("wide"), in single precision and relative to a common origin. What counts is that x ->
/// round(x - origin) keeps the order of any two numbers: if the box of each of two is inside its wide box after it, and
/// the boxes overlap, the wide boxes do.
class Proxies {
 public:
  static constexpr std::uint8_t moved_flag = 1;       ///< its bounds changed
  static constexpr std::uint8_t left_flag = 2;        ///< it needs a new wide box, or is gone
  static constexpr std::uint8_t refiltered_flag = 4;  ///< pairs that its filter kept apart may have to be found

  Proxies(double margin, bool with_dops) : margin_(margin), with_dops_(with_dops) {}

  ProxyId add(const AxisBox& box, BoundsKind kind, const MoreBounds* more, const CollisionFilter& filter,
              std::uint64_t value);
  void move(std::uint32_t i, const AxisBox& box, BoundsKind kind, const MoreBounds* more);
  /// Boxes for proxies that were boxes before; many at a time.
  void move_boxes(Workers& workers, std::span<const ProxyId> ids, std::span<const AxisBox> boxes);
  void remove(std::uint32_t i);
  /// Marks a proxy as if its bounds had changed.
  void touch(std::uint32_t i);
  /// Marks a proxy as if it had left its wide box.
  void search_again(std::uint32_t i);
  void set_filter(std::uint32_t i, const CollisionFilter& filter);

  bool contains(ProxyId id) const {
    return id.index < records_.size() && records_[id.index].there && records_[id.index].generation == id.generation;
  }
  std::size_t size() const { return records_.size(); }  ///< of the lists by index
  std::size_t count() const { return count_; }          ///< of proxies there are
  bool ever_swept() const { return ever_swept_; }
  bool ever_filtered() const { return ever_filtered_; }

  const ProxyRecord& operator[](std::uint32_t i) const { return records_[i]; }
  void prefetch(std::uint32_t i) const { __builtin_prefetch(records_.data() + i); }
  const MoreBounds& more(std::uint32_t i) const { return more_[i]; }
  std::uint64_t value(std::uint32_t i) const { return value_[i]; }
  std::span<const Box> wide() const { return wide_; }
  std::span<const WideDop> wide_dops() const { return wide_dop_; }
  std::span<const std::uint8_t> flags() const { return flags_; }

  std::span<const std::uint32_t> moved() const { return moved_; }
  /// Proxies that left their wide boxes, removed ones too.
  std::span<const std::uint32_t> left() const { return left_; }

  /// Wide boxes again for those that left, or for all.
  void enlarge_left(Workers& workers);
  void enlarge_all(Workers& workers);
  /// Forgets what changed; indices of those removed before the last call are free again.
  void settle();
  /// Lists the proxies that exist, ascending.
  void list(std::vector<std::uint32_t>& indices) const;
  /// x - origin, as it is compared with wide boxes.
  const std::array<double, 3>& origin() const { return origin_; }

 private:
  bool write(std::uint32_t i, const AxisBox& box);
  bool inside_wide(std::uint32_t i) const;
  void enlarge(std::uint32_t i);
  void choose_origin();
  void mark(std::uint32_t i, std::uint8_t flag, std::vector<std::uint32_t>& list) {
    if ((flags_[i] & flag) == 0) list.push_back(i);
    flags_[i] |= flag;
  }

  double margin_;
  bool with_dops_;
  bool ever_swept_ = false;
  bool ever_filtered_ = false;
  std::size_t count_ = 0;
  std::array<double, 3> origin_{};
  std::vector<ProxyRecord> records_;
  std::vector<MoreBounds> more_;  // empty until there is something to keep
  std::vector<std::uint64_t> value_;
  std::vector<Box> wide_;
  std::vector<WideDop> wide_dop_;  // empty if not asked for
  std::vector<float> speed_;       // the largest way of a face in a move, lately
  std::vector<std::uint8_t> flags_;
  std::vector<std::uint32_t> moved_, left_;
  std::vector<std::uint32_t> removed_, free_soon_, free_;
};

}  // namespace carom::broad

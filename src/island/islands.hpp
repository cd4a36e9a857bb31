#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "bodies/rigid.hpp"
#include "contact/pair_table.hpp"

/// Islands: bodies that touch each other, directly or over others that contacts can move.
namespace carom::island {

/// Two bodies that touch.
struct Touch {
  BodySlot a{};
  BodySlot b{};
};

/// Whether contacts can move a body in this step.
inline bool movable(const rigid::Bodies& bodies, BodySlot body) {
  const BodySlot i = body;
  return bodies.asleep[i] == 0 && (bodies.mass[i].inverse > 0 || bodies.info[i].deforms);
}

struct Island {
  std::size_t begin = 0;  ///< first of its bodies among the members
  std::size_t end = 0;
  bool held = false;     ///< it touches a body that cannot be moved, or one of its bodies has locked axes or pins
  bool deforms = false;  ///< one of its bodies deforms
};

/// All islands of a step: built once, after the contacts are known, and joined where the continuous stage finds more
/// bodies that meet. A body that nothing touches is in no island.
class Islands {
 public:
  /// `pairs` are those of shapes, `anchors` the bodies of contacts between anchors.
  void build(const rigid::Bodies& bodies, std::span<const contact::ActivePair> pairs, std::span<const Touch> anchors);
  /// Joins islands whose bodies stopped each other.
  void join(const rigid::Bodies& bodies, std::span<const Touch> stops);

  /// Body with the lowest number of the island of a body; the body itself where it is in none.
  BodySlot root(BodySlot body) const { return root_[body]; }
  /// Ascending by root.
  std::span<const Island> islands() const { return islands_; }
  /// Bodies of an island, ascending.
  std::span<const BodySlot> members(const Island& island) const {
    return std::span(members_).subspan(island.begin, island.end - island.begin);
  }

 private:
  BodySlot find(BodySlot body);
  void touch(const rigid::Bodies& bodies, BodySlot a, BodySlot b);
  void list(const rigid::Bodies& bodies);

  BySlot<BodySlot> root_;  ///< parent while sets are joined, then the root
  BySlot<std::uint8_t> touched_;
  BySlot<std::uint8_t> held_;
  std::vector<BodySlot> members_;
  std::vector<Island> islands_;
  BySlot<std::uint32_t> island_of_;  ///< index of an island, at its root
};

}  // namespace carom::island

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
  std::int32_t a = 0;
  std::int32_t b = 0;
};

/// Whether contacts can move a body in this step.
inline bool movable(const rigid::Bodies& bodies, std::int32_t body) {
  const auto i = static_cast<std::size_t>(body);
  return bodies.asleep[i] == 0 && (bodies.mass[i].inverse > 0 || bodies.info[i].deforms);
}

struct Island {
  std::size_t begin = 0;  ///< of its bodies among the members
  std::size_t end = 0;
  bool held = false;     ///< it touches a body that cannot be moved, or one of its bodies has locked axes or pins
  bool deforms = false;  ///< one of its bodies does
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
  std::int32_t root(std::int32_t body) const { return root_[static_cast<std::size_t>(body)]; }
  /// Ascending by root.
  std::span<const Island> islands() const { return islands_; }
  /// Bodies of an island, ascending.
  std::span<const std::int32_t> members(const Island& island) const {
    return std::span(members_).subspan(island.begin, island.end - island.begin);
  }

 private:
  std::int32_t find(std::int32_t body);
  void touch(const rigid::Bodies& bodies, std::int32_t a, std::int32_t b);
  void list(const rigid::Bodies& bodies);

  std::vector<std::int32_t> root_;     ///< of each body: the parent while sets are joined, then the root
  std::vector<std::uint8_t> touched_;  ///< of each body
  std::vector<std::uint8_t> held_;     ///< of each body
  std::vector<std::int32_t> members_;
  std::vector<Island> islands_;
  std::vector<std::int32_t> island_of_;  ///< of each root
};

}  // namespace carom::island

#pragma once

#include <cstdint>
#include <functional>
#include <optional>
#include <string>

#include "carom/body/motion_model.hpp"

namespace carom::oracle {

/// What stories of blades may be, beside what the bytes choose.
struct BladeStoryOptions {
  int max_steps = 10;  ///< of the world
  /// Threads of the world whose bits are compared, besides another method of detection.
  int other_threads = 1;
  /// Blades are edges of free rigid plates that collide with what they cut, which has a fracture energy in most
  /// stories; otherwise they go as they want and collide with nothing.
  bool rigid_blades = false;
  bool at_touch = false;  ///< rigid blades cut without a fracture energy
  /// What is cut is a plain surface of this motion, in place of a soft body or cloth.
  std::optional<MotionModel> surface{};
};

/// Bytes tell a story: a soft body or a sheet, its size, one to three blades that go anywhere at any speed, and the
/// length of a step. After each step what must hold of cuts is checked by means that share nothing with the code that
/// cuts. A story is what the bytes say, so one that fails can be told again.
///
/// Checked are: surfaces closed (cloth: with a border), manifold, oriented, of triangles that have an area and do not
/// intersect; each body in one part, by a flood fill over its surface; mass, momentum, volume at rest, and energy with
/// that of the blades, which rises by nothing: a blade that touches nothing does no work, and a free one has no other
/// source (that of hanging cloth by little). Area of surfaces that do not deform by themselves; and that a world made
/// from a snapshot, which has detected nothing before and does so by another method, does the same step bit for bit.
class BladeStory {
 public:
  /// `next`: the bytes, zeros when they have run out.
  explicit BladeStory(std::function<std::uint8_t()> next, const BladeStoryOptions& options = {})
      : next_(std::move(next)), options_(options) {}

  /// What does not hold, with the step; empty if nothing is wrong.
  std::string run();
  /// Links and edges that were cut, and pieces that came off.
  std::size_t crossed() const { return crossed_; }
  std::size_t pieces() const { return pieces_; }
  /// Largest rise of the energy over that at the beginning, J/kg.
  double rise() const { return rise_; }

 private:
  std::function<std::uint8_t()> next_;
  BladeStoryOptions options_;
  std::size_t crossed_ = 0;
  std::size_t pieces_ = 0;
  double rise_ = 0;
};

}  // namespace carom::oracle

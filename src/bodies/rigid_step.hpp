#pragma once

#include <cstdint>
#include <vector>

#include "bodies/free_motion.hpp"
#include "bodies/poses.hpp"
#include "bodies/travel.hpp"
#include "carom/core/stats.hpp"
#include "core/context.hpp"

/// The motion of rigid bodies through a step, from the prediction to the commit.
namespace carom::rigid {

/// Motion of the bodies within a step: working memory.
struct StepMotion {
  Poses poses;
  BySlot<Free> free;                   ///< motion if nothing touches the body
  BySlot<std::uint8_t> predicted;      ///< 1: `free` was made at the beginning of the step, as the body was awake
  BySlot<Motion> next;                 ///< motion at the end of the step; after commit(), at its beginning
  BySlot<std::uint8_t> solved;         ///< 1: `next` is from the response
  std::vector<BodySlot> out_of_range;  ///< first body of each chunk that left the range of numbers
};

/// Stage `predict`: motions that nothing touches, of bodies that are awake. Also brings `travel` up to date.
void predict(Context& context, const Bodies& bodies, const Vec3& gravity, double dt, StepMotion& motion, Travel& travel,
             StageStats& stats);
/// Predictions of bodies that a contact has woken in this step.
void predict_woken(const Bodies& bodies, const Vec3& gravity, double dt, StepMotion& motion);
/// Bodies without contacts go where they were predicted. Throws Error(unstable) that names a body that left the range
/// of numbers; then nothing has changed but impulses that are remembered.
void advance(Context& context, const Bodies& bodies, double dt, StepMotion& motion, StageStats& stats);
/// Stage `commit`: the next motions become the present ones, and forces are used up.
void commit(Context& context, Bodies& bodies, StepMotion& motion, StageStats& stats);

}  // namespace carom::rigid

#pragma once

#include <array>

#include "bodies/rigid.hpp"
#include "kernels/free_spin.hpp"

/// How rigid bodies move where nothing touches them.
namespace carom::rigid {

/// How a body goes through one step if nothing touches it.
struct Free {
  Vec3 v;              ///< m/s at the end
  Vec3 momentum;       ///< kg m^2/s, angular, about the centre, at the end
  Vec3 w;              ///< rad/s at the end
  Quat q;              ///< at the end
  bool spins = false;  ///< w changes by itself over the step: q and w are not those of a plain turn
};

/// Motion at the end of a step of dt (s) without contacts; exact where the force is constant.
inline Motion predicted(const Motion& from, const Free& free, double dt) {
  return {from.x + 0.5 * dt * (from.v + free.v), free.q, free.v, free.w};
}

/// Attitude and spin of a body at the end of a free turn.
struct Turned {
  Quat q;
  Vec3 w;  ///< rad/s
};

/// Forces, gravity and damping first, for the whole step, then the turn. The angular momentum is kept to rounding, for
/// it is what is carried on, and the spin follows from it and from where the body has turned to. Where the turn is
/// small it is one turn, of the fourth order (Magnus), and what it does to the energy is given back. Where that is not
/// good enough, as the turn is large or the body slender, it is the closed form of torque_free_rotation(). So energy
/// and momentum are kept whatever the spin, the inertia and the step. `r` is the matrix of motion.q.
///
/// Locked axes are axes of the world, held by whatever torque or force it takes. The momentum is then that about the
/// free axes only, zero about the others, and it is kept as well as the energy.
Free free_motion(const Motion& motion, const Mat3& r, const Mass& mass, const Info& info, const Vec3& gravity,
                 const Vec3& force, const Vec3& torque, double dt);

/// Where a body gets to in dt, and its spin there, if its angular momentum about the free axes of the world is this
/// throughout.
Turned turn_freely(const Quat& q, const Vec3& momentum, const Mass& mass, const Info& info, double dt);

/// rad/s; spin of a body whose attitude is the matrix r, with this angular momentum. Zero about locked axes.
Vec3 spin_of(const Mat3& r, const Vec3& momentum, const Mass& mass, const Info& info);

/// rad/s; the same at the attitude q, made slower where its energy would be more than this (J).
Vec3 spin_within(const Quat& q, const Vec3& momentum, const Mass& mass, const Info& info, double energy);

/// Turns a body out of another one, without a velocity. Its spin turns along, so that its energy stays; about axes of
/// the world that are locked it cannot, and there the momentum stays if the energy does not grow by that.
void turn_without_velocity(const Quat& turn, const Mass& mass, const Info& info, Quat& q, Vec3& w);

/// As free_motion(), to the bit, of many bodies: those that spin freely and not too fast are done in vectors.
class FreeMotions {
 public:
  FreeMotions(const Vec3& gravity, double dt) : gravity_(gravity), dt_(dt) {}

  struct Body {
    BodySlot number{};
    const Motion* motion = nullptr;
    const Mat3* r = nullptr;
    const Mass* mass = nullptr;
    const Info* info = nullptr;
    Vec3 force;
    Vec3 torque;
  };
  /// `done` is called with the number of a body and its motion, now or when some others were added.
  template <class Done>
  void add(const Body& body, const Done& done) {
    if (body.mass->inverse == 0 || body.mass->round || body.mass->turn_locked) return done(body.number, alone(body));
    take(body);
    if (count_ == kernels::spin_lanes) finish(done);
  }
  /// Of those that are left.
  template <class Done>
  void finish(const Done& done) {
    if (count_ == 0) return;
    kernels::free_spin(rows_, dt_);
    for (std::size_t lane = 0; lane < count_; ++lane) done(bodies_[lane].number, outcome(lane));
    count_ = 0;
  }

 private:
  Free alone(const Body& body) const {
    return free_motion(*body.motion, *body.r, *body.mass, *body.info, gravity_, body.force, body.torque, dt_);
  }
  void take(const Body& body);
  Free outcome(std::size_t lane) const;

  Vec3 gravity_;
  double dt_;
  std::array<Body, kernels::spin_lanes> bodies_;
  std::size_t count_ = 0;
  kernels::SpinRows rows_{};
};

}  // namespace carom::rigid

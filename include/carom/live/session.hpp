#pragma once

#include <cstdint>
#include <memory>
#include <string>
#include <vector>

#include "carom/io/scene.hpp"
#include "carom/live/input.hpp"

namespace carom {

/// A hand that holds a body.
struct LiveHand {
  int hand = 0;
  std::string body{};
  Eigen::Vector3d point{0, 0, 0};   ///< m, of the body, that is held
  Eigen::Vector3d target{0, 0, 0};  ///< m
  double force = 0;                 ///< N, of the last step; of scripted bodies 0
};

/// A scene that runs under input. It depends on the scene, the inputs and the steps in which they acted, and on nothing
/// else: a replay has the same bits.
class LiveSession {
 public:
  explicit LiveSession(Scene scene);
  ~LiveSession();
  LiveSession(LiveSession&&) noexcept;
  LiveSession& operator=(LiveSession&&) noexcept;

  /// Acts from the next step on. Throws Error that names what is wrong with it; nothing has changed then.
  void apply(const LiveInput& input);
  /// Throws what World::step throws.
  void step();

  /// The same object for as long as the session lives, also over a reset.
  const World& world() const;
  const Scene& scene() const;
  std::uint64_t steps() const;   ///< since the session began, over all resets
  std::uint64_t resets() const;  ///< how often the scene was begun again
  std::vector<LiveHand> hands() const;
  double stiffness() const;  ///< factor, of the last StiffnessInput

 private:
  struct Impl;
  std::unique_ptr<Impl> impl_;
};

/// Session in which the inputs of a record act at their steps.
class InputReplay {
 public:
  /// Throws Error if the record is of another scene.
  InputReplay(Scene scene, InputRecord record);

  /// One step, and the inputs that come after it. Throws Error that names the line's step if one is refused.
  void step();
  LiveSession& session() { return session_; }
  const LiveSession& session() const { return session_; }
  const InputRecord& record() const { return record_; }
  /// Whether all steps of the record are done.
  bool ended() const { return session_.steps() >= record_.steps; }
  /// Whether the state is that with which the record ended.
  bool same_end() const;

 private:
  void apply_due();

  LiveSession session_;
  InputRecord record_;
  std::size_t next_ = 0;
};

}  // namespace carom

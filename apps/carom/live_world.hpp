#pragma once

#include <cstdint>
#include <memory>
#include <string>
#include <string_view>

#include "commands.hpp"

namespace carom::app {

/// A world that runs in a thread of its own at a fixed rate, under input from pages. Nothing that a page does or leaves
/// undone delays a step: input waits for the next step, and pictures are copied out only for who asks for one.
class LiveWorld {
 public:
  /// Throws Error that names what is wrong with the options.
  explicit LiveWorld(const LiveOptions& options);
  ~LiveWorld();
  LiveWorld(const LiveWorld&) = delete;
  LiveWorld& operator=(const LiveWorld&) = delete;

  const std::string& scene_name() const;
  /// Steps until it is stopped, or until the steps that were asked for are done. To be called once.
  void start();
  /// Waits for the end; false if it has not come after so many seconds.
  bool wait_for_end(double seconds);

  /// The picture after the one with the number `after`, for a page that holds the key frame `key` (docs/formats.md,
  /// "Live pictures"). Waits for it, but no longer than half a second; null if there is none by then.
  std::shared_ptr<const std::string> picture(std::uint64_t key, std::uint64_t after);
  /// A message of a page, as JSON; returns the answer, as JSON. What is wrong is named in it and ignored.
  std::string message(std::string_view json);
  /// The record of input until now.
  std::string record() const;

  /// Ends the run after the step that is under way, and the record with it; no longer than `seconds`, after which the
  /// record has no end. Returns what happened, for people.
  std::string stop(double seconds);

 private:
  class Impl;
  std::unique_ptr<Impl> impl_;
};

}  // namespace carom::app

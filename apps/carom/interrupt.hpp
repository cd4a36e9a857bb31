#pragma once

#include <filesystem>
#include <functional>
#include <string>

namespace carom::app {

/// From here on Ctrl-C, SIGTERM and SIGHUP set a flag that loops ask for. A command that is still running half a
/// second later is ended in its place: temporary files are removed, OnInterrupt is called, and the process exits with
/// 128 + signal. A second signal ends it at once. To be called before any other thread is started, as all threads
/// have to leave these signals to the one that waits for them.
void watch_for_interrupts();

bool interrupted_by_user();
/// As a shell reports a program that a signal ended: 130 for Ctrl-C.
int interrupted_exit_code();

/// The command has seen the interrupt and is writing what it has: it gets ten seconds for that.
void end_by_itself();

/// The stage of the work, such as "check: 3/10  2 found", for the message of a command that is ended in its place.
void set_stage_of_work(std::string stage);

/// A folder with temporary files of this process, `temporary_prefix()` and then anything: a signal removes them.
void remove_temporary_files_in(const std::filesystem::path& folder);
std::string temporary_prefix();

/// Writing that an interrupt leaves the time to finish (ten seconds), such as that of a frame or a page.
class Uninterrupted {
 public:
  Uninterrupted();
  ~Uninterrupted();
  Uninterrupted(const Uninterrupted&) = delete;
  Uninterrupted& operator=(const Uninterrupted&) = delete;
};

/// The end of a command that does not end by itself; returns the exit code. Called by another thread, never while an
/// Uninterrupted lives. The command then waits where it would make the next Uninterrupted, until the process ends.
class OnInterrupt {
 public:
  enum class Wait { half_a_second, no };
  explicit OnInterrupt(std::function<int()> end, Wait wait = Wait::half_a_second);
  ~OnInterrupt();
  OnInterrupt(const OnInterrupt&) = delete;
  OnInterrupt& operator=(const OnInterrupt&) = delete;
};

}  // namespace carom::app

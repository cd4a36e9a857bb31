#pragma once

#include <cstdio>
#include <filesystem>
#include <string>
#include <string_view>

namespace carom::app {

/// Contents of a file that the program writes. An existing file that begins like another kind is not overwritten.
enum class OutputKind { recording, replay, json, html, contacts, input };

/// Throws Error that names the option and the file if the path is a file of another kind, or for a recording has the
/// name of another kind. Empty files, devices and pipes may be written whatever they are called.
void refuse_other_kind(const char* option, const std::filesystem::path& path, OutputKind kind);

/// Standard output cannot be written; main tells why.
struct LostStdout {};

/// A file that is there whole or not at all: written under a temporary name beside its place and
/// renamed by finish(). Made at the start of a command, so that a wrong path is told before the
/// work and not after it. "-" is standard output; an empty path writes nothing.
class Output {
 public:
  /// `option` is named in errors.
  Output(const char* option, const std::string& path, OutputKind kind);
  ~Output();
  Output(const Output&) = delete;
  Output& operator=(const Output&) = delete;

  bool wanted() const { return !path_.empty(); }
  bool to_stdout() const { return path_ == "-"; }
  /// Throws Error that names the file, and LostStdout.
  void write(std::string_view text);
  void finish();

 private:
  [[noreturn]] void fail_with_errno(const char* what) const;

  std::filesystem::path path_;
  std::filesystem::path target_;     ///< path_ with its links followed
  std::filesystem::path temporary_;  ///< empty for what is written in place
  std::FILE* file_ = nullptr;
};

}  // namespace carom::app

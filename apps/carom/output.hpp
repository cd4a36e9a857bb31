#pragma once

#include <cstdio>
#include <filesystem>
#include <string>
#include <string_view>

namespace carom::app {

/// A file that is there whole or not at all: written under a temporary name beside its place and
/// renamed by finish(). Made at the start of a command, so that a wrong path is told before the
/// work and not after it. "-" is standard output; an empty path writes nothing.
class Output {
 public:
  explicit Output(const std::string& path);
  ~Output();
  Output(const Output&) = delete;
  Output& operator=(const Output&) = delete;

  bool wanted() const { return !path_.empty(); }
  bool to_stdout() const { return path_ == "-"; }
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

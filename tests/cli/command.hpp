#pragma once

#include <gtest/gtest.h>

#include <filesystem>
#include <string>
#include <vector>

/// Calling the program as a user does.
namespace carom::cli {

struct Result {
  int exit_code = -1;
  std::string out;
  std::string err;
};

Result call(const std::vector<std::string>& arguments);

/// The same with a standard output that nobody reads, as behind `head` when that has ended.
Result call_into_closed_pipe(const std::vector<std::string>& arguments);

/// A process that is still running.
class Running {
 public:
  /// Standard error goes to the file, if one is named.
  explicit Running(const std::vector<std::string>& arguments, const std::string& err = "/dev/null");
  ~Running();
  Running(const Running&) = delete;
  Running& operator=(const Running&) = delete;

  /// Waits for a line on standard output.
  std::string read_line();
  /// Waits until the program watches for signals: until then a signal ends it by the rules of the system.
  void wait_for_watch();
  void send(int signal);
  int wait();

 private:
  int pid_ = -1;
  int out_ = -1;
};

/// A folder that is gone when the test is.
class Folder {
 public:
  Folder();
  ~Folder();
  Folder(const Folder&) = delete;
  Folder& operator=(const Folder&) = delete;

  std::string operator/(const std::string& name) const { return (path_ / name).string(); }
  const std::filesystem::path& path() const { return path_; }

 private:
  std::filesystem::path path_;
};

/// The whole answer, headers and body, of a server on this machine; `host` is what the request says it is for.
std::string http_get(int port, const std::string& path, const std::string& host = "localhost");
/// A connection to a server on this machine, to be closed by the caller.
int connect_to(int port);

std::string read_text(const std::string& path);
void write_text(const std::string& path, const std::string& text);

/// Two tetrahedra that drift through each other, and a third object that touches nothing.
void write_small_replay(const std::string& path);

/// Shows the text if the part is not in it.
testing::AssertionResult contains(const std::string& text, const std::string& part);

}  // namespace carom::cli

#include "output.hpp"

#include <unistd.h>

#include <cerrno>
#include <cstring>

#include "core/check.hpp"

namespace carom::app {

Output::Output(const std::string& path) : path_(path) {
  if (path.empty()) return;
  if (path == "-") {
    file_ = stdout;
    return;
  }
  require(!std::filesystem::is_directory(path_), ErrorCode::io, "{}: is a folder; expected the name of a file", path);
  temporary_ = path_;
  temporary_ += fmt::format(".{}.part", getpid());
  file_ = std::fopen(temporary_.c_str(), "wb");
  if (file_ == nullptr) fail_with_errno("cannot be written");
}

Output::~Output() {
  if (file_ == nullptr || file_ == stdout) return;
  std::fclose(file_);
  std::error_code ignored;
  std::filesystem::remove(temporary_, ignored);
}

void Output::write(std::string_view text) {
  if (file_ != nullptr && std::fwrite(text.data(), 1, text.size(), file_) != text.size()) {
    fail_with_errno("cannot be written");
  }
}

void Output::finish() {
  if (file_ == nullptr) return;
  if (std::fflush(file_) != 0) fail_with_errno("cannot be written");
  if (file_ == stdout) return;
  const int closed = std::fclose(file_);
  file_ = nullptr;
  if (closed != 0) fail_with_errno("cannot be written");
  std::error_code error;
  std::filesystem::rename(temporary_, path_, error);
  require(!error, ErrorCode::io, "{}: cannot be written: {}", path_.string(), error.message());
}

void Output::fail_with_errno(const char* what) const {
  fail(ErrorCode::io, "{}: {}: {}", path_ == "-" ? "standard output" : path_.string(), what, std::strerror(errno));
}

}  // namespace carom::app

#include "output.hpp"

#include <unistd.h>

#include <cerrno>
#include <cstring>

#include "core/check.hpp"

namespace carom::app {

namespace {
int opened = 0;  // tells the temporary names of one process apart
}

Output::Output(const std::string& path) : path_(path) {
  if (path.empty()) return;
  if (path == "-") {
    file_ = stdout;
    return;
  }
  require(!std::filesystem::is_directory(path_), ErrorCode::io, "{}: is a folder; expected the name of a file", path);
  // A pipe or a device is written as it is; a link is followed, so that it stays one.
  std::error_code error;
  const std::filesystem::file_status status = std::filesystem::status(path_, error);
  if (std::filesystem::exists(status) && !std::filesystem::is_regular_file(status)) {
    file_ = std::fopen(path_.c_str(), "wb");
  } else {
    const std::filesystem::path place = std::filesystem::weakly_canonical(path_, error);
    temporary_ = (error ? path_ : place).parent_path() / fmt::format(".carom-{}-{}.part", getpid(), ++opened);
    target_ = error ? path_ : place;
    file_ = std::fopen(temporary_.c_str(), "wb");
  }
  if (file_ == nullptr) fail_with_errno("cannot be written");
}

Output::~Output() {
  if (file_ == nullptr || file_ == stdout) return;
  std::fclose(file_);
  if (temporary_.empty()) return;
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
  if (temporary_.empty()) return;
  std::error_code error;
  std::filesystem::rename(temporary_, target_, error);
  require(!error, ErrorCode::io, "{}: cannot be written: {}", path_.string(), error.message());
}

void Output::fail_with_errno(const char* what) const {
  fail(ErrorCode::io, "{}: {}: {}", path_ == "-" ? "standard output" : path_.string(), what, std::strerror(errno));
}

}  // namespace carom::app

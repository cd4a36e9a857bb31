#include "output.hpp"

#include <algorithm>
#include <cctype>
#include <cerrno>
#include <cstring>
#include <fstream>

#include "core/check.hpp"
#include "interrupt.hpp"
#include "io/recording/chunk.hpp"
#include "io/recording/replay_format.hpp"
#include "say.hpp"

namespace carom::app {

namespace {

int opened = 0;  // tells the temporary names of one process apart

const char* name_of(OutputKind kind) {
  switch (kind) {
    case OutputKind::recording:
      return "a recording";
    case OutputKind::replay:
      return "a replay";
    case OutputKind::json:
      return "JSON";
    case OutputKind::html:
      return "an HTML page";
    case OutputKind::contacts:
      return "a table of contacts";
    case OutputKind::input:
      return "a record of input";
  }
  return "";
}

/// The first bytes of a file, without leading blanks and a byte-order mark, in lower case.
std::string first_text(const std::string& bytes) {
  std::size_t begin = bytes.starts_with("\xef\xbb\xbf") ? 3 : 0;
  while (begin < bytes.size() && std::isspace(static_cast<unsigned char>(bytes[begin])) != 0) ++begin;
  std::string text = bytes.substr(begin);
  std::transform(text.begin(), text.end(), text.begin(),
                 [](unsigned char c) { return static_cast<char>(std::tolower(c)); });
  return text;
}

bool begins_like(const std::string& bytes, OutputKind kind) {
  const std::string text = first_text(bytes);
  switch (kind) {
    case OutputKind::recording:
      return bytes.starts_with(io::recording_magic);
    case OutputKind::replay:
      return bytes.starts_with(io::replay_magic_text);
    case OutputKind::json:
      return text.starts_with('{') || text.starts_with('[');
    case OutputKind::html:
      return text.starts_with("<!doctype html") || text.starts_with("<html") || text.starts_with("<!--");
    case OutputKind::contacts:
      return text.starts_with("frame,");
    case OutputKind::input:
      return text.starts_with("{\"carom_input\"");
  }
  return false;
}

}  // namespace

void refuse_other_kind(const char* option, const std::filesystem::path& path, OutputKind kind) {
  if (path.empty() || path == "-") return;
  std::error_code error;
  const std::filesystem::file_status status = std::filesystem::status(path, error);
  if (std::filesystem::exists(status) && !std::filesystem::is_regular_file(status)) return;
  std::string bytes(512, '\0');
  std::ifstream file(path, std::ios::binary);
  bytes.resize(static_cast<std::size_t>(file.read(bytes.data(), static_cast<std::streamsize>(bytes.size())).gcount()));
  require(bytes.empty() || begins_like(bytes, kind), ErrorCode::invalid_argument,
          "{} {}: this file exists and is not {}; remove it first, or choose another name", option, path.string(),
          name_of(kind));
  require(kind != OutputKind::recording || !bytes.empty() || path.extension() == ".carom", ErrorCode::invalid_argument,
          "{} {}: expected a name that ends in .carom (a recording) or .replay (a replay)", option, path.string());
}

Output::Output(const char* option, const std::string& path, OutputKind kind) : path_(path) {
  if (path.empty()) return;
  if (path == "-") {
    file_ = stdout;
    return;
  }
  require(!std::filesystem::is_directory(path_), ErrorCode::io, "{}: is a folder; expected the name of a file", path);
  refuse_other_kind(option, path_, kind);
  // A pipe or a device is written as it is; a link is followed, so that it stays one.
  std::error_code error;
  const std::filesystem::file_status status = std::filesystem::status(path_, error);
  if (std::filesystem::exists(status) && !std::filesystem::is_regular_file(status)) {
    file_ = std::fopen(path_.c_str(), "wb");
  } else {
    const std::filesystem::path place = std::filesystem::weakly_canonical(path_, error);
    target_ = error ? path_ : place;
    temporary_ = target_.parent_path() / fmt::format("{}{}.part", temporary_prefix(), ++opened);
    remove_temporary_files_in(target_.parent_path());
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
  if (file_ == nullptr) return;
  if (file_ == stdout) {
    put(stdout, text);
    if (std::ferror(stdout) != 0) throw LostStdout{};
  } else if (std::fwrite(text.data(), 1, text.size(), file_) != text.size()) {
    fail_with_errno("cannot be written");
  }
}

void Output::finish() {
  if (file_ == nullptr) return;
  if (file_ == stdout) {
    if (stdout_error() != 0) throw LostStdout{};
    return;
  }
  if (std::fflush(file_) != 0) fail_with_errno("cannot be written");
  const int closed = std::fclose(file_);
  file_ = nullptr;
  if (closed != 0) fail_with_errno("cannot be written");
  if (temporary_.empty()) return;
  std::error_code error;
  std::filesystem::rename(temporary_, target_, error);
  require(!error, ErrorCode::io, "{}: cannot be written: {}", path_.string(), error.message());
}

void Output::fail_with_errno(const char* what) const {
  fail(ErrorCode::io, "{}: {}: {}", path_.string(), what, std::strerror(errno));
}

}  // namespace carom::app

#include "io/file_writer.hpp"

#include <fcntl.h>
#include <unistd.h>

#include <atomic>
#include <cerrno>
#include <cstring>

#include "core/check.hpp"

namespace carom::io {

FileWriter::FileWriter(const std::filesystem::path& path)
    : name_(path.string()), file_(::open(path.c_str(), O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC, 0666)) {
  if (file_.get() < 0) fail(ErrorCode::io, "{}: cannot be written: {}", name_, std::strerror(errno));
}

void FileWriter::append(std::span<const std::uint8_t> bytes) {
  try {
    write_at(size_, bytes);
  } catch (...) {
    truncate(size_);
    throw;
  }
  size_ += bytes.size();
}

void FileWriter::overwrite(std::uint64_t offset, std::span<const std::uint8_t> bytes) {
  write_at(offset, bytes);
}

void FileWriter::truncate(std::uint64_t size) noexcept {
  // If even this fails, a broken last chunk remains, which readers are made to cope with.
  if (::ftruncate(file_.get(), static_cast<off_t>(size)) == 0) size_ = size;
}

void FileWriter::close() {
  if (!file_.close()) fail(ErrorCode::io, "{}: cannot be closed: {}", name_, std::strerror(errno));
}

void FileWriter::write_at(std::uint64_t offset, std::span<const std::uint8_t> bytes) {
  while (!bytes.empty()) {
    const ssize_t done = ::pwrite(file_.get(), bytes.data(), bytes.size(), static_cast<off_t>(offset));
    if (done < 0 && errno == EINTR) continue;
    if (done == 0) errno = ENOSPC;
    if (done <= 0) fail(ErrorCode::io, "{}: cannot be written at offset {}: {}", name_, offset, std::strerror(errno));
    bytes = bytes.subspan(static_cast<std::size_t>(done));
    offset += static_cast<std::uint64_t>(done);
  }
}

void write_file(const std::filesystem::path& path, std::span<const std::uint8_t> bytes) {
  static std::atomic<unsigned> count{0};
  std::error_code status_error;
  const std::filesystem::file_status status = std::filesystem::status(path, status_error);
  if (std::filesystem::exists(status) && !std::filesystem::is_regular_file(status)) {
    FileWriter file(path);  // a device is written as it is
    file.append(bytes);
    file.close();
    return;
  }
  // A link is followed, so that it stays one.
  std::error_code no_place;
  std::filesystem::path target = std::filesystem::weakly_canonical(path, no_place);
  if (no_place) target = path;
  const std::filesystem::path temporary = target.parent_path() / fmt::format(".carom-{}-{}.tmp", ::getpid(), count++);
  try {
    FileWriter file(temporary);
    file.append(bytes);
    file.close();
    std::error_code error;
    std::filesystem::rename(temporary, target, error);
    if (error) fail(ErrorCode::io, "{}: cannot be written: {}", path.string(), error.message());
  } catch (const Error& error) {
    std::error_code ignored;
    std::filesystem::remove(temporary, ignored);
    // The reader of the message asked for `path` and has never heard of the temporary name.
    std::string message = error.what();
    if (message.starts_with(temporary.string())) message.replace(0, temporary.string().size(), path.string());
    throw Error(error.code(), message);
  }
}

}  // namespace carom::io

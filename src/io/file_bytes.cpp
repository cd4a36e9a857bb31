#include "io/file_bytes.hpp"

#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cerrno>
#include <cstring>
#include <utility>

#include "core/check.hpp"

namespace carom::io {

Descriptor& Descriptor::operator=(Descriptor&& other) noexcept {
  if (this != &other) {
    close();
    fd_ = other.release();
  }
  return *this;
}

int Descriptor::release() {
  return std::exchange(fd_, -1);
}

bool Descriptor::close() {
  const int fd = release();
  return fd < 0 || ::close(fd) == 0;
}

FileBytes::FileBytes(const std::filesystem::path& path) : name_(path.string()) {
  // Without O_NONBLOCK, opening a named pipe would wait for a writer before we can refuse it.
  Descriptor file(::open(path.c_str(), O_RDONLY | O_CLOEXEC | O_NONBLOCK));
  if (file.get() < 0) fail(ErrorCode::io, "{}: cannot be opened: {}", name_, std::strerror(errno));
  struct stat status {};
  if (::fstat(file.get(), &status) != 0) fail(ErrorCode::io, "{}: {}", name_, std::strerror(errno));
  if (S_ISDIR(status.st_mode)) fail(ErrorCode::io, "{}: is a directory, not a file", name_);
  if (!S_ISREG(status.st_mode)) fail(ErrorCode::io, "{}: is not a regular file", name_);
  size_ = static_cast<std::uint64_t>(status.st_size);
  source_ = std::move(file);
}

FileBytes::FileBytes(std::vector<std::uint8_t> bytes, std::string name)
    : name_(std::move(name)), size_(bytes.size()), source_(std::move(bytes)) {}

void FileBytes::check_range(std::uint64_t offset, std::uint64_t count) const {
  if (offset > size_ || count > size_ - offset) {
    fail(ErrorCode::truncated, "{}: ends at byte {}; {} bytes were expected at offset {}", name_, size_, count, offset);
  }
}

void FileBytes::read(std::uint64_t offset, std::span<std::uint8_t> out) const {
  check_range(offset, out.size());
  if (out.empty()) return;
  if (const auto* memory = std::get_if<std::vector<std::uint8_t>>(&source_)) {
    std::memcpy(out.data(), memory->data() + offset, out.size());
    return;
  }
  const int fd = std::get<Descriptor>(source_).get();
  while (!out.empty()) {
    const ssize_t got = ::pread(fd, out.data(), out.size(), static_cast<off_t>(offset));
    if (got < 0 && errno == EINTR) continue;
    if (got < 0) fail(ErrorCode::io, "{}: cannot be read at offset {}: {}", name_, offset, std::strerror(errno));
    if (got == 0) fail(ErrorCode::truncated, "{}: was cut to {} bytes while it was being read", name_, offset);
    out = out.subspan(static_cast<std::size_t>(got));
    offset += static_cast<std::uint64_t>(got);
  }
}

std::vector<std::uint8_t> FileBytes::read(std::uint64_t offset, std::uint64_t count) const {
  check_range(offset, count);
  std::vector<std::uint8_t> bytes(count);
  read(offset, std::span(bytes));
  return bytes;
}

std::vector<std::uint8_t> read_file(const std::filesystem::path& path) {
  const FileBytes file(path);
  return file.read(0, file.size());
}

}  // namespace carom::io

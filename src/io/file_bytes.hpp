#pragma once

#include <cstdint>
#include <filesystem>
#include <span>
#include <string>
#include <variant>
#include <vector>

namespace carom::io {

/// A file descriptor that closes itself.
class Descriptor {
 public:
  explicit Descriptor(int fd = -1) : fd_(fd) {}
  ~Descriptor() { close(); }
  Descriptor(Descriptor&& other) noexcept : fd_(other.release()) {}
  Descriptor& operator=(Descriptor&& other) noexcept;

  int get() const { return fd_; }
  int release();
  /// False, with errno set, if the system reports an error, which for a file being written can
  /// be the first sign of a full disk.
  bool close();

 private:
  int fd_;
};

/// Bytes that can be read at any offset: a file, or memory. Files are read by pread, not mapped:
/// a map of a file that somebody else makes shorter kills the process, a read gives an error.
/// Reading is const and may be done from several threads.
class FileBytes {
 public:
  /// Throws Error(io) that names the file if it is missing, unreadable or not a regular file.
  explicit FileBytes(const std::filesystem::path& path);
  FileBytes(std::vector<std::uint8_t> bytes, std::string name);

  const std::string& name() const { return name_; }
  /// Size of the file when it was opened.
  std::uint64_t size() const { return size_; }
  /// Fills `out`, or throws Error: truncated if the bytes end before that, io if reading fails.
  void read(std::uint64_t offset, std::span<std::uint8_t> out) const;
  /// Reads bytes into a new array; `count` is checked against the size before it is allocated.
  std::vector<std::uint8_t> read(std::uint64_t offset, std::uint64_t count) const;

 private:
  void check_range(std::uint64_t offset, std::uint64_t count) const;

  std::string name_;
  std::uint64_t size_ = 0;
  std::variant<Descriptor, std::vector<std::uint8_t>> source_;
};

/// The whole of a file.
std::vector<std::uint8_t> read_file(const std::filesystem::path& path);

}  // namespace carom::io

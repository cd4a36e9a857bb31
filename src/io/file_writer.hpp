#pragma once

#include <cstdint>
#include <filesystem>
#include <span>
#include <string>

#include "io/file_bytes.hpp"

namespace carom::io {

/// A file being written. Nothing is kept back in the program: what was written is with the
/// operating system when a call returns. All errors are Error(io) that names the file.
class FileWriter {
 public:
  /// Makes the file, or empties it.
  explicit FileWriter(const std::filesystem::path& path);

  const std::string& name() const { return name_; }
  std::uint64_t size() const { return size_; }
  /// All or nothing: if it fails (a full disk), what was half written is taken back, so that the
  /// file is as it was before the call.
  void append(std::span<const std::uint8_t> bytes);
  /// Writes over what is there.
  void overwrite(std::uint64_t offset, std::span<const std::uint8_t> bytes);
  /// Takes back everything from `size` on.
  void truncate(std::uint64_t size) noexcept;
  void close();

 private:
  void write_at(std::uint64_t offset, std::span<const std::uint8_t> bytes);

  std::string name_;
  Descriptor file_;
  std::uint64_t size_ = 0;
};

/// Writes a whole file under a temporary name beside it and renames that, so that there is never
/// half a file under the real name.
void write_file(const std::filesystem::path& path, std::span<const std::uint8_t> bytes);

}  // namespace carom::io

#pragma once

#include <cstdint>
#include <map>
#include <span>
#include <string>
#include <vector>

namespace carom::io {

/// Files of a ZIP archive, as 3MF has them: stored or deflated, without encryption.
class ZipArchive {
 public:
  /// `bytes` must outlive the archive; `name` is the file, for the errors. Throws Error.
  ZipArchive(std::span<const std::uint8_t> bytes, std::string name);

  bool has(const std::string& path) const { return entries_.contains(path); }
  /// Contents of an entry, checked against its size and checksum. Throws Error that names the entry.
  std::string read(const std::string& path) const;

 private:
  struct Entry {
    std::uint64_t offset = 0;  ///< of its local header
    std::uint64_t stored = 0;
    std::uint64_t size = 0;
    std::uint32_t checksum = 0;
    std::uint16_t method = 0;
  };
  std::span<const std::uint8_t> bytes_;
  std::string name_;
  std::map<std::string, Entry> entries_;
};

}  // namespace carom::io

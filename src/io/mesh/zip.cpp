#include "io/mesh/zip.hpp"

#include <zlib.h>

#include "core/check.hpp"

namespace carom::io {
namespace {

constexpr std::uint32_t end_mark = 0x06054b50;
constexpr std::uint32_t entry_mark = 0x02014b50;
constexpr std::uint32_t file_mark = 0x04034b50;
constexpr std::size_t end_size = 22;
constexpr std::size_t entry_size = 46;
constexpr std::size_t file_size = 30;
/// Bytes that an entry may unfold into.
constexpr std::uint64_t max_entry = std::uint64_t{1} << 30;

std::uint64_t number(std::span<const std::uint8_t> bytes, std::uint64_t at, std::size_t count) {
  std::uint64_t value = 0;
  for (std::size_t i = 0; i < count; ++i) value |= std::uint64_t{bytes[at + i]} << (8 * i);
  return value;
}

}  // namespace

ZipArchive::ZipArchive(std::span<const std::uint8_t> bytes, std::string name) : bytes_(bytes), name_(std::move(name)) {
  require(bytes.size() >= end_size, ErrorCode::bad_format, "{}: is no ZIP archive: {} bytes", name_, bytes.size());
  // The end of the list of entries has a comment of up to 65535 bytes behind it.
  std::uint64_t end = bytes.size() - end_size;
  const std::uint64_t lowest = end > 0xffff ? end - 0xffff : 0;
  while (end > lowest && number(bytes, end, 4) != end_mark) --end;
  require(number(bytes, end, 4) == end_mark, ErrorCode::bad_format, "{}: is no ZIP archive, or is cut short", name_);
  const std::uint64_t count = number(bytes, end + 10, 2);
  std::uint64_t at = number(bytes, end + 16, 4);
  for (std::uint64_t i = 0; i < count; ++i) {
    require(at + entry_size <= bytes.size() && number(bytes, at, 4) == entry_mark, ErrorCode::bad_format,
            "{}: entry {} of the archive is damaged", name_, i);
    const std::uint64_t name_length = number(bytes, at + 28, 2);
    const std::uint64_t more = number(bytes, at + 30, 2) + number(bytes, at + 32, 2);
    require(at + entry_size + name_length + more <= bytes.size(), ErrorCode::bad_format,
            "{}: entry {} of the archive is cut short", name_, i);
    const auto* text = reinterpret_cast<const char*>(bytes.data() + at + entry_size);
    Entry entry;
    entry.method = static_cast<std::uint16_t>(number(bytes, at + 10, 2));
    entry.checksum = static_cast<std::uint32_t>(number(bytes, at + 16, 4));
    entry.stored = number(bytes, at + 20, 4);
    entry.size = number(bytes, at + 24, 4);
    entry.offset = number(bytes, at + 42, 4);
    entries_[std::string(text, name_length)] = entry;
    at += entry_size + name_length + more;
  }
}

std::string ZipArchive::read(const std::string& path) const {
  const auto found = entries_.find(path);
  require(found != entries_.end(), ErrorCode::bad_format, "{}: has no entry {}", name_, path);
  const Entry& entry = found->second;
  require(entry.offset + file_size <= bytes_.size() && number(bytes_, entry.offset, 4) == file_mark,
          ErrorCode::bad_format, "{}: {}: its header is damaged", name_, path);
  const std::uint64_t data =
      entry.offset + file_size + number(bytes_, entry.offset + 26, 2) + number(bytes_, entry.offset + 28, 2);
  require(data + entry.stored <= bytes_.size(), ErrorCode::bad_format, "{}: {}: is cut short", name_, path);
  require(entry.method == 0 || entry.method == 8, ErrorCode::unsupported,
          "{}: {}: is packed by method {}; expected stored or deflated", name_, path, entry.method);
  // Deflate packs a thousand to one at best.
  require(entry.size <= max_entry && entry.size <= 1100 * entry.stored + 64, ErrorCode::bad_format,
          "{}: {}: says that it unfolds into {} bytes", name_, path, entry.size);
  std::string text(entry.size, '\0');
  if (entry.method == 0) {
    require(entry.size == entry.stored, ErrorCode::bad_format, "{}: {}: its sizes do not agree", name_, path);
    text.assign(reinterpret_cast<const char*>(bytes_.data() + data), entry.size);
  } else {
    z_stream stream{};
    require(inflateInit2(&stream, -MAX_WBITS) == Z_OK, ErrorCode::io, "{}: {}: cannot be unpacked", name_, path);
    stream.next_in = const_cast<Bytef*>(bytes_.data() + data);  // zlib does not write there
    stream.avail_in = static_cast<uInt>(entry.stored);
    stream.next_out = reinterpret_cast<Bytef*>(text.data());
    stream.avail_out = static_cast<uInt>(entry.size);
    const int result = inflate(&stream, Z_FINISH);
    const bool whole = result == Z_STREAM_END && stream.total_out == entry.size;
    inflateEnd(&stream);
    require(whole, ErrorCode::bad_format, "{}: {}: cannot be unpacked: it is damaged", name_, path);
  }
  const uLong checksum = crc32(0, reinterpret_cast<const Bytef*>(text.data()), static_cast<uInt>(text.size()));
  require(checksum == entry.checksum, ErrorCode::bad_format, "{}: {}: its checksum does not fit", name_, path);
  return text;
}

}  // namespace carom::io

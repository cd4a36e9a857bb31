#pragma once

#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

/// The head of a PLY file, which says what the rest looks like.
namespace carom::io {

enum class PlyFormat { ascii, little, big };
enum class PlyType { i8, u8, i16, u16, i32, u32, f32, f64 };

std::size_t size_of(PlyType type);
inline bool is_integer(PlyType type) {
  return type < PlyType::f32;
}

struct PlyProperty {
  std::string name;
  PlyType type{};
  std::optional<PlyType> list_count;  ///< the type of the length, if this is a list
};

struct PlyElement {
  std::string name;
  std::uint64_t count = 0;
  std::vector<PlyProperty> properties;

  /// Position in `properties`, if there is one of that name.
  std::optional<std::size_t> find(std::string_view property) const;
  /// Bytes of one element in a binary file, if that is always the same: without lists.
  std::optional<std::size_t> fixed_size() const;
  /// The fewest bytes of one element: of text, where each value is a digit and a blank, or binary.
  std::size_t smallest_size(PlyFormat format) const;
};

struct PlyHeader {
  PlyFormat format{};
  std::vector<PlyElement> elements;
  std::size_t size = 0;   ///< bytes; the data begin here
  std::size_t lines = 0;  ///< of the head
  /// Names of objects by the number that the property `object` of faces has, from comments "object 0 left wheel".
  std::map<std::int64_t, std::string> object_names{};
};

/// Throws Error(bad_format) that names the file and the line.
PlyHeader parse_ply_header(std::string_view text, const std::string& name);

}  // namespace carom::io

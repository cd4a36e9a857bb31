#pragma once

#include <span>
#include <string_view>

#include "carom/io/recording.hpp"

/// Checks that a frame must pass for a reader to accept it: the writer checks the same, so that nothing is
/// recorded that cannot be played back. `where` opens the messages.
namespace carom::io {

struct BodySize {
  std::uint32_t body = 0;
  std::size_t vertices = 0;
  std::size_t triangles = 0;
};

/// Throws Error(bad_index) that names the triangle.
void check_triangles(std::span<const Triangle> triangles, std::size_t vertex_count, std::string_view where);

/// Throws Error(not_finite) that names the vertex.
void check_positions(std::span<const Eigen::Vector3d> positions, std::string_view where);

/// Added to the number of a PositionEncoding where a body has only moved since an earlier frame.
inline constexpr std::uint8_t moved_encoding = 2;

/// Throws Error that names the contact. `bodies` in ascending order.
void check_contacts(std::span<const RecordedContact> contacts, std::span<const BodySize> bodies,
                    std::string_view where);

}  // namespace carom::io

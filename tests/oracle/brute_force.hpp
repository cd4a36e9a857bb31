#pragma once

#include <vector>

#include "carom/detect/contact.hpp"
#include "carom/detect/detect.hpp"

/// The slow, obviously right twin of detection: every vertex against every triangle, every edge
/// against every edge, straight from the definition in docs/formats.md ("Replay"). No owners, no
/// topology, no boxes of ours.
namespace carom::oracle {

struct Pair {
  ContactKind kind = ContactKind::vertex_face;
  std::array<Index, 2> a{none, none};
  std::array<Index, 2> b{none, none};
  double distance = 0;
  friend bool operator==(const Pair&, const Pair&) = default;
};

/// `skip_far` leaves out pairs whose extents along some axis are apart by more than twice the
/// distance: for large meshes, where the closest points of all pairs would take minutes.
std::vector<Pair> brute_force(std::size_t vertex_count, std::span<const Triangle> triangles,
                              std::span<const Index> object_of_triangle, std::span<const Eigen::Vector3d> positions,
                              double distance, PairScope scope, bool skip_far = false);

/// The result of detection in the same form.
std::vector<Pair> as_pairs(std::span<const Contact> contacts);

}  // namespace carom::oracle

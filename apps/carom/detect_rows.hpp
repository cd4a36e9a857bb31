#pragma once

#include <span>
#include <string>

#include "carom/detect/compact_contacts.hpp"
#include "carom/detect/detect_continuous.hpp"
#include "carom/detect/intersect.hpp"

/// Rows of the CSV of detection: frame, kind, a, b, distance or time, place.
namespace carom::app {

void append_csv(std::size_t frame, const CompactContacts& contacts, const Surface& surface,
                std::span<const Eigen::Vector3d> positions, std::string& rows);
void append_csv(std::size_t frame, const Intersection& pair, std::string& rows);
/// The place of an impact: of the vertex, or of the middle of the first edge, at that time.
void append_csv(std::size_t frame, const MovingContact& contact, std::span<const Eigen::Vector3d> start,
                std::span<const Eigen::Vector3d> end, std::string& rows);

/// The middle of what two triangles have in common.
Eigen::Vector3d place_of(const Intersection& pair);

}  // namespace carom::app

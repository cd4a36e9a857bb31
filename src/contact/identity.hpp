#pragma once

#include <span>
#include <vector>

#include "carom/contact.hpp"
#include "carom/stats.hpp"

/// Stage `contacts`: gives each contact the id it had in the step before, or a new one. A contact
/// is the same if its two features are, so ids are found by walking two sorted lists side by side.
namespace carom::contact {

/// Where a body's vertices and triangles are in the surface of the world. Ascending in all fields.
struct BodyRange {
  BodyId id;
  std::uint32_t serial = 0;
  Index first_vertex = 0;
  Index first_triangle = 0;
};

/// A contact of two deforming surfaces. Its features are numbered within their bodies.
struct SurfaceContact {
  std::uint64_t id = 0;
  std::uint32_t age = 0;
  BodyId body_a;
  BodyId body_b;
  Contact contact;
  double normal_speed = unset;  ///< as in WorldContact
  double impulse = 0;           ///< as in WorldContact
};

/// The contacts of a step and who they are.
struct Identified {
  std::vector<SurfaceContact> contacts;               ///< canonical order, numbered within the bodies
  std::vector<std::array<std::uint32_t, 2>> serials;  ///< of body a and b of each contact
  std::uint64_t next_id = 1;
};

struct In {
  std::span<const Contact> contacts;  ///< canonical order, numbered over the whole surface
  std::span<const BodyRange> bodies;
  const Identified& previous;  ///< of the step before
};

void run(const In& in, Identified& out, StageStats& stats);

}  // namespace carom::contact

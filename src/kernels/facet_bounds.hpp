#pragma once

#include <cstddef>
#include <cstdint>

/// Lower bounds of how far the faces of a hull are in front of the corners of another, in floats.
namespace carom::kernels {

inline constexpr std::uint32_t facet_lanes = 8;
inline constexpr std::uint32_t max_facets = 2048;

/// The faces of a hull in groups of facet_lanes, in blocks of five rows: unit normal by coordinate, offset, and spread.
/// The spread is 1 / cos of half the angle to the neighbour that is turned away farthest: a point outside of a face by
/// d, and of its neighbour by no more, is outside of no plane that turns from one to the other by more than d times the
/// spread.
///
/// Of each group, in six rows: mean normal by coordinate, least offset from `FacetFrame::origin`, how far normals are
/// from the mean, and the largest spread. `group_stride` is a multiple of facet_lanes; what fills up the rows has an
/// offset that is never within a limit, and so have faces that fill up the last group.
struct FanRows {
  const float* groups;
  std::uint32_t group_stride;
  const float* blocks;
};

/// The other hull seen from the frame of the faces: columns of the rotation, translation, and a ball inside.
struct FacetFrame {
  float x[3];
  float y[3];
  float z[3];
  float t[3];
  float centre[3];
  float radius;
  float travel[3];  ///< from the origin of the groups' offsets to the centre
  float distance;   ///< its length
};

/// A group of faces in the frame of the other hull: corner s is base - (x, y, z).s behind a face.
struct FacetGroup {
  alignas(32) float x[facet_lanes];
  float y[facet_lanes];
  float z[facet_lanes];
  float base[facet_lanes];
  float ball[facet_lanes];           ///< bound by the ball inside the other hull, for the ways to neighbours as well
  float bound[facet_lanes];          ///< the best known
  std::int32_t corner[facet_lanes];  ///< place in a list of the corner that gave `bound`; -1 for the ball
  std::uint32_t number;
};

struct Facets {
  FacetGroup groups[max_facets / facet_lanes];
  std::uint32_t count = 0;  ///< of groups
};

/// The group that the ball leaves the least of, into the first place of the list.
void select_first_facets(const FanRows& faces, const FacetFrame& frame, Facets& out);

/// Takes the groups with a face that the ball leaves below `limit`, in order. False if there are too many.
bool select_facets(const FanRows& faces, const FacetFrame& frame, float limit, Facets& out);

/// Bounds by corners [first, last) of a list, four numbers each. Returns the facet of the smallest bound, of several
/// the first: lane k of group g is facet_lanes g + k. 0 if there is none.
std::uint32_t tighten_facets(Facets& facets, const float* corners, std::uint32_t first, std::uint32_t last);

inline constexpr std::uint32_t max_marks = 31;

/// Bit i + 1 of the mark of each face is set if corner i of a list, at most max_marks of four numbers each, is behind
/// it by `limit` or more; bit 0 for the ball. Marks are by face, those that are not in the list are left alone.
void mark_facets(const Facets& facets, const float* corners, std::uint32_t count, float limit, std::int32_t* marks);

void select_first_facets_reference(const FanRows& faces, const FacetFrame& frame, Facets& out);
bool select_facets_reference(const FanRows& faces, const FacetFrame& frame, float limit, Facets& out);
std::uint32_t tighten_facets_reference(Facets& facets, const float* corners, std::uint32_t first, std::uint32_t last);
void mark_facets_reference(const Facets& facets, const float* corners, std::uint32_t count, float limit,
                           std::int32_t* marks);

}  // namespace carom::kernels

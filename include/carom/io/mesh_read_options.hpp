#pragma once

#include <cstdint>
#include <span>
#include <string>
#include <string_view>

namespace carom {

/// Options of read_mesh_file. The names are those of the command line and of scene files.
struct MeshReadOptions {
  /// Up axis, one of mesh_up_names(). "as-is": coordinates are kept; "file": the up axis that the file names is turned
  /// to y; "x", "y", "z", "-x", "-y", "-z": this axis of the file is turned to y. Kept by default, because parts are
  /// compared by their coordinates: the COLLADA and the STL of one part are to be in one frame, and an STL names no
  /// axis.
  std::string up = "as-is";
  /// Unit, one of mesh_unit_names(): the length of one unit of the file. "file": as the file says, a metre where it
  /// says nothing. STEP, IGES and 3MF always say it and are not scaled by this one.
  std::string unit = "file";
  /// Triangles that a file may unfold into: instances and strips let a few bytes stand for any number of them.
  /// 0: 4 million, or as many as the file has bytes if these are more.
  std::uint64_t max_triangles = 0;
  /// Vertices of an object no farther apart are joined, 0: those at exactly the same place; negative: none are. In
  /// `unit`, in metres where that is "file".
  double weld = -1;
  /// Largest distance of the triangles from the curved faces of a CAD file (STEP, IGES), the chordal tolerance; in
  /// `unit`, in metres where that is "file". 0: a thousandth of the size of each part.
  double chord = 0;
};

/// m: length of a unit of mesh_unit_names(); 1 for "file". Throws Error(unknown_name).
double mesh_unit_length(std::string_view unit);

std::span<const std::string_view> mesh_up_names();
std::span<const std::string_view> mesh_unit_names();

}  // namespace carom

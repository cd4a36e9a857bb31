#pragma once

#include <string>
#include <vector>

#include "carom/io/mesh_read_options.hpp"
#include "carom/shape/shape.hpp"

namespace carom::app {

struct AssemblyPart {
  std::string name;
  TriangleMesh mesh;
  double chord_error = 0;      ///< m, as in MeshFile
  std::size_t lost_faces = 0;  ///< as in MeshFile
};

/// Each file a part, of STEP, IGES and 3MF each object, or with `split` each object of any file, or each connected
/// piece of a file with one object. Vertices at the same place count as one for that. A name that occurs twice gets a
/// number. Throws Error that names the file.
std::vector<AssemblyPart> read_parts(const std::string& file, bool split, const MeshReadOptions& options);

/// So that no two parts have one name.
void number_equal_names(std::vector<AssemblyPart>& parts);

}  // namespace carom::app

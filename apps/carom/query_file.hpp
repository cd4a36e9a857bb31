#pragma once

#include <string>
#include <vector>

#include "carom/detect/continuous.hpp"

namespace carom::app {

/// Continuous-collision queries with their answers, in the public format: CSV, eight rows a query, the four
/// vertices at the start and then at the end; x, y and z each as an integer numerator and denominator, then
/// 1 if the pair collides, else 0.
struct QueryFile {
  std::string path;
  ContactKind kind = ContactKind::vertex_face;
  std::vector<FeatureMotion> queries;
  std::vector<bool> collides;
};

/// The kind is `kind` ("vf" or "ee"), or, if that is empty, in the file's name. Throws Error that names the file and
/// line.
QueryFile read_query_file(const std::string& path, const std::string& kind);

}  // namespace carom::app

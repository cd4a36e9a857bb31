#pragma once

#include <initializer_list>
#include <string>
#include <vector>

namespace carom::app {

/// An option and the path it was given; an empty path is none, and "-" is standard output.
struct NamedPath {
  const char* option;
  std::string path;
};

/// Throws Error if two of these are one and the same file, as one would be overwritten by the other, or both are
/// standard output.
void refuse_same_files(std::initializer_list<NamedPath> paths);

/// Files, and instead of each folder the mesh files in it and in folders below, sorted by path. Throws Error that names
/// a folder with none.
std::vector<std::string> with_folders_opened(const std::vector<std::string>& paths);

}  // namespace carom::app

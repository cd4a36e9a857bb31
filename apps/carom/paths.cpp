#include "paths.hpp"

#include <algorithm>
#include <filesystem>

#include "carom/io/mesh_file.hpp"
#include "core/check.hpp"

namespace carom::app {

namespace {

namespace fs = std::filesystem;

/// Also where one of them does not exist yet: by the folder it would be in, and its name.
bool same_file(const std::string& a, const std::string& b) {
  std::error_code error;
  if (fs::equivalent(a, b, error)) return true;
  const fs::path left = fs::weakly_canonical(a, error);
  if (error) return false;
  const fs::path right = fs::weakly_canonical(b, error);
  return !error && left == right;
}

bool is_special(const std::string& path) {
  std::error_code error;
  const fs::file_status status = fs::status(path, error);
  return fs::exists(status) && !fs::is_regular_file(status) && !fs::is_directory(status);
}

}  // namespace

void refuse_same_files(std::initializer_list<NamedPath> paths) {
  for (const NamedPath* a = paths.begin(); a != paths.end(); ++a) {
    for (const NamedPath* b = paths.begin(); b != a; ++b) {
      if (a->path.empty() || b->path.empty()) continue;
      require(a->path != "-" || b->path != "-", ErrorCode::invalid_argument,
              "{} and {} cannot both go to standard output; write one of them to a file", b->option, a->option);
      if (a->path == "-" || b->path == "-") continue;
      if (is_special(a->path)) continue;  // two outputs to /dev/null do no harm
      require(!same_file(a->path, b->path), ErrorCode::invalid_argument,
              "{} and {} are the same file, {}: one would overwrite the other", b->option, a->option, a->path);
    }
  }
}

std::vector<std::string> with_folders_opened(const std::vector<std::string>& paths) {
  std::vector<std::string> files;
  for (const std::string& path : paths) {
    std::error_code error;
    if (!fs::is_directory(path, error)) {
      files.push_back(path);
      continue;
    }
    std::vector<std::string> found;
    const auto options = fs::directory_options::skip_permission_denied;
    for (fs::recursive_directory_iterator at(path, options, error), end; !error && at != end; at.increment(error)) {
      std::error_code ignored;
      if (at->is_regular_file(ignored) && is_mesh_file(at->path())) found.push_back(at->path().string());
    }
    require(!found.empty(), ErrorCode::invalid_argument, "{}: is a folder without mesh files", path);
    std::sort(found.begin(), found.end());
    files.insert(files.end(), found.begin(), found.end());
  }
  return files;
}

}  // namespace carom::app

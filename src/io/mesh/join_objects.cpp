#include <algorithm>
#include <numeric>

#include "io/mesh/mesh_parse.hpp"

namespace carom::io {

namespace {

/// Joins what belongs together: find() returns the lowest member of a group.
class Groups {
 public:
  explicit Groups(std::size_t size) : parent_(size) { std::iota(parent_.begin(), parent_.end(), 0); }

  std::size_t find(std::size_t i) {
    while (parent_[i] != i) i = parent_[i] = parent_[parent_[i]];
    return i;
  }
  void join(std::size_t a, std::size_t b) {
    a = find(a);
    b = find(b);
    parent_[std::max(a, b)] = std::min(a, b);
  }

 private:
  std::vector<std::size_t> parent_;
};

}  // namespace

void join_objects(MeshFile& file) {
  const std::vector<std::string> names = std::move(file.object_names);
  file.object_names.clear();
  Groups groups(names.size());
  std::vector<Index> owner(file.mesh.positions.size(), none);
  for (std::size_t i = 0; i < file.mesh.triangles.size(); ++i) {
    const Index object = file.object_of_triangle[i];
    for (const Index corner : file.mesh.triangles[i]) {
      Index& first = owner[static_cast<std::size_t>(corner)];
      if (first == none) first = object;
      if (first != object) groups.join(static_cast<std::size_t>(first), static_cast<std::size_t>(object));
    }
  }
  std::vector<Index> number(names.size(), none);
  for (Index& object : file.object_of_triangle) {
    const std::size_t group = groups.find(static_cast<std::size_t>(object));
    if (number[group] == none) {
      number[group] = static_cast<Index>(file.object_names.size());
      file.object_names.push_back(names[group]);
    }
    object = number[group];
  }
}

}  // namespace carom::io

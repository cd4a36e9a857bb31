#pragma once

#include <array>
#include <bit>
#include <cstdint>
#include <limits>
#include <string>
#include <unordered_map>
#include <utility>

#include "carom/io/mesh_file.hpp"
#include "core/check.hpp"

namespace carom::io {

/// Puts a mesh together object by object, for formats that repeat a vertex for each triangle or seam: vertices of an
/// object at exactly the same position are one, numbered by first use.
class MeshBuilder {
 public:
  /// `name` is the file, for the errors.
  MeshBuilder(std::string name, std::uint64_t max_triangles) : name_(std::move(name)), max_triangles_(max_triangles) {}

  void begin_object(std::string object_name) {
    end_object();
    object_name_ = std::move(object_name);
  }

  /// The vertex of this object at exactly this position, a new one if there is none.
  Index vertex(const Eigen::Vector3d& position) {
    require(file_.mesh.positions.size() < std::numeric_limits<Index>::max(), ErrorCode::unsupported,
            "{}: more vertices than an index can count", name_);
    const auto [at, is_new] = joined_.try_emplace(key_of(position), static_cast<Index>(file_.mesh.positions.size()));
    if (is_new) file_.mesh.positions.push_back(position);
    return at->second;
  }

  void triangle(const Triangle& corners) {
    require(file_.mesh.triangles.size() < max_triangles_, ErrorCode::unsupported,
            "{}: unfolds into more than {} triangles; if that is meant, raise max_triangles (--max-triangles)", name_,
            max_triangles_);
    file_.mesh.triangles.push_back(corners);
  }

  MeshFile take() {
    end_object();
    return std::move(file_);
  }

 private:
  /// A position as bits, with -0 counted as 0: equal if and only if the positions are.
  using PositionKey = std::array<std::uint64_t, 3>;

  struct KeyHash {
    std::size_t operator()(const PositionKey& key) const {
      std::uint64_t hash = 0;
      for (const std::uint64_t bits : key) hash = (hash ^ bits) * 0x9e3779b97f4a7c15ULL ^ (hash >> 29);
      return hash ^ (hash >> 32);
    }
  };

  static PositionKey key_of(const Eigen::Vector3d& p) {
    return {std::bit_cast<std::uint64_t>(p.x() + 0.0), std::bit_cast<std::uint64_t>(p.y() + 0.0),
            std::bit_cast<std::uint64_t>(p.z() + 0.0)};
  }

  void end_object() {
    // Clearing costs as much as the map has buckets: those of one large object are not kept for many small ones.
    if (joined_.bucket_count() > 1000 + 8 * joined_.size()) {
      joined_ = {};
    } else {
      joined_.clear();
    }
    if (file_.mesh.triangles.size() == file_.object_of_triangle.size()) return;
    file_.object_of_triangle.resize(file_.mesh.triangles.size(), static_cast<Index>(file_.object_names.size()));
    file_.object_names.push_back(std::move(object_name_));
  }

  std::string name_;
  std::uint64_t max_triangles_;
  std::string object_name_;
  MeshFile file_;
  std::unordered_map<PositionKey, Index, KeyHash> joined_;
};

}  // namespace carom::io

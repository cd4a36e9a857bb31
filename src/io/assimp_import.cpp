#include <assimp/postprocess.h>
#include <assimp/scene.h>

#include <assimp/Importer.hpp>
#include <bit>
#include <limits>
#include <unordered_map>

#include "core/check.hpp"
#include "io/mesh_parse.hpp"

namespace carom::io {

namespace {

/// A position as bits, with -0 counted as 0: equal if and only if the positions are.
using PositionKey = std::array<std::uint64_t, 3>;

struct KeyHash {
  std::size_t operator()(const PositionKey& key) const {
    std::uint64_t hash = 0;
    for (const std::uint64_t bits : key) hash = (hash ^ bits) * 0x9e3779b97f4a7c15ULL ^ (hash >> 29);
    return hash ^ (hash >> 32);
  }
};

PositionKey key_of(const Eigen::Vector3d& p) {
  return {std::bit_cast<std::uint64_t>(p.x() + 0.0), std::bit_cast<std::uint64_t>(p.y() + 0.0),
          std::bit_cast<std::uint64_t>(p.z() + 0.0)};
}

/// assimp's matrices are single precision; what they do to the points is done in double.
Eigen::Matrix4d to_eigen(const aiMatrix4x4& m) {
  Eigen::Matrix4d result;
  for (unsigned row = 0; row < 4; ++row) {
    for (unsigned column = 0; column < 4; ++column) {
      result(static_cast<Eigen::Index>(row), static_cast<Eigen::Index>(column)) = static_cast<double>(m[row][column]);
    }
  }
  return result;
}

class Collector {
 public:
  Collector(const aiScene& scene, std::string name) : scene_(scene), name_(std::move(name)) {}

  MeshFile collect() {
    struct Visit {
      const aiNode* node;
      Eigen::Matrix4d to_world;
    };
    // Depth first, children in order, on a list of our own: files decide how deep it goes.
    std::vector<Visit> open{{scene_.mRootNode, to_eigen(scene_.mRootNode->mTransformation)}};
    while (!open.empty()) {
      const Visit visit = open.back();
      open.pop_back();
      add_object(*visit.node, visit.to_world);
      for (unsigned i = visit.node->mNumChildren; i-- > 0;) {
        const aiNode* child = visit.node->mChildren[i];
        open.push_back({child, visit.to_world * to_eigen(child->mTransformation)});
      }
    }
    return std::move(file_);
  }

 private:
  void add_object(const aiNode& node, const Eigen::Matrix4d& to_world) {
    joined_.clear();
    const std::size_t before = file_.mesh.triangles.size();
    for (unsigned i = 0; i < node.mNumMeshes; ++i) add_mesh(*scene_.mMeshes[node.mMeshes[i]], to_world);
    if (file_.mesh.triangles.size() == before) return;
    file_.object_of_triangle.resize(file_.mesh.triangles.size(), static_cast<Index>(file_.object_names.size()));
    std::string node_name(node.mName.C_Str());
    file_.object_names.push_back(node_name.empty() ? default_object_name(name_) : std::move(node_name));
  }

  void add_mesh(const aiMesh& mesh, const Eigen::Matrix4d& to_world) {
    for (unsigned i = 0; i < mesh.mNumFaces; ++i) {
      const aiFace& face = mesh.mFaces[i];
      if (face.mNumIndices != 3) continue;  // points and lines
      Triangle& triangle = file_.mesh.triangles.emplace_back();
      for (unsigned k = 0; k < 3; ++k) {
        require(face.mIndices[k] < mesh.mNumVertices, ErrorCode::bad_index,
                "{}: triangle {} uses vertex {}, but there are {} vertices", name_, file_.mesh.triangles.size() - 1,
                face.mIndices[k], mesh.mNumVertices);
        const aiVector3D& p = mesh.mVertices[face.mIndices[k]];
        const Eigen::Vector4d point = to_world * Eigen::Vector4d(p.x, p.y, p.z, 1);
        triangle[k] = vertex(point.head<3>());
      }
    }
  }

  /// The vertex of this object at exactly this position, a new one if there is none.
  Index vertex(const Eigen::Vector3d& position) {
    require(file_.mesh.positions.size() < std::numeric_limits<Index>::max(), ErrorCode::unsupported,
            "{}: more vertices than an index can count", name_);
    const auto [at, is_new] = joined_.try_emplace(key_of(position), static_cast<Index>(file_.mesh.positions.size()));
    if (is_new) file_.mesh.positions.push_back(position);
    return at->second;
  }

  const aiScene& scene_;
  std::string name_;
  MeshFile file_;
  std::unordered_map<PositionKey, Index, KeyHash> joined_;
};

}  // namespace

MeshFile import_with_assimp(const std::string& path) {
  Assimp::Importer importer;
  // GlobalScale brings FBX, which is in centimetres or whatever it says, to metres.
  const aiScene* scene = importer.ReadFile(path, aiProcess_Triangulate | aiProcess_GlobalScale);
  require(scene != nullptr, ErrorCode::bad_format, "{}: {}", path, importer.GetErrorString());
  require(scene->mRootNode != nullptr, ErrorCode::bad_mesh, "{}: has no triangles", path);
  return Collector(*scene, path).collect();
}

}  // namespace carom::io

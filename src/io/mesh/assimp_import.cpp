#include <assimp/postprocess.h>
#include <assimp/scene.h>

#include <assimp/Importer.hpp>
#include <new>
#include <string_view>

#include "io/mesh/mesh_builder.hpp"
#include "io/mesh/mesh_parse.hpp"

namespace carom::io {

namespace {

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

void add_assimp_mesh(const aiMesh& mesh, const Eigen::Matrix4d& to_world, const std::string& name,
                     MeshBuilder& builder) {
  for (unsigned i = 0; i < mesh.mNumFaces; ++i) {
    const aiFace& face = mesh.mFaces[i];
    if (face.mNumIndices != 3) continue;  // points and lines
    Triangle triangle;
    for (unsigned k = 0; k < 3; ++k) {
      require(face.mIndices[k] < mesh.mNumVertices, ErrorCode::bad_index,
              "{}: triangle {} of mesh '{}' uses vertex {}, but there are {} vertices", name, i, mesh.mName.C_Str(),
              face.mIndices[k], mesh.mNumVertices);
      const aiVector3D& p = mesh.mVertices[face.mIndices[k]];
      triangle[k] = builder.vertex((to_world * Eigen::Vector4d(p.x, p.y, p.z, 1)).head<3>());
    }
    builder.triangle(triangle);
  }
}

/// Axis and unit of FBX, which assimp tells and does not apply.
void tell_fbx_settings(const aiScene& scene, MeshFile& file) {
  if (scene.mMetaData == nullptr) return;
  int axis = 0;
  int sign = 0;
  if (scene.mMetaData->Get("UpAxis", axis) && scene.mMetaData->Get("UpAxisSign", sign) && axis >= 0 && axis < 3) {
    file.up = fmt::format("{}{}", sign < 0 ? "-" : "", "xyz"[axis]);
    file.up_told_by = ToldBy::file;
  }
  double centimetres = 0;
  float single = 0;
  bool told = scene.mMetaData->Get("UnitScaleFactor", centimetres);
  if (!told && scene.mMetaData->Get("UnitScaleFactor", single)) {
    told = true;
    centimetres = static_cast<double>(single);
  }
  if (told && centimetres > 0 && std::isfinite(centimetres)) {
    file.unit = 0.01 * centimetres;
    file.unit_told_by = ToldBy::file;
  }
}

}  // namespace

MeshFile import_with_assimp(const std::string& path, std::uint64_t max_triangles) {
  Assimp::Importer importer;
  const aiScene* scene = importer.ReadFile(path, aiProcess_Triangulate);
  // assimp catches this one as well, and keeps only its name.
  if (scene == nullptr && std::string_view(importer.GetErrorString()) == std::bad_alloc().what())
    throw std::bad_alloc();
  require(scene != nullptr, ErrorCode::bad_format, "{}: {}", path, importer.GetErrorString());
  require(scene->mRootNode != nullptr, ErrorCode::bad_mesh, "{}: has no triangles", path);
  struct Visit {
    const aiNode* node;
    Eigen::Matrix4d to_world;
  };
  MeshBuilder builder(path, max_triangles);
  // Depth first, children in order, on a list of our own: files decide how deep it goes.
  std::vector<Visit> open{{scene->mRootNode, to_eigen(scene->mRootNode->mTransformation)}};
  while (!open.empty()) {
    const Visit visit = open.back();
    open.pop_back();
    const std::string node_name(visit.node->mName.C_Str());
    builder.begin_object(node_name.empty() ? default_object_name(path) : node_name);
    for (unsigned i = 0; i < visit.node->mNumMeshes; ++i) {
      add_assimp_mesh(*scene->mMeshes[visit.node->mMeshes[i]], visit.to_world, path, builder);
    }
    for (unsigned i = visit.node->mNumChildren; i-- > 0;) {
      const aiNode* child = visit.node->mChildren[i];
      open.push_back({child, visit.to_world * to_eigen(child->mTransformation)});
    }
  }
  MeshFile file = builder.take();
  tell_fbx_settings(*scene, file);
  return file;
}

}  // namespace carom::io

#pragma once

#include <string>
#include <string_view>
#include <unordered_map>
#include <vector>

#include "carom/mesh/mesh.hpp"
#include "io/mesh/xml.hpp"

namespace carom::io {

/// Elements of a COLLADA file by their ids, with the numbers in them.
class ColladaFile {
 public:
  /// Throws Error that names the file and the line.
  ColladaFile(std::string_view text, const std::string& name);

  const XmlDocument& xml() const { return xml_; }
  const std::string& name() const { return name_; }
  /// The element that attribute `attribute` of `element` refers to by "#id", which must be a `kind` unless that is
  /// empty.
  const XmlElement& referred(const XmlElement& element, std::string_view attribute, std::string_view kind) const;

  [[noreturn]] void fail_at(const XmlElement& element, std::string_view what) const;

  std::vector<double> numbers(const XmlElement& element) const;
  std::vector<std::int64_t> integers(const XmlElement& element) const;
  /// An attribute that is an integer of at least 0; `otherwise` if it is not there.
  std::uint64_t count(const XmlElement& element, std::string_view attribute, std::uint64_t otherwise) const;

 private:
  std::string name_;
  XmlDocument xml_;
  std::unordered_map<std::string_view, std::size_t> by_id_;
};

/// The triangles of each geometry of a COLLADA file, read when first asked for.
class ColladaMeshes {
 public:
  explicit ColladaMeshes(const ColladaFile& file) : file_(file) {}

  /// Over the vertices that triangles use, so that an instance costs no more than its triangles.
  const TriangleMesh& mesh(const XmlElement& geometry);

 private:
  /// Positions of a <source>, which are some of the numbers of an array.
  struct Positions {
    const std::vector<double>* numbers = nullptr;
    std::uint64_t offset = 0, stride = 0, count = 0;
    std::array<std::uint64_t, 3> axes{0, 1, 2};

    Eigen::Vector3d operator[](std::uint64_t i) const;
  };
  /// Positions and how to find their indices in <p>.
  struct Corners {
    Positions positions;
    std::uint64_t offset = 0, stride = 1;
  };

  TriangleMesh read(const XmlElement& geometry);
  Positions positions(const XmlElement& source);
  const std::vector<double>& array(const XmlElement& element);
  Corners corners(const XmlElement& primitive);
  void add_primitive(const XmlElement& primitive, TriangleMesh& mesh);

  const ColladaFile& file_;
  std::unordered_map<const XmlElement*, TriangleMesh> meshes_;
  std::unordered_map<const XmlElement*, std::vector<double>> arrays_;
};

}  // namespace carom::io

#include <algorithm>
#include <array>
#include <cmath>
#include <limits>
#include <unordered_map>

#include "core/check.hpp"
#include "io/byte_reader.hpp"
#include "io/mesh/mesh_parse.hpp"
#include "io/mesh/ply_header.hpp"
#include "io/mesh/text_scanner.hpp"

namespace carom::io {

namespace {

constexpr std::uint64_t max_elements = std::numeric_limits<Index>::max();

/// Values of a text file, one after the other.
class AsciiValues {
 public:
  AsciiValues(std::string_view text, const std::string& name, const PlyHeader& header)
      : scan_(text.substr(header.size), name, '\0', header.lines + 1) {}

  std::string where() const { return scan_.where(); }
  std::size_t bytes_left() const { return scan_.bytes_left(); }
  double number(PlyType) {
    scan_.skip_empty_lines();
    return scan_.number("a number");
  }
  std::int64_t integer(PlyType) {
    scan_.skip_empty_lines();
    return scan_.integer<std::int64_t>("an integer");
  }
  void skip(std::uint64_t count, PlyType type) {
    for (std::uint64_t i = 0; i < count; ++i) number(type);
  }

 private:
  TextScanner scan_;
};

/// Values of a binary file, one after the other.
class BinaryValues {
 public:
  BinaryValues(std::span<const std::uint8_t> bytes, const std::string& name, const PlyHeader& header)
      : reader_(bytes.subspan(header.size), name, header.size), big_(header.format == PlyFormat::big) {}

  std::string where() const { return fmt::format("{}, byte {}", reader_.where(), reader_.offset()); }
  std::size_t bytes_left() const { return reader_.left(); }
  double number(PlyType type) { return get<double>(type); }
  std::int64_t integer(PlyType type) { return get<std::int64_t>(type); }
  void skip(std::uint64_t count, PlyType type) { reader_.take(count, size_of(type), "values"); }

 private:
  template <class To>
  To get(PlyType type) {
    const std::uint8_t* at = reader_.take(1, size_of(type), "a value").data();
    switch (type) {
      case PlyType::i8:
        return static_cast<To>(load<std::int8_t>(at));
      case PlyType::u8:
        return static_cast<To>(load<std::uint8_t>(at));
      case PlyType::i16:
        return static_cast<To>(load<std::int16_t>(at));
      case PlyType::u16:
        return static_cast<To>(load<std::uint16_t>(at));
      case PlyType::i32:
        return static_cast<To>(load<std::int32_t>(at));
      case PlyType::u32:
        return static_cast<To>(load<std::uint32_t>(at));
      case PlyType::f32:
        return static_cast<To>(load<float>(at));
      case PlyType::f64:
        break;
    }
    return static_cast<To>(load<double>(at));
  }
  template <Scalar T>
  T load(const std::uint8_t* at) const {
    return big_ ? load_big<T>(at) : load_little<T>(at);
  }

  ByteReader reader_;
  bool big_;
};

template <class Values>
std::uint64_t list_length(Values& values, const PlyProperty& property) {
  const std::int64_t length = values.integer(*property.list_count);
  if (length < 0) fail(ErrorCode::bad_format, "{}: the length of list {} is {}", values.where(), property.name, length);
  return static_cast<std::uint64_t>(length);
}

template <class Values>
void skip_property(Values& values, const PlyProperty& property) {
  values.skip(property.list_count ? list_length(values, property) : 1, property.type);
}

template <class Values>
void skip_element(Values& values, const PlyElement& element) {
  if (element.properties.empty()) return;  // however many there are, they take no bytes
  for (std::uint64_t i = 0; i < element.count; ++i) {
    for (const PlyProperty& property : element.properties) skip_property(values, property);
  }
}

/// A count that lies must not allocate, nor be waited for.
template <class Values>
void check_count(const Values& values, const PlyElement& element, PlyFormat format, const std::string& name) {
  require(element.count <= max_elements, ErrorCode::unsupported, "{}: {} elements {} are more than an index can count",
          name, element.count, element.name);
  // The last value of a text needs no blank after it.
  require(element.count * element.smallest_size(format) <= values.bytes_left() + 1, ErrorCode::truncated,
          "{}: {} elements {} do not fit into the {} bytes that are left", values.where(), element.count, element.name,
          values.bytes_left());
}

template <class Values>
void read_vertices(Values& values, const PlyElement& element, const std::string& name,
                   std::vector<Eigen::Vector3d>& positions) {
  std::vector<int> axis_of(element.properties.size(), -1);
  constexpr std::array<std::string_view, 3> axes{"x", "y", "z"};
  for (int axis = 0; axis < 3; ++axis) {
    const auto at = element.find(axes[static_cast<std::size_t>(axis)]);
    require(at && !element.properties[*at].list_count, ErrorCode::bad_format, "{}: vertices have no property {}", name,
            axes[static_cast<std::size_t>(axis)]);
    axis_of[*at] = axis;
  }
  positions.reserve(positions.size() + element.count);
  for (std::uint64_t i = 0; i < element.count; ++i) {
    Eigen::Vector3d& position = positions.emplace_back();
    for (std::size_t k = 0; k < element.properties.size(); ++k) {
      if (axis_of[k] >= 0) {
        position[axis_of[k]] = values.number(element.properties[k].type);
      } else {
        skip_property(values, element.properties[k]);
      }
    }
  }
}

/// Corners of a face or a strip. Indices are checked later: the vertices may come after the faces.
template <class Values>
void read_corners(Values& values, const PlyElement& element, const PlyProperty& property, std::uint64_t number,
                  std::vector<Index>& corners) {
  const std::uint64_t length = list_length(values, property);
  corners.clear();
  for (std::uint64_t c = 0; c < length; ++c) {
    const std::int64_t index = values.integer(property.type);
    const bool restart = index == -1 && element.name == "tristrips";
    if (!restart && (index < 0 || static_cast<std::uint64_t>(index) >= max_elements)) {
      fail(ErrorCode::bad_index, "{}: {} {} uses vertex {}", values.where(), element.name, number, index);
    }
    corners.push_back(static_cast<Index>(index));
  }
}

/// A list of strips, with -1 where the next one begins.
void add_strips(std::span<const Index> corners, std::vector<Triangle>& triangles) {
  for (std::size_t begin = 0; begin < corners.size();) {
    const auto rest = corners.subspan(begin);
    const auto length = static_cast<std::size_t>(std::find(rest.begin(), rest.end(), none) - rest.begin());
    add_strip(rest.first(length), triangles);
    begin += length + 1;
  }
}

/// Faces or strips of triangles, with the object of each if the file names objects.
template <class Values>
void read_faces(Values& values, const PlyElement& element, const PlyHeader& header, const std::string& name,
                MeshFile& file) {
  auto corners_at = element.find("vertex_indices");
  if (!corners_at) corners_at = element.find("vertex_index");
  require(corners_at && element.properties[*corners_at].list_count && is_integer(element.properties[*corners_at].type),
          ErrorCode::bad_format, "{}: {} has no list of integers vertex_indices", name, element.name);
  // A number of the object alone says nothing: other programs may mean anything by it.
  const std::size_t no_property = element.properties.size();
  std::size_t object_at = header.object_names.empty() ? no_property : element.find("object").value_or(no_property);
  if (object_at != no_property &&
      (element.properties[object_at].list_count || !is_integer(element.properties[object_at].type))) {
    object_at = no_property;
  }
  std::unordered_map<std::int64_t, Index> objects;
  for (const auto& [number, object_name] : header.object_names) {
    objects.emplace(number, static_cast<Index>(objects.size()));
  }
  file.mesh.triangles.reserve(file.mesh.triangles.size() + element.count);
  std::vector<Index> corners;
  for (std::uint64_t i = 0; i < element.count; ++i) {
    Index object = 0;
    for (std::size_t k = 0; k < element.properties.size(); ++k) {
      const PlyProperty& property = element.properties[k];
      if (k == *corners_at) {
        read_corners(values, element, property, i, corners);
      } else if (k == object_at) {
        const std::int64_t number = values.integer(property.type);
        const auto found = objects.find(number);
        if (found == objects.end())
          fail(ErrorCode::bad_index, "{}: {} {} is of object {}, which has no name", values.where(), element.name, i,
               number);
        object = found->second;
      } else {
        skip_property(values, property);
      }
    }
    if (element.name == "tristrips") {
      add_strips(corners, file.mesh.triangles);
    } else {
      if (corners.size() < 3)
        fail(ErrorCode::bad_format, "{}: face {} has {} corners", values.where(), i, corners.size());
      add_fan(corners, file.mesh.triangles);
    }
    file.object_of_triangle.resize(file.mesh.triangles.size(), object);
  }
  if (object_at == no_property) return;
  file.object_names.clear();
  for (const auto& [number, object_name] : header.object_names) file.object_names.push_back(object_name);
}

template <class Values>
void read_elements(Values values, const PlyHeader& header, const std::string& name, MeshFile& file) {
  for (const PlyElement& element : header.elements) {
    check_count(values, element, header.format, name);
    if (element.name == "vertex") {
      read_vertices(values, element, name, file.mesh.positions);
    } else if (element.name == "face" || element.name == "tristrips") {
      read_faces(values, element, header, name, file);
    } else {
      skip_element(values, element);
    }
  }
}

}  // namespace

MeshFile parse_ply(std::span<const std::uint8_t> bytes, const std::string& name) {
  const std::string_view text(reinterpret_cast<const char*>(bytes.data()), bytes.size());
  const PlyHeader header = parse_ply_header(text, name);
  MeshFile file;
  file.object_names.push_back(default_object_name(name));
  if (header.format == PlyFormat::ascii) {
    read_elements(AsciiValues(text, name, header), header, name, file);
  } else {
    read_elements(BinaryValues(bytes, name, header), header, name, file);
  }
  if (file.object_names.size() > 1) {
    check_mesh(file, name);
    join_objects(file);
  }
  return file;
}

}  // namespace carom::io

#include <algorithm>
#include <array>
#include <cmath>
#include <limits>

#include "core/check.hpp"
#include "io/byte_reader.hpp"
#include "io/mesh_parse.hpp"
#include "io/ply_header.hpp"
#include "io/text_scanner.hpp"

namespace carom::io {

namespace {

constexpr std::uint64_t most_elements = std::numeric_limits<Index>::max();

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
  require(element.count <= most_elements, ErrorCode::unsupported, "{}: {} elements {} are more than an index can count",
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

/// Indices are checked later: the vertices may come after the faces.
template <class Values>
void read_faces(Values& values, const PlyElement& element, const std::string& name, std::vector<Triangle>& triangles) {
  auto corners_at = element.find("vertex_indices");
  if (!corners_at) corners_at = element.find("vertex_index");
  require(corners_at && element.properties[*corners_at].list_count && is_integer(element.properties[*corners_at].type),
          ErrorCode::bad_format, "{}: faces have no list of integers vertex_indices", name);
  triangles.reserve(triangles.size() + element.count);
  std::vector<Index> corners;
  for (std::uint64_t i = 0; i < element.count; ++i) {
    for (std::size_t k = 0; k < element.properties.size(); ++k) {
      const PlyProperty& property = element.properties[k];
      if (k != *corners_at) {
        skip_property(values, property);
        continue;
      }
      const std::uint64_t length = list_length(values, property);
      if (length < 3) fail(ErrorCode::bad_format, "{}: face {} has {} corners", values.where(), i, length);
      corners.clear();
      for (std::uint64_t c = 0; c < length; ++c) {
        const std::int64_t index = values.integer(property.type);
        if (index < 0 || static_cast<std::uint64_t>(index) >= most_elements) {
          fail(ErrorCode::bad_index, "{}: face {} uses vertex {}", values.where(), i, index);
        }
        corners.push_back(static_cast<Index>(index));
      }
      add_fan(corners, triangles);
    }
  }
}

template <class Values>
void read_elements(Values values, const PlyHeader& header, const std::string& name, TriangleMesh& mesh) {
  for (const PlyElement& element : header.elements) {
    check_count(values, element, header.format, name);
    if (element.name == "vertex") {
      read_vertices(values, element, name, mesh.positions);
    } else if (element.name == "face") {
      read_faces(values, element, name, mesh.triangles);
    } else {
      require(element.name != "tristrips", ErrorCode::unsupported, "{}: triangle strips are not supported", name);
      skip_element(values, element);
    }
  }
}

}  // namespace

MeshFile parse_ply(std::span<const std::uint8_t> bytes, const std::string& name) {
  const std::string_view text(reinterpret_cast<const char*>(bytes.data()), bytes.size());
  const PlyHeader header = parse_ply_header(text, name);
  MeshFile file;
  if (header.format == PlyFormat::ascii) {
    read_elements(AsciiValues(text, name, header), header, name, file.mesh);
  } else {
    read_elements(BinaryValues(bytes, name, header), header, name, file.mesh);
  }
  file.object_of_triangle.assign(file.mesh.triangles.size(), 0);
  file.object_names.push_back(default_object_name(name));
  return file;
}

}  // namespace carom::io

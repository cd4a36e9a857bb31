#pragma once

#include <deque>
#include <filesystem>
#include <span>
#include <string>
#include <vector>

#include "carom/mesh/mesh.hpp"
#include "io/json/json_field.hpp"

namespace carom::io {

/// The parts of a .gltf or .glb file.
struct GltfChunks {
  std::uint32_t version = 2;  ///< of the container
  std::string_view json;
  std::span<const std::uint8_t> binary;  ///< the buffer within a .glb file
};

/// Throws Error that names the file.
GltfChunks split_gltf(std::span<const std::uint8_t> bytes, const std::string& name);

/// The numbers that accessors of a glTF file stand for.
class GltfData {
 public:
  /// Reads the buffers that are files of their own. All arguments must outlive this.
  GltfData(const JsonValue& root, const GltfChunks& chunks, const std::filesystem::path& path, const std::string& name);

  const JsonField& root() const { return root_; }
  /// Bytes of the file and of the files that it names.
  std::uint64_t bytes() const { return bytes_; }
  /// Elements that numbers() may return in all: accessors may share bytes, or have none and be zeros.
  void set_max_elements(std::uint64_t count) { elements_left_ = count; }

  /// The value of a list such as "nodes" by the index in `reference`. Throws Error that names the reference.
  const JsonValue& item(std::string_view list, const JsonField& reference) const;
  std::size_t size(std::string_view list) const;

  /// The numbers of the accessor of that index, `components` for each element: "VEC3" has 3, "MAT4" 16. Integers that
  /// are normalized become fractions.
  std::vector<double> numbers(const JsonField& reference, std::size_t components);

 private:
  struct View {
    std::span<const std::uint8_t> bytes;
    std::size_t stride = 0;  ///< 0: without gaps
  };
  /// Layout of numbers in a view.
  struct Layout {
    std::uint64_t offset = 0;
    std::uint32_t type = 0;
    bool normalized = false;
    std::size_t components = 1;
  };

  void read_buffers(const std::filesystem::path& folder, std::span<const std::uint8_t> binary);
  View view(const JsonField& reference);
  static void fill(const JsonField& accessor, const View& view, const Layout& layout, std::span<double> out);
  void apply_sparse(const JsonField& sparse, const Layout& layout, std::span<double> out);

  const std::string& name_;
  JsonField root_;
  std::uint64_t bytes_ = 0;
  std::uint64_t elements_left_ = 0;
  std::deque<std::vector<std::uint8_t>> storage_;
  std::vector<std::span<const std::uint8_t>> buffers_;
};

/// Number of a member that is an integer of at least 0; `otherwise` if it is not there.
std::uint64_t gltf_count(const JsonField& object, std::string_view member, std::uint64_t otherwise);

}  // namespace carom::io

#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "io/base64.hpp"
#include "io/byte_writer.hpp"

namespace carom::test {

/// A glTF file with one buffer, whose members other than asset and buffers are given as text.
inline std::string gltf_text(const std::string& members, const io::ByteWriter& buffer,
                             const std::string& version = "2.0") {
  std::string uri = "data:application/octet-stream;base64,";
  io::append_base64(buffer.bytes(), uri);
  return R"({"asset": {"version": ")" + version + R"("}, "buffers": [{"byteLength": )" +
         std::to_string(buffer.bytes().size()) + R"(, "uri": ")" + uri + R"("}], )" + members + "}";
}

/// The same as .glb.
inline std::vector<std::uint8_t> glb_bytes(const std::string& members, const io::ByteWriter& buffer) {
  std::string json = R"({"asset": {"version": "2.0"}, "buffers": [{"byteLength": )" +
                     std::to_string(buffer.bytes().size()) + "}], " + members + "}";
  while (json.size() % 4 != 0) json += ' ';
  io::ByteWriter out;
  const auto count = [&](std::size_t value) { out.put(static_cast<std::uint32_t>(value)); };
  out.put(std::string_view("glTF"));
  count(2);
  count(28 + json.size() + buffer.bytes().size());
  count(json.size());
  out.put(std::string_view("JSON"));
  out.put(std::string_view(json));
  count(buffer.bytes().size());
  out.put(std::string_view("BIN\0", 4));
  out.put(buffer.bytes());
  return {out.bytes().begin(), out.bytes().end()};
}

template <class T>
io::ByteWriter buffer_of(const std::vector<T>& values) {
  io::ByteWriter buffer;
  for (const T value : values) buffer.put(value);
  return buffer;
}

/// The triangle (0,0,0) (1,0,0) (0,1,0), as 36 bytes of floats.
inline const std::vector<float> small_triangle{0, 0, 0, 1, 0, 0, 0, 1, 0};
inline const std::string small_triangle_members =
    R"("meshes": [{"primitives": [{"attributes": {"POSITION": 0}}]}],
       "accessors": [{"bufferView": 0, "componentType": 5126, "count": 3, "type": "VEC3"}],
       "bufferViews": [{"buffer": 0, "byteLength": 36}], )";

}  // namespace carom::test

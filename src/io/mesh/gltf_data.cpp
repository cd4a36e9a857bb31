#include "io/mesh/gltf_data.hpp"

#include <algorithm>
#include <array>
#include <charconv>
#include <cmath>
#include <limits>
#include <map>

#include "core/check.hpp"
#include "io/base64.hpp"
#include "io/endian.hpp"
#include "io/file_bytes.hpp"

namespace carom::io {

namespace {

constexpr std::string_view glb_magic = "glTF";
constexpr std::uint32_t glb_json = 0x4e4f534a;
constexpr std::uint32_t glb_binary = 0x004e4942;

std::uint32_t bytes_of_component(std::uint32_t type) {
  switch (type) {
    case 5120:  // signed and unsigned byte
    case 5121:
      return 1;
    case 5122:  // signed and unsigned short
    case 5123:
      return 2;
    case 5125:  // unsigned int, float
    case 5126:
      return 4;
    default:
      return 0;
  }
}

double load_component(const std::uint8_t* at, std::uint32_t type, bool normalized) {
  switch (type) {
    case 5120: {
      const double value = load_little<std::int8_t>(at);
      return normalized ? std::max(value / 127, -1.0) : value;
    }
    case 5121:
      return normalized ? *at / 255.0 : *at;
    case 5122: {
      const double value = load_little<std::int16_t>(at);
      return normalized ? std::max(value / 32767, -1.0) : value;
    }
    case 5123: {
      const double value = load_little<std::uint16_t>(at);
      return normalized ? value / 65535 : value;
    }
    case 5125:
      return load_little<std::uint32_t>(at);
    default:
      return static_cast<double>(load_little<float>(at));
  }
}

std::uint32_t component_type(const JsonField& object) {
  const auto type = static_cast<std::uint32_t>(gltf_count(object, "componentType", 0));
  if (bytes_of_component(type) == 0)
    object.fail(ErrorCode::bad_format, fmt::format("componentType {} is not known", type));
  return type;
}

/// "a%20b" is "a b".
std::string decode_percent(std::string_view text) {
  std::string out;
  for (std::size_t i = 0; i < text.size(); ++i) {
    unsigned code = 0;
    if (text[i] == '%' && i + 2 < text.size() &&
        std::from_chars(text.data() + i + 1, text.data() + i + 3, code, 16).ptr == text.data() + i + 3) {
      out.push_back(static_cast<char>(code));
      i += 2;
    } else {
      out.push_back(text[i]);
    }
  }
  return out;
}

}  // namespace

GltfChunks split_gltf(std::span<const std::uint8_t> bytes, const std::string& name) {
  const std::string_view text(reinterpret_cast<const char*>(bytes.data()), bytes.size());
  GltfChunks chunks;
  if (!text.starts_with(glb_magic)) {
    chunks.json = text;
    return chunks;
  }
  constexpr std::size_t head = 12;  // magic, version, length
  require(bytes.size() >= head, ErrorCode::truncated, "{}: has {} bytes; binary glTF has at least {}", name,
          bytes.size(), head);
  chunks.version = load_little<std::uint32_t>(bytes.data() + 4);
  if (chunks.version == 1) return chunks;  // which has no chunks
  constexpr std::size_t chunk_head = 8;
  std::size_t at = head;
  while (bytes.size() >= at + chunk_head) {
    const std::uint64_t size = load_little<std::uint32_t>(bytes.data() + at);
    const auto type = load_little<std::uint32_t>(bytes.data() + at + 4);
    at += chunk_head;
    require(size <= bytes.size() - at, ErrorCode::truncated,
            "{}: the chunk at byte {} should have {} bytes, but only {} are left", name, at - chunk_head, size,
            bytes.size() - at);
    if (type == glb_json && chunks.json.empty()) chunks.json = text.substr(at, size);
    if (type == glb_binary && chunks.binary.empty()) chunks.binary = bytes.subspan(at, size);
    at += static_cast<std::size_t>(size + 3) / 4 * 4;  // chunks begin at multiples of 4
  }
  require(!chunks.json.empty(), ErrorCode::truncated, "{}: has no chunk of JSON", name);
  return chunks;
}

std::uint64_t gltf_count(const JsonField& object, std::string_view member, std::uint64_t otherwise) {
  JsonObject members(object);
  const auto field = members.find(member);
  if (!field) return otherwise;
  const double value = field->number(Sign::not_negative);
  // A sum or a product of two stays within 64 bits.
  if (value != std::trunc(value) || value > std::numeric_limits<std::uint32_t>::max())
    field->expected("an integer of 0 to 4294967295");
  return static_cast<std::uint64_t>(value);
}

GltfData::GltfData(const JsonValue& root, const GltfChunks& chunks, const std::filesystem::path& path,
                   const std::string& name)
    : name_(name), root_(root, name_), bytes_(chunks.json.size() + chunks.binary.size()) {
  read_buffers(path.parent_path(), chunks.binary);
}

void GltfData::read_buffers(const std::filesystem::path& folder, std::span<const std::uint8_t> binary) {
  JsonObject members(root_);
  const auto list = members.find("buffers");
  if (!list) return;
  const JsonValue::Array& items = list->array("a list");
  std::map<std::string, std::span<const std::uint8_t>, std::less<>> files;  // each read once
  for (std::size_t i = 0; i < items.size(); ++i) {
    const JsonField field = list->item(items, i);
    const std::uint64_t length = gltf_count(field, "byteLength", 0);
    JsonObject buffer(field);
    const auto uri = buffer.find("uri");
    std::span<const std::uint8_t> bytes;
    if (!uri) {
      if (i == 0) bytes = binary;  // the one within the file
    } else if (const std::size_t comma = uri->text().find(',');
               uri->text().starts_with("data:") && comma != std::string::npos) {
      auto decoded = decode_base64(std::string_view(uri->text()).substr(comma + 1));
      if (!decoded) uri->fail(ErrorCode::bad_format, "has characters that base64 does not have");
      bytes = storage_.emplace_back(std::move(*decoded));
    } else if (const auto found = files.find(uri->text()); found != files.end()) {
      bytes = found->second;
    } else {
      bytes = files[uri->text()] = storage_.emplace_back(read_file(folder / decode_percent(uri->text())));
      bytes_ += bytes.size();
    }
    if (bytes.size() < length)
      field.fail(ErrorCode::truncated, fmt::format("should have {} bytes, but has {}", length, bytes.size()));
    buffers_.push_back(bytes.first(static_cast<std::size_t>(length)));
  }
}

std::size_t GltfData::size(std::string_view list) const {
  JsonObject members(root_);
  const auto field = members.find(list);
  return field ? field->array("a list").size() : 0;
}

const JsonValue& GltfData::item(std::string_view list, const JsonField& reference) const {
  const double index = reference.number();
  const std::size_t count = size(list);
  if (!(index >= 0 && index < static_cast<double>(count) && index == std::trunc(index))) {
    reference.fail(ErrorCode::bad_index, fmt::format("there is no {}[{}]; the file has {}", list, index, count));
  }
  JsonObject members(root_);
  return members.get(list).array("a list")[static_cast<std::size_t>(index)];
}

GltfData::View GltfData::view(const JsonField& reference) {
  const JsonField field(item("bufferViews", reference), name_);
  JsonObject members(field);
  const JsonField buffer = members.get("buffer");
  item("buffers", buffer);
  const std::span<const std::uint8_t> bytes = buffers_[static_cast<std::size_t>(buffer.number())];
  const std::uint64_t offset = gltf_count(field, "byteOffset", 0);
  const std::uint64_t length = gltf_count(field, "byteLength", 0);
  if (offset + length > bytes.size()) {
    reference.fail(ErrorCode::truncated, fmt::format("bufferViews[{}] ends at byte {} of a buffer of {} bytes",
                                                     reference.number(), offset + length, bytes.size()));
  }
  return {bytes.subspan(static_cast<std::size_t>(offset), static_cast<std::size_t>(length)),
          static_cast<std::size_t>(gltf_count(field, "byteStride", 0))};
}

void GltfData::fill(const JsonField& accessor, const View& view, const Layout& layout, std::span<double> out) {
  const std::uint64_t size = bytes_of_component(layout.type);
  const std::uint64_t width = size * layout.components;
  const std::uint64_t stride = view.stride != 0 ? view.stride : width;
  const std::uint64_t count = out.size() / layout.components;
  if (count == 0) return;
  const std::uint64_t end = layout.offset + (count - 1) * stride + width;
  if (stride < width || end > view.bytes.size()) {
    accessor.fail(ErrorCode::truncated, fmt::format("{} elements, {} bytes apart, end at byte {} of a view of {} bytes",
                                                    count, stride, end, view.bytes.size()));
  }
  for (std::uint64_t i = 0; i < count; ++i) {
    const std::uint8_t* at = view.bytes.data() + layout.offset + i * stride;
    for (std::size_t k = 0; k < layout.components; ++k) {
      out[i * layout.components + k] = load_component(at + k * size, layout.type, layout.normalized);
    }
  }
}

void GltfData::apply_sparse(const JsonField& sparse, const Layout& layout, std::span<double> out) {
  JsonObject members(sparse);
  const std::uint64_t count = gltf_count(sparse, "count", 0);
  const std::uint64_t elements = out.size() / layout.components;
  if (count > elements) sparse.fail(ErrorCode::bad_format, fmt::format("count is {} of {}", count, elements));
  const JsonField indices = members.get("indices");
  const JsonField values = members.get("values");
  JsonObject index_members(indices);
  JsonObject value_members(values);
  Layout of_indices{.offset = gltf_count(indices, "byteOffset", 0), .type = component_type(indices)};
  Layout of_values = layout;
  of_values.offset = gltf_count(values, "byteOffset", 0);
  std::vector<double> index(count);
  std::vector<double> value(count * layout.components);
  fill(indices, view(index_members.get("bufferView")), of_indices, index);
  fill(values, view(value_members.get("bufferView")), of_values, value);
  for (std::size_t i = 0; i < count; ++i) {
    if (!(index[i] >= 0 && index[i] < static_cast<double>(elements))) {
      indices.fail(ErrorCode::bad_index,
                   fmt::format("there is no element {}; the accessor has {}", index[i], elements));
    }
    for (std::size_t k = 0; k < layout.components; ++k) {
      out[static_cast<std::size_t>(index[i]) * layout.components + k] = value[i * layout.components + k];
    }
  }
}

std::vector<double> GltfData::numbers(const JsonField& reference, std::size_t components) {
  constexpr std::array<std::string_view, 5> shapes{"", "SCALAR", "VEC2", "VEC3", "VEC4"};
  const std::string_view wanted = components == 16 ? "MAT4" : shapes[components];
  item("accessors", reference);
  JsonObject lists(root_);
  const JsonField list = lists.get("accessors");
  const JsonField field = list.item(list.array("a list"), static_cast<std::size_t>(reference.number()));
  JsonObject members(field);
  const JsonField shape = members.get("type");
  if (shape.text() != wanted) shape.expected(wanted);
  const auto flag = members.find("normalized");
  const Layout layout{.offset = gltf_count(field, "byteOffset", 0),
                      .type = component_type(field),
                      .normalized = flag && flag->flag(),
                      .components = components};
  const std::uint64_t count = gltf_count(field, "count", 0);
  if (count > elements_left_) {
    field.fail(ErrorCode::unsupported,
               fmt::format("{} elements more are beyond the limit; if they are meant, raise max_triangles "
                           "(--max-triangles)",
                           count));
  }
  const auto view_reference = members.find("bufferView");
  const View bytes = view_reference ? view(*view_reference) : View{};
  // Each element takes bytes, unless none has any: a count that lies allocates nothing.
  if (view_reference && count > bytes.bytes.size()) {
    field.fail(ErrorCode::truncated, fmt::format("{} elements in {} bytes", count, bytes.bytes.size()));
  }
  elements_left_ -= count;
  std::vector<double> out(static_cast<std::size_t>(count) * components);
  if (view_reference) fill(field, bytes, layout, out);
  if (const auto sparse = members.find("sparse")) apply_sparse(*sparse, layout, out);
  return out;
}

}  // namespace carom::io

#include <Eigen/Geometry>
#include <algorithm>
#include <array>
#include <map>
#include <utility>

#include "core/check.hpp"
#include "io/mesh/gltf_data.hpp"
#include "io/mesh/mesh_builder.hpp"
#include "io/mesh/mesh_parse.hpp"

namespace carom::io {

namespace {

constexpr std::string_view draco = "KHR_draco_mesh_compression";
constexpr std::string_view quantization = "KHR_mesh_quantization";
constexpr std::string_view instancing = "EXT_mesh_gpu_instancing";

/// Extensions about the appearance of surfaces, not their geometry.
bool is_appearance(std::string_view extension) {
  constexpr std::array<std::string_view, 6> prefixes{"KHR_materials_", "EXT_materials_", "KHR_texture_",
                                                     "EXT_texture_",   "MSFT_texture_",  "KHR_lights_"};
  constexpr std::array<std::string_view, 5> names{"EXT_lights_image_based", "KHR_xmp", "KHR_xmp_json_ld",
                                                  "KHR_animation_pointer", "KHR_techniques_webgl"};
  return std::any_of(prefixes.begin(), prefixes.end(), [&](auto prefix) { return extension.starts_with(prefix); }) ||
         std::find(names.begin(), names.end(), extension) != names.end();
}

std::vector<std::string> extension_names(const JsonField& root, std::string_view list) {
  JsonObject members(root);
  const auto field = members.find(list);
  std::vector<std::string> names;
  if (!field) return names;
  const JsonValue::Array& items = field->array("a list");
  for (std::size_t i = 0; i < items.size(); ++i) names.push_back(field->item(items, i).text());
  return names;
}

bool has_name(const std::vector<std::string>& names, std::string_view name) {
  return std::find(names.begin(), names.end(), name) != names.end();
}

/// The member of `extensions` of an object, if there is one.
const JsonValue* extension_of(const JsonField& object, std::string_view name) {
  JsonObject members(object);
  const auto extensions = members.find("extensions");
  if (!extensions) return nullptr;
  JsonObject list(*extensions);
  const auto found = list.find(name);
  return found ? &found->value() : nullptr;
}

Eigen::Matrix4d node_matrix(const JsonField& node) {
  JsonObject members(node);
  const auto list = [&](std::string_view name, std::size_t count) {
    std::vector<double> values;
    const auto field = members.find(name);
    if (!field) return values;
    const JsonValue::Array& items = field->array("a list of numbers");
    if (items.size() != count) field->expected(fmt::format("a list of {} numbers", count));
    for (std::size_t i = 0; i < count; ++i) values.push_back(field->item(items, i).number());
    return values;
  };
  if (const auto m = list("matrix", 16); !m.empty()) return Eigen::Map<const Eigen::Matrix4d>(m.data());
  Eigen::Affine3d result = Eigen::Affine3d::Identity();
  if (const auto t = list("translation", 3); !t.empty()) result.translate(Eigen::Vector3d(t[0], t[1], t[2]));
  if (const auto r = list("rotation", 4); !r.empty())
    result.rotate(Eigen::Quaterniond(r[3], r[0], r[1], r[2]).normalized());
  if (const auto s = list("scale", 3); !s.empty()) result.scale(Eigen::Vector3d(s[0], s[1], s[2]));
  return result.matrix();
}

/// EXT_mesh_gpu_instancing: each instance is moved by its own translation, rotation and scale first, then by its node.
struct Instances {
  std::vector<double> translations, rotations, scales;  ///< empty, or 3, 4 and 3 numbers for each
  std::size_t count = 0;

  Eigen::Matrix4d matrix(std::size_t i) const {
    Eigen::Affine3d result = Eigen::Affine3d::Identity();
    if (!translations.empty()) result.translate(Eigen::Map<const Eigen::Vector3d>(&translations[3 * i]));
    if (!rotations.empty()) result.rotate(Eigen::Quaterniond(Eigen::Vector4d::Map(&rotations[4 * i])).normalized());
    if (!scales.empty()) result.scale(Eigen::Map<const Eigen::Vector3d>(&scales[3 * i]));
    return result.matrix();
  }
};

class GltfReader {
 public:
  GltfReader(GltfData& data, const std::string& name, std::uint64_t max_triangles)
      : name_(name), data_(data), builder_(name, max_triangles) {
    // Elements with bytes of their own are no more than bytes; the rest are shared or zeros.
    data_.set_max_elements(data_.bytes() + 2 * max_triangles);
  }

  MeshFile parse() {
    add_scene();
    MeshFile file = builder_.take();
    file.up = std::string("y");
    file.up_told_by = file.unit_told_by = ToldBy::format;
    return file;
  }

 private:
  struct Visit {
    std::size_t node;
    Eigen::Matrix4d to_world;
  };

  void add_scene() {
    JsonObject members(data_.root());
    const auto nodes = members.find("nodes");
    if (!nodes) return;
    const JsonValue::Array& items = nodes->array("a list");
    std::vector<Visit> open;
    const auto push = [&](const JsonField& list, const Eigen::Matrix4d& to_world) {
      const JsonValue::Array& indices = list.array("a list of nodes");
      for (std::size_t i = indices.size(); i-- > 0;) {
        const JsonField index = list.item(indices, i);
        data_.item("nodes", index);
        open.push_back({static_cast<std::size_t>(index.number()), to_world});
      }
    };
    const Eigen::Matrix4d identity = Eigen::Matrix4d::Identity();
    if (data_.size("scenes") > 0) {
      const JsonValue first{0.0};
      const auto chosen = members.find("scene");
      const JsonField scene(data_.item("scenes", chosen ? *chosen : JsonField(first, name_)), name_);
      JsonObject scene_members(scene);
      if (const auto roots = scene_members.find("nodes")) push(*roots, identity);
    } else {
      push_roots(*nodes, items, open);
    }
    // Nodes are a forest: one that comes twice is an error, and ends a circle.
    std::vector<char> visited(items.size(), 0);
    while (!open.empty()) {
      const Visit visit = open.back();
      open.pop_back();
      const JsonField node = nodes->item(items, visit.node);
      if (std::exchange(visited[visit.node], 1) != 0)
        node.fail(ErrorCode::bad_format, "has two parents, or is among its own children");
      const Eigen::Matrix4d to_world = visit.to_world * node_matrix(node);
      add_node(node, visit.node, to_world);
      JsonObject node_members(node);
      if (const auto children = node_members.find("children")) push(*children, to_world);
    }
  }

  /// A file without scenes: all nodes that are nobody's child.
  void push_roots(const JsonField& nodes, const JsonValue::Array& items, std::vector<Visit>& open) const {
    std::vector<char> is_child(items.size(), 0);
    for (std::size_t i = 0; i < items.size(); ++i) {
      const JsonField node = nodes.item(items, i);
      JsonObject members(node);
      const auto children = members.find("children");
      if (!children) continue;
      const JsonValue::Array& indices = children->array("a list of nodes");
      for (std::size_t k = 0; k < indices.size(); ++k) {
        const JsonField index = children->item(indices, k);
        data_.item("nodes", index);
        is_child[static_cast<std::size_t>(index.number())] = 1;
      }
    }
    for (std::size_t i = items.size(); i-- > 0;) {
      if (is_child[i] == 0) open.push_back({i, Eigen::Matrix4d::Identity()});
    }
  }

  void add_node(const JsonField& node, std::size_t index, const Eigen::Matrix4d& to_world) {
    JsonObject members(node);
    const auto reference = members.find("mesh");
    if (!reference) return;
    const std::vector<TriangleMesh>& mesh = primitives(*reference);
    const auto named = members.find("name");
    std::string object_name = named ? named->text() : std::string();
    if (object_name.empty()) object_name = mesh_name(*reference);
    if (object_name.empty()) object_name = fmt::format("node {}", index);
    const JsonValue* instances = extension_of(node, instancing);
    if (instances == nullptr) return add_object(object_name, mesh, to_world);
    if (mesh.empty()) return;
    const Instances placed = read_instances(JsonField(*instances, name_), index);
    for (std::size_t i = 0; i < placed.count; ++i) {
      add_object(fmt::format("{}[{}]", object_name, i), mesh, to_world * placed.matrix(i));
    }
  }

  std::string mesh_name(const JsonField& reference) const {
    const JsonField mesh(data_.item("meshes", reference), name_);
    JsonObject members(mesh);
    const auto found = members.find("name");
    return found ? found->text() : std::string();
  }

  Instances read_instances(const JsonField& extension, std::size_t node) {
    JsonObject members(extension);
    const JsonField attributes = members.get("attributes");
    JsonObject lists(attributes);
    Instances result;
    const std::array<std::pair<std::string_view, std::vector<double>*>, 3> wanted{
        {{"TRANSLATION", &result.translations}, {"ROTATION", &result.rotations}, {"SCALE", &result.scales}}};
    for (const auto& [attribute, values] : wanted) {
      const auto reference = lists.find(attribute);
      if (!reference) continue;
      const std::size_t components = attribute == "ROTATION" ? 4 : 3;
      *values = data_.numbers(*reference, components);
      const std::size_t count = values->size() / components;
      require(result.count == 0 || count == result.count, ErrorCode::bad_format,
              "{}: nodes[{}]: {} instances, but {} of {}", name_, node, result.count, count, attribute);
      result.count = count;
    }
    return result;
  }

  void add_object(const std::string& object_name, const std::vector<TriangleMesh>& mesh,
                  const Eigen::Matrix4d& to_world) {
    builder_.begin_object(object_name);
    for (const TriangleMesh& primitive : mesh) {
      std::vector<Index> vertex(primitive.positions.size(), none);
      for (const Triangle& triangle : primitive.triangles) {
        Triangle placed;
        for (std::size_t k = 0; k < 3; ++k) {
          const auto corner = static_cast<std::size_t>(triangle[k]);
          if (vertex[corner] == none)
            vertex[corner] = builder_.vertex((to_world * primitive.positions[corner].homogeneous()).head<3>());
          placed[k] = vertex[corner];
        }
        builder_.triangle(placed);
      }
    }
  }

  const std::vector<TriangleMesh>& primitives(const JsonField& reference) {
    const JsonValue& value = data_.item("meshes", reference);
    const auto found = meshes_.find(&value);
    if (found != meshes_.end()) return found->second;
    std::vector<TriangleMesh> read;
    JsonObject lists(data_.root());
    const JsonField meshes = lists.get("meshes");
    const JsonField mesh = meshes.item(meshes.array("a list"), static_cast<std::size_t>(reference.number()));
    JsonObject members(mesh);
    if (const auto list = members.find("primitives")) {
      const JsonValue::Array& items = list->array("a list");
      for (std::size_t i = 0; i < items.size(); ++i) {
        TriangleMesh primitive = read_primitive(list->item(items, i));
        if (!primitive.triangles.empty()) read.push_back(std::move(primitive));
      }
    }
    return meshes_.emplace(&value, std::move(read)).first->second;
  }

  TriangleMesh read_primitive(const JsonField& field) {
    constexpr std::uint64_t list_mode = 4, strip_mode = 5, fan_mode = 6;
    TriangleMesh result;
    const std::uint64_t mode = gltf_count(field, "mode", list_mode);
    JsonObject members(field);
    const auto attributes = members.find("attributes");
    if (mode < list_mode || mode > fan_mode || !attributes) return result;  // points and lines
    JsonObject attribute_members(*attributes);
    const auto reference = attribute_members.find("POSITION");
    if (!reference) return result;
    const std::vector<double>& positions = cached_positions(*reference);
    const std::size_t vertices = positions.size() / 3;
    std::vector<double> order;
    if (const auto indices = members.find("indices")) {
      order = data_.numbers(*indices, 1);
    } else {
      for (std::size_t i = 0; i < vertices; ++i) order.push_back(static_cast<double>(i));
    }
    // Only vertices that triangles use: primitives may share the positions of a whole file.
    renamed_.resize(std::max(renamed_.size(), vertices), none);
    std::vector<Index> corners;
    std::vector<std::size_t> used;
    for (const double index : order) {
      if (!(index >= 0 && index < static_cast<double>(vertices)))
        field.fail(ErrorCode::bad_index, fmt::format("there is no vertex {}; there are {}", index, vertices));
      const auto at = static_cast<std::size_t>(index);
      if (renamed_[at] == none) {
        renamed_[at] = static_cast<Index>(result.positions.size());
        result.positions.emplace_back(positions[3 * at], positions[3 * at + 1], positions[3 * at + 2]);
        used.push_back(at);
      }
      corners.push_back(renamed_[at]);
    }
    for (const std::size_t at : used) renamed_[at] = none;
    if (mode == fan_mode) {
      add_fan(corners, result.triangles);
    } else if (mode == strip_mode) {
      add_strip(corners, result.triangles);
    } else {
      for (std::size_t i = 0; i + 2 < corners.size(); i += 3)
        result.triangles.push_back({corners[i], corners[i + 1], corners[i + 2]});
    }
    return result;
  }

  const std::vector<double>& cached_positions(const JsonField& reference) {
    const JsonValue& accessor = data_.item("accessors", reference);
    const auto found = positions_.find(&accessor);
    if (found != positions_.end()) return found->second;
    return positions_.emplace(&accessor, data_.numbers(reference, 3)).first->second;
  }

  const std::string& name_;
  GltfData& data_;
  MeshBuilder builder_;
  std::map<const JsonValue*, std::vector<TriangleMesh>> meshes_;
  std::map<const JsonValue*, std::vector<double>> positions_;  ///< by accessor
  std::vector<Index> renamed_;                                 ///< `none` between primitives
};

/// Whether only assimp reads this file: it is of version 1, or compressed by Draco. Throws Error for an extension that
/// holds geometry and is not known.
bool is_for_assimp(const JsonField& root, const std::string& name) {
  JsonObject members(root);
  const JsonField asset = members.get("asset");
  JsonObject asset_members(asset);
  const auto version = asset_members.find("version");
  const bool is_old = version && version->text().starts_with('1');
  const std::vector<std::string> required = extension_names(root, "extensionsRequired");
  const std::vector<std::string> used = extension_names(root, "extensionsUsed");
  const bool has_draco = has_name(required, draco) || has_name(used, draco);
  const bool for_assimp = is_old || has_draco;
  for (const std::string& extension : required) {
    const bool known = extension == draco || (!for_assimp && (extension == quantization || extension == instancing));
    require(known || is_appearance(extension), ErrorCode::unsupported,
            "{}: needs the glTF extension {}, which is not supported{}", name, extension,
            has_draco ? " together with KHR_draco_mesh_compression" : "");
  }
  // Instances that are left out make a wrong answer, though the file calls the extension optional.
  require(!for_assimp || !has_name(used, instancing), ErrorCode::unsupported,
          "{}: uses the glTF extension {}, which is not supported together with {}", name, instancing,
          is_old ? "version 1" : draco);
  return for_assimp;
}

}  // namespace

MeshFile parse_gltf(std::span<const std::uint8_t> bytes, const std::filesystem::path& path,
                    std::uint64_t max_triangles) {
  const std::string name = path.string();
  const GltfChunks chunks = split_gltf(bytes, name);
  if (chunks.version != 1) {
    const JsonValue root = parse_json(chunks.json, name);
    if (!is_for_assimp(JsonField(root, name), name)) {
      GltfData data(root, chunks, path, name);
      return GltfReader(data, name, triangle_limit(max_triangles, data.bytes())).parse();
    }
  }
  // Draco packs a triangle into less than a byte, but not into an eighth of one.
  MeshFile file = import_with_assimp(name, triangle_limit(max_triangles, 8 * bytes.size()));
  file.up = std::string("y");
  file.up_told_by = file.unit_told_by = ToldBy::format;
  return file;
}

}  // namespace carom::io

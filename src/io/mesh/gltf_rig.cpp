#include "io/mesh/gltf_rig.hpp"

#include <algorithm>
#include <cmath>
#include <map>

#include "core/check.hpp"
#include "io/mesh/mesh_parse.hpp"

namespace carom::io {
namespace {

using Eigen::Vector3d;

std::vector<double> numbers_of(JsonObject& members, std::string_view name, std::size_t count) {
  std::vector<double> values;
  const auto field = members.find(name);
  if (!field) return values;
  const JsonValue::Array& items = field->array("a list of numbers");
  if (count != 0 && items.size() != count) field->expected(fmt::format("a list of {} numbers", count));
  for (std::size_t i = 0; i < items.size(); ++i) values.push_back(field->item(items, i).number());
  return values;
}

class RigReader {
 public:
  RigReader(GltfData& data, const std::string& name) : data_(data), name_(name), root_(data.root()) {}

  Rig read(const std::string& animation) {
    read_nodes();
    read_parts();
    require(!rig_.triangles.empty(), ErrorCode::bad_mesh, "{}: no node has a mesh with triangles", name_);
    read_animation(animation);
    return std::move(rig_);
  }

 private:
  /// Calls `act` with each member of a list of the file, if it has that list.
  template <class Act>
  void for_each(std::string_view list, const Act& act) {
    const auto field = root_.find(list);
    if (!field) return;
    const JsonValue::Array& items = field->array("a list");
    for (std::size_t i = 0; i < items.size(); ++i) act(field->item(items, i), i);
  }

  std::size_t index_in(std::string_view list, const JsonField& reference) const {
    data_.item(list, reference);
    return static_cast<std::size_t>(reference.number());
  }

  void read_nodes() {
    rig_.nodes.resize(data_.size("nodes"));
    for_each("nodes", [&](const JsonField& field, std::size_t i) {
      RigNode& node = rig_.nodes[i];
      JsonObject members(field);
      if (const auto m = numbers_of(members, "matrix", 16); !m.empty()) node.matrix = Eigen::Matrix4d::Map(m.data());
      const auto t = numbers_of(members, "translation", 3);
      const auto r = numbers_of(members, "rotation", 4);
      const auto s = numbers_of(members, "scale", 3);
      if (!t.empty()) node.translation = {t[0], t[1], t[2]};
      if (!r.empty()) node.rotation = Eigen::Quaterniond(r[3], r[0], r[1], r[2]).normalized();
      if (!s.empty()) node.scale = {s[0], s[1], s[2]};
      if (!t.empty() || !r.empty() || !s.empty())
        node.matrix = (Eigen::Translation3d(node.translation) * node.rotation * Eigen::Scaling(node.scale)).matrix();
      const auto children = members.find("children");
      if (!children) return;
      const JsonValue::Array& items = children->array("a list of nodes");
      for (std::size_t k = 0; k < items.size(); ++k) {
        const JsonField child = children->item(items, k);
        std::size_t& parent = rig_.nodes[index_in("nodes", child)].parent;
        if (parent != RigNode::none_node) child.fail(ErrorCode::bad_format, "has two parents");
        parent = i;
      }
    });
    order_nodes();
  }

  void order_nodes() {
    std::vector<char> done(rig_.nodes.size(), 0);
    for (std::size_t i = 0; i < rig_.nodes.size(); ++i) {
      std::vector<std::size_t> up;
      for (std::size_t n = i; n != RigNode::none_node && done[n] == 0; n = rig_.nodes[n].parent) {
        require(up.size() < rig_.nodes.size(), ErrorCode::bad_format, "{}: nodes[{}] is among its own children", name_,
                i);
        up.push_back(n);
      }
      for (auto n = up.rbegin(); n != up.rend(); ++n) {
        if (std::exchange(done[*n], 1) == 0) rig_.order.push_back(*n);
      }
    }
  }

  void read_parts() {
    for_each("nodes", [&](const JsonField& field, std::size_t i) {
      JsonObject members(field);
      const auto mesh = members.find("mesh");
      if (!mesh) return;
      RigPart part;
      part.node = i;
      part.first = rig_.vertex_count;
      part.weights = numbers_of(members, "weights", 0);
      const auto skin = members.find("skin");
      if (skin) read_skin(*skin, part);
      read_mesh(*mesh, skin.has_value(), part);
      rig_.vertex_count += part.positions.size();
      rig_.parts.push_back(std::move(part));
    });
  }

  void read_skin(const JsonField& reference, RigPart& part) {
    const std::size_t number = index_in("skins", reference);
    for_each("skins", [&](const JsonField& skin, std::size_t i) {
      if (i != number) return;
      JsonObject members(skin);
      const JsonField joints = members.get("joints");
      const JsonValue::Array& items = joints.array("a list of nodes");
      for (std::size_t k = 0; k < items.size(); ++k) part.joints.push_back(index_in("nodes", joints.item(items, k)));
      if (part.joints.empty()) joints.expected("at least one node");
      part.inverse_bind.assign(part.joints.size(), Eigen::Matrix4d::Identity());
      const auto matrices = members.find("inverseBindMatrices");
      if (!matrices) return;
      const std::vector<double> values = data_.numbers(*matrices, 16);
      if (values.size() < 16 * part.joints.size())
        matrices->fail(ErrorCode::bad_format,
                       fmt::format("has {} matrices; the skin has {} joints", values.size() / 16, part.joints.size()));
      for (std::size_t k = 0; k < part.joints.size(); ++k)
        part.inverse_bind[k] = Eigen::Matrix4d::Map(values.data() + 16 * k);
    });
  }

  void read_mesh(const JsonField& reference, bool skinned, RigPart& part) {
    const std::size_t number = index_in("meshes", reference);
    for_each("meshes", [&](const JsonField& mesh, std::size_t i) {
      if (i != number) return;
      JsonObject members(mesh);
      if (part.weights.empty()) part.weights = numbers_of(members, "weights", 0);
      const auto list = members.find("primitives");
      if (!list) return;
      const JsonValue::Array& items = list->array("a list");
      std::map<std::array<double, 3>, std::size_t> known;  // vertices of this node by position
      for (std::size_t k = 0; k < items.size(); ++k) add_primitive(list->item(items, k), skinned, known, part);
      if (part.weights.empty()) part.weights.assign(part.targets.size(), 0);
      if (part.weights.size() != part.targets.size())
        mesh.fail(ErrorCode::bad_format,
                  fmt::format("has {} weights for {} morph targets", part.weights.size(), part.targets.size()));
    });
  }

  void add_primitive(const JsonField& field, bool skinned, std::map<std::array<double, 3>, std::size_t>& known,
                     RigPart& part) {
    constexpr std::uint64_t list_mode = 4, strip_mode = 5, fan_mode = 6;
    const std::uint64_t mode = gltf_count(field, "mode", list_mode);
    JsonObject members(field);
    const auto attributes = members.find("attributes");
    if (mode < list_mode || mode > fan_mode || !attributes) return;  // points and lines
    JsonObject lists(*attributes);
    const auto reference = lists.find("POSITION");
    if (!reference) return;
    const std::vector<double> positions = data_.numbers(*reference, 3);
    const std::size_t count = positions.size() / 3;
    const auto of_vertices = [&](const JsonField& accessor, std::size_t components) {
      std::vector<double> values = data_.numbers(accessor, components);
      if (values.size() != components * count)
        accessor.fail(ErrorCode::bad_format,
                      fmt::format("has {} elements for {} vertices", values.size() / components, count));
      return values;
    };
    std::vector<double> joints;
    std::vector<double> weights;
    if (skinned) {
      joints = of_vertices(lists.get("JOINTS_0"), 4);
      weights = of_vertices(lists.get("WEIGHTS_0"), 4);
    }
    std::vector<std::vector<double>> targets;
    if (const auto list = members.find("targets")) {
      const JsonValue::Array& items = list->array("a list");
      for (std::size_t k = 0; k < items.size(); ++k) {
        const JsonField target = list->item(items, k);
        JsonObject displaced(target);
        const auto accessor = displaced.find("POSITION");
        targets.push_back(accessor ? of_vertices(*accessor, 3) : std::vector<double>(positions.size()));
      }
    }
    if (!part.positions.empty() && targets.size() != part.targets.size())
      field.fail(ErrorCode::bad_format, fmt::format("has {} morph targets; the primitives before it have {}",
                                                    targets.size(), part.targets.size()));
    part.targets.resize(targets.size());

    std::vector<Index> vertex(count);
    for (std::size_t v = 0; v < count; ++v) {
      const std::array<double, 3> at{positions[3 * v], positions[3 * v + 1], positions[3 * v + 2]};
      const auto [found, added] = known.try_emplace(at, part.positions.size());
      vertex[v] = static_cast<Index>(part.first + found->second);
      if (!added) continue;
      part.positions.emplace_back(at[0], at[1], at[2]);
      for (std::size_t k = 0; k < targets.size(); ++k)
        part.targets[k].emplace_back(targets[k][3 * v], targets[k][3 * v + 1], targets[k][3 * v + 2]);
      if (skinned) add_influences(field, v, {&joints[4 * v], 4}, {&weights[4 * v], 4}, part);
    }
    add_triangles(field, mode == strip_mode, mode == fan_mode, vertex);
  }

  void add_influences(const JsonField& field, std::size_t vertex, std::span<const double> joints,
                      std::span<const double> weights, RigPart& part) const {
    auto& influences = part.influences.emplace_back();
    double sum = 0;
    for (std::size_t k = 0; k < 4; ++k) {
      if (!(weights[k] > 0)) continue;
      if (!(joints[k] < static_cast<double>(part.joints.size())))
        field.fail(ErrorCode::bad_index,
                   fmt::format("vertex {} has joint {}; the skin has {}", vertex, joints[k], part.joints.size()));
      influences.emplace_back(static_cast<std::size_t>(joints[k]), weights[k]);
      sum += weights[k];
    }
    if (!(sum > 0)) field.fail(ErrorCode::bad_format, fmt::format("vertex {} has no weight of any joint", vertex));
    for (auto& influence : influences) influence.second /= sum;
  }

  void add_triangles(const JsonField& field, bool strip, bool fan, const std::vector<Index>& vertex) {
    JsonObject members(field);
    std::vector<Index> corners;
    if (const auto indices = members.find("indices")) {
      for (const double index : data_.numbers(*indices, 1)) {
        if (!(index >= 0 && index < static_cast<double>(vertex.size())))
          field.fail(ErrorCode::bad_index, fmt::format("there is no vertex {}; there are {}", index, vertex.size()));
        corners.push_back(vertex[static_cast<std::size_t>(index)]);
      }
    } else {
      corners = vertex;
    }
    const std::size_t before = rig_.triangles.size();
    if (fan) {
      add_fan(corners, rig_.triangles);
    } else if (strip) {
      add_strip(corners, rig_.triangles);
    } else {
      for (std::size_t i = 0; i + 2 < corners.size(); i += 3)
        rig_.triangles.push_back({corners[i], corners[i + 1], corners[i + 2]});
    }
    // Slivers between vertices that became one.
    const auto folded = [](const Triangle& t) { return t[0] == t[1] || t[1] == t[2] || t[2] == t[0]; };
    rig_.triangles.erase(
        std::remove_if(rig_.triangles.begin() + static_cast<std::ptrdiff_t>(before), rig_.triangles.end(), folded),
        rig_.triangles.end());
  }

  void read_animation(const std::string& wanted) {
    for_each("animations", [&](const JsonField& field, std::size_t i) {
      JsonObject members(field);
      const auto named = members.find("name");
      rig_.animations.push_back(named ? named->text() : fmt::format("animation {}", i));
    });
    if (rig_.animations.empty()) {
      require(wanted.empty(), ErrorCode::unknown_name, "{}: has no animation, so none called '{}'", name_, wanted);
      return;
    }
    const auto found = std::find(rig_.animations.begin(), rig_.animations.end(), wanted);
    require(wanted.empty() || found != rig_.animations.end(), ErrorCode::unknown_name,
            "{}: no animation is called '{}'; there are '{}'", name_, wanted, fmt::join(rig_.animations, "', '"));
    const auto number = wanted.empty() ? 0 : static_cast<std::size_t>(found - rig_.animations.begin());
    for_each("animations", [&](const JsonField& field, std::size_t i) {
      if (i != number) return;
      JsonObject members(field);
      const JsonField channels = members.get("channels");
      const JsonField samplers = members.get("samplers");
      const JsonValue::Array& items = channels.array("a list");
      for (std::size_t k = 0; k < items.size(); ++k) read_channel(channels.item(items, k), samplers);
    });
  }

  void read_channel(const JsonField& channel, const JsonField& samplers) {
    JsonObject members(channel);
    const JsonField target = members.get("target");
    JsonObject target_members(target);
    const auto reference = target_members.find("node");
    if (!reference) return;  // of an extension
    RigNode& node = rig_.nodes[index_in("nodes", *reference)];
    const std::size_t number = static_cast<std::size_t>(reference->number());
    const JsonField path = target_members.get("path");
    const JsonField sampler = members.get("sampler");
    const JsonValue::Array& items = samplers.array("a list");
    const double index = sampler.number();
    if (!(index >= 0 && index < static_cast<double>(items.size()) && index == std::trunc(index)))
      sampler.fail(ErrorCode::bad_index, fmt::format("there is no sampler {}; there are {}", index, items.size()));
    const auto at = static_cast<std::size_t>(index);
    if (path.text() == "translation") {
      node.moved = read_sampler(samplers.item(items, at), 3);
    } else if (path.text() == "rotation") {
      node.turned = read_sampler(samplers.item(items, at), 4);
    } else if (path.text() == "scale") {
      node.scaled = read_sampler(samplers.item(items, at), 3);
    } else if (path.text() == "weights") {
      std::size_t targets = 0;
      for (const RigPart& part : rig_.parts) {
        if (part.node == number) targets = part.targets.size();
      }
      if (targets == 0) path.fail(ErrorCode::bad_format, fmt::format("nodes[{}] has no morph targets", number));
      node.weighted = read_sampler(samplers.item(items, at), targets);
    }
  }

  GltfSampler read_sampler(const JsonField& field, std::size_t components) {
    JsonObject members(field);
    GltfSampler sampler;
    sampler.components = components;
    if (const auto kind = members.find("interpolation")) {
      constexpr std::array<std::string_view, 3> names{"LINEAR", "STEP", "CUBICSPLINE"};
      sampler.kind = static_cast<GltfSampler::Kind>(kind->choice(names));
    }
    const JsonField input = members.get("input");
    sampler.times = data_.numbers(input, 1);
    if (sampler.times.empty()) input.expected("at least one time");
    for (std::size_t i = 1; i < sampler.times.size(); ++i) {
      if (!(sampler.times[i] > sampler.times[i - 1]))
        input.fail(ErrorCode::bad_format, fmt::format("time {} is not after the one before", i));
    }
    const JsonField output = members.get("output");
    // Weights of morphs are single numbers, one after the other.
    sampler.values = data_.numbers(output, components == 3 || components == 4 ? morph_or(output, components) : 1);
    const std::size_t wanted = sampler.times.size() * components * (sampler.kind == GltfSampler::Kind::cubic ? 3 : 1);
    if (sampler.values.size() != wanted)
      output.fail(ErrorCode::bad_format, fmt::format("has {} numbers; expected {}", sampler.values.size(), wanted));
    rig_.duration = std::max(rig_.duration, sampler.times.back());
    return sampler;
  }

  /// Components of an accessor that holds vectors, or single numbers where three or four morphs have weights.
  std::size_t morph_or(const JsonField& reference, std::size_t components) const {
    const JsonField accessor(data_.item("accessors", reference), name_);
    JsonObject members(accessor);
    return members.get("type").text() == "SCALAR" ? 1 : components;
  }

  GltfData& data_;
  const std::string& name_;
  JsonObject root_;
  Rig rig_;
};

Eigen::Matrix4d local_matrix(const RigNode& node, double time) {
  if (!node.moved && !node.turned && !node.scaled) return node.matrix;
  Vector3d translation = node.translation;
  Vector3d scale = node.scale;
  Eigen::Quaterniond rotation = node.rotation;
  if (node.moved) node.moved->sample(time, false, translation.data());
  if (node.scaled) node.scaled->sample(time, false, scale.data());
  if (node.turned) node.turned->sample(time, true, rotation.coeffs().data());
  return (Eigen::Translation3d(translation) * rotation.normalized() * Eigen::Scaling(scale)).matrix();
}

}  // namespace

void Rig::pose(double time, std::span<Vector3d> out) const {
  std::vector<Eigen::Matrix4d> to_world(nodes.size());
  for (const std::size_t n : order) {
    const Eigen::Matrix4d local = local_matrix(nodes[n], time);
    to_world[n] = nodes[n].parent == RigNode::none_node ? local : Eigen::Matrix4d(to_world[nodes[n].parent] * local);
  }
  std::vector<Eigen::Matrix4d> joint_matrices;
  for (const RigPart& part : parts) {
    std::vector<double> weights = part.weights;
    if (nodes[part.node].weighted) nodes[part.node].weighted->sample(time, false, weights.data());
    joint_matrices.clear();
    for (std::size_t k = 0; k < part.joints.size(); ++k)
      joint_matrices.emplace_back(to_world[part.joints[k]] * part.inverse_bind[k]);
    for (std::size_t v = 0; v < part.positions.size(); ++v) {
      Vector3d p = part.positions[v];
      for (std::size_t k = 0; k < weights.size(); ++k) p += weights[k] * part.targets[k][v];
      Eigen::Vector4d moved = Eigen::Vector4d::Zero();
      if (part.joints.empty()) {
        moved = to_world[part.node] * p.homogeneous();
      } else {
        for (const auto& [joint, weight] : part.influences[v])
          moved += weight * (joint_matrices[joint] * p.homogeneous());
      }
      out[part.first + v] = moved.head<3>();
    }
  }
}

Rig read_rig(GltfData& data, const std::string& name, const std::string& animation) {
  return RigReader(data, name).read(animation);
}

}  // namespace carom::io

#include "recorders.hpp"

#include <algorithm>
#include <cfloat>
#include <set>
#include <utility>

#include "carom/core/version.hpp"
#include "carom/shape/shape_surface.hpp"

namespace carom::app {

namespace {

/// Contact points are for looking at: beyond the range of float its end will do.
Eigen::Vector3f to_float(const Eigen::Vector3d& point) {
  constexpr double largest = FLT_MAX;
  return point.cwiseMax(-largest).cwiseMin(largest).cast<float>();
}

RecordedFeature feature_of(const ContactAnchor& anchor) {
  if (anchor.feature == FeatureKind::edge) return {anchor.feature, {anchor.vertices[0], anchor.vertices[1]}};
  return {anchor.feature, {anchor.index, none}};
}

/// Bodies that are gone by now are left out.
std::vector<RecordedCut> recorded_cuts(std::span<const std::pair<std::uint64_t, WorldCut>> cuts,
                                       const std::map<BodyId, std::uint32_t>& numbers) {
  std::vector<RecordedCut> recorded;
  for (const auto& [step, cut] : cuts) {
    const auto body = numbers.find(cut.body);
    if (body == numbers.end()) continue;
    RecordedCut& event = recorded.emplace_back();
    event.step = step;
    event.body = body->second;
    for (const BodyId id : cut.pieces)
      if (const auto piece = numbers.find(id); piece != numbers.end()) event.pieces.push_back(piece->second);
    event.crossed = static_cast<std::uint32_t>(cut.crossed);
    event.separated = static_cast<std::uint32_t>(cut.separated);
    event.length = cut.length;
    event.area = cut.area;
  }
  return recorded;
}

}  // namespace

Eigen::Vector3d wind_of(const Scene& scene) {
  for (const SceneBody& body : scene.bodies) {
    const auto* cloth = std::get_if<ClothSceneBody>(&body.body);
    if (cloth != nullptr && cloth->wind_source) return cloth->wind_source->velocity;
  }
  return Eigen::Vector3d::Zero();
}

Recorders::Recorders(const Scene& scene, const World& world) : world_(world), every_(1) {
  make_surfaces(scene);
}

Recorders::Recorders(const Scene& scene, const World& world, const std::string& output, bool html, int every,
                     std::optional<int> spheres)
    : world_(world), every_(static_cast<std::uint64_t>(every)), spheres_(spheres) {
  const std::vector<BodyId> ids = world.bodies();
  for (std::size_t i = 0; i < ids.size(); ++i) {
    const auto* cloth = std::get_if<ClothSceneBody>(&scene.bodies[i].body);
    if (cloth != nullptr && cloth->levels > 1) with_levels_.push_back(ids[i]);
  }
  const bool meshes = std::any_of(scene.bodies.begin(), scene.bodies.end(), [](const SceneBody& body) {
    return !std::holds_alternative<RigidSceneBody>(body.body);
  });
  const RecordingMeta meta{.carom_version = std::string(version()),
                           .scene = scene.name,
                           .dt = scene.world.dt * every,
                           .gravity = scene.world.gravity,
                           .contact_distance = meshes ? scene.world.contact.distance : 0,
                           .wind = wind_of(scene),
                           .description = scene.description};
  if (!output.empty() || html) make_surfaces(scene);
  if (output.ends_with(".replay")) {
    open_replay(output);
  } else if (!output.empty()) {
    recording_ = std::make_unique<RecordingWriter>(output, meta);
  }
  if (html) page_ = std::make_unique<RecordingWriter>(meta, PositionEncoding::f32);
}

void Recorders::write_frame() {
  if (!recording_ && !page_ && !replay_) return;
  keep_cuts();
  if (world_.steps() % every_ != 0) return;
  collect();
  const std::vector<RecordedCut> cuts = take_cuts();
  std::vector<BoundingSphere> spheres;
  if (spheres_) spheres = world_.detection_spheres(*spheres_);
  for (RecordingWriter* writer : {recording_.get(), page_.get()})
    if (writer != nullptr) writer->write_frame(world_.time(), bodies_, contacts_, world_.stats(), spheres, cuts);
  if (replay_) {
    joined_.clear();
    for (const FrameBodyView& body : bodies_) {
      for (const Eigen::Vector3d& p : body.positions) joined_.push_back(body.pose ? *body.pose * p : p);
    }
    replay_->write_frame(joined_);
  }
}

void Recorders::keep_cuts() {
  for (const WorldCut& cut : world_.cuts()) {
    cuts_.emplace_back(world_.steps(), cut);
    recut_.insert(cut.body);
    recut_.insert(cut.pieces.begin(), cut.pieces.end());
  }
}

std::vector<RecordedCut> Recorders::take_cuts() {
  const auto cuts = std::exchange(cuts_, {});
  return recorded_cuts(cuts, numbers_);
}

void Recorders::close() {
  if (recording_) recording_->close();
  if (replay_) replay_->close();
  if (page_) page_->close();
}

void Recorders::make_surfaces(const Scene& scene) {
  // Half-spaces are drawn as squares, so much larger than what is on them that the viewer looks at that.
  Eigen::AlignedBox3d all;
  std::vector<BodyId> half_spaces;
  const std::vector<BodyId> bodies = world_.bodies();
  for (std::size_t i = 0; i < bodies.size(); ++i) {
    const auto* spec = std::get_if<RigidSceneBody>(&scene.bodies[i].body);
    if (spec == nullptr) {
      for (const Eigen::Vector3d& p : world_.positions(bodies[i])) all.extend(p);
      continue;
    }
    const Shape& shape = world_.shape(bodies[i]);
    if (shape.kind() == ShapeKind::half_space) {
      half_spaces.push_back(bodies[i]);
      continue;
    }
    const Eigen::Isometry3d pose = world_.pose(bodies[i]);
    RigidSurface& surface = surfaces_[bodies[i]];
    surface.mesh = make_surface(shape);
    surface.moves = spec->motion != MotionModel::fixed;
    for (Eigen::Vector3d& p : surface.mesh.positions) {
      all.extend(pose * p);
      if (!surface.moves) p = pose * p;
    }
  }
  SurfaceOptions options;
  if (!all.isEmpty()) {
    options.half_space_size = std::max(1.0, 4 * all.diagonal().norm());
    options.half_space_centre = all.center();
  }
  for (const BodyId body : half_spaces) {
    const Eigen::Isometry3d pose = world_.pose(body);
    SurfaceOptions placed = options;
    placed.half_space_centre = pose.inverse() * options.half_space_centre;
    TriangleMesh mesh = make_surface(world_.shape(body), placed);
    for (Eigen::Vector3d& p : mesh.positions) p = pose * p;
    surfaces_[body] = {std::move(mesh), false};
  }
}

void Recorders::open_replay(const std::string& path) {
  std::vector<Triangle> triangles;
  std::vector<Index> objects;
  Index first = 0;
  Index object = 0;
  collect();
  for (const FrameBodyView& body : bodies_) {
    for (const Triangle& t : body.triangles) {
      triangles.push_back({t[0] + first, t[1] + first, t[2] + first});
      objects.push_back(object);
    }
    first += static_cast<Index>(body.positions.size());
    ++object;
  }
  replay_ = std::make_unique<ReplayWriter>(path, static_cast<std::size_t>(first), triangles, objects);
}

void Recorders::collect() {
  for (const BodyId id : with_levels_) levels_[id] = world_.vertex_levels(id);
  bodies_.clear();
  numbers_.clear();
  for (const BodyId id : world_.bodies()) {
    const auto number = static_cast<std::uint32_t>(bodies_.size());
    numbers_[id] = number;
    FrameBodyView& body = bodies_.emplace_back();
    body = {number, world_.name(id), world_.motion(id), world_.triangles(id), world_.positions(id)};
    if (const auto levels = levels_.find(id); levels != levels_.end()) body.levels = levels->second;
    const auto surface = surfaces_.find(id);
    if (surface == surfaces_.end()) continue;
    body.triangles = surface->second.mesh.triangles;
    body.positions = surface->second.mesh.positions;
    if (surface->second.moves) body.pose = world_.pose(id);
  }
  for (const BodyId id : recut_)
    if (numbers_.contains(id)) cut_triangles_[id] = world_.cut_triangles(id);
  recut_.clear();
  for (const auto& [id, triangles] : cut_triangles_)
    if (const auto number = numbers_.find(id); number != numbers_.end())
      bodies_[number->second].cut_triangles = triangles;
  contacts_.clear();
  // Contacts are of the surfaces before the cuts of the step: features of a body that was cut may be no more.
  std::set<BodyId> cut;
  for (const WorldCut& c : world_.cuts()) cut.insert(c.body);
  const auto feature = [&](BodyId body, const ContactAnchor& anchor) {
    return cut.contains(body) ? RecordedFeature{} : feature_of(anchor);
  };
  for (const WorldContact& c : world_.contacts()) {
    contacts_.push_back({.id = c.id,
                         .body_a = numbers_.at(c.body_a),
                         .body_b = numbers_.at(c.body_b),
                         .motion = c.motion,
                         .feature_a = feature(c.body_a, c.anchor_a),
                         .feature_b = feature(c.body_b, c.anchor_b),
                         .distance = c.distance,
                         .normal_speed = c.normal_speed,
                         .impulse = c.impulse,
                         .point_a = to_float(c.point_a),
                         .point_b = to_float(c.point_b),
                         .normal = to_float(c.normal)});
  }
}

}  // namespace carom::app

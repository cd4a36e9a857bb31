#include "carom/world.hpp"

#include <algorithm>
#include <bit>
#include <cstring>

#include "bodies/kinematic.hpp"
#include "bodies/make_body.hpp"
#include "bodies/particles.hpp"
#include "bodies/rigid_limits.hpp"
#include "core/check.hpp"
#include "world/state.hpp"

namespace carom {

namespace {

void check_positive(const char* field, double value) {
  require(std::isfinite(value) && value > 0, ErrorCode::invalid_argument, "{} is {}; expected a positive number", field,
          value);
}

void check_not_negative(const char* field, double value) {
  require(std::isfinite(value) && value >= 0, ErrorCode::invalid_argument,
          "{} is {}; expected a number that is not negative", field, value);
}

void check(const RigidOptions& options) {
  require(options.substeps >= 1 && options.substeps <= 1000, ErrorCode::invalid_argument,
          "rigid.substeps is {}; expected 1 to 1000", options.substeps);
  check_positive("rigid.contact_hertz", options.contact_hertz);
  check_positive("rigid.contact_damping", options.contact_damping);
  check_positive("rigid.push_speed", options.push_speed);
  check_not_negative("rigid.contact_zone", options.contact_zone);
  check_positive("rigid.load_memory", options.load_memory);
  require(options.settle_sweeps >= 0 && options.settle_sweeps <= 10000, ErrorCode::invalid_argument,
          "rigid.settle_sweeps is {}; expected 0 to 10000", options.settle_sweeps);
  require(options.impulse_rounds >= 1 && options.impulse_rounds <= 100000, ErrorCode::invalid_argument,
          "rigid.impulse_rounds is {}; expected 1 to 100000", options.impulse_rounds);
  check_not_negative("rigid.impulse_tolerance", options.impulse_tolerance);
  require(options.lcp_points >= 0 && options.lcp_points <= 1000, ErrorCode::invalid_argument,
          "rigid.lcp_points is {}; expected 0 to 1000", options.lcp_points);
  require(options.lcp_directions >= 2 && options.lcp_directions <= 64 && options.lcp_directions % 2 == 0,
          ErrorCode::invalid_argument, "rigid.lcp_directions is {}; expected an even number from 2 to 64",
          options.lcp_directions);
  check_not_negative("rigid.penalty_stiffness", options.penalty_stiffness);
  require(options.penalty_damping >= 0 && options.penalty_damping <= max_penalty_damping, ErrorCode::invalid_argument,
          "rigid.penalty_damping is {}; expected 0 to {}: more is not stable", options.penalty_damping,
          max_penalty_damping);
  require(options.penalty_substeps >= 1 && options.penalty_substeps <= 10000, ErrorCode::invalid_argument,
          "rigid.penalty_substeps is {}; expected 1 to 10000", options.penalty_substeps);
  check_positive("rigid.speculative_distance", options.speculative_distance);
  check_not_negative("rigid.resting_speed", options.resting_speed);
  check_not_negative("rigid.bounce_speed", options.bounce_speed);
  check_not_negative("rigid.sleep_speed", options.sleep_speed);
  check_not_negative("rigid.sleep_after", options.sleep_after);
}

const WorldOptions& checked(const WorldOptions& options) {
  require(is_finite(options.gravity), ErrorCode::not_finite, "gravity is ({}, {}, {}); expected finite",
          options.gravity.x(), options.gravity.y(), options.gravity.z());
  check_positive("dt", options.dt);
  check_positive("contact.distance", options.contact.distance);
  check_not_negative("contact.stiffness", options.contact.stiffness);
  check_not_negative("contact.damping", options.contact.damping);
  check_not_negative("contact.surface_factor", options.contact.surface_factor);
  check(options.rigid);
  return options;
}

const Body& find(const World::State& state, BodyId id) {
  require(state.bodies.contains(id), ErrorCode::bad_index,
          "no body has the id {}.{}: it was removed, or is of another world", id.index, id.generation);
  return state.bodies[id];
}

void check_vertex(const Body& body, Index vertex) {
  require(vertex >= 0 && static_cast<std::size_t>(vertex) < body.positions.size(), ErrorCode::bad_index,
          "body '{}': there is no vertex {} to exclude, only {} vertices", body.name, vertex, body.positions.size());
}

BodyId insert(World::State& state, Body&& body) {
  rigid::WorldState& table = state.rigid.state;
  body.number = static_cast<std::int32_t>(table.bodies.size());
  body.serial = state.next_serial++;
  rigid::SurfaceEntry entry{.name = body.name,
                            .id = {},
                            .deforms = body.kind == BodyKind::particles,
                            .friction = body.friction,
                            .restitution = body.restitution,
                            .group = body.group,
                            .mask = body.mask};
  const BodyId id = state.bodies.insert(std::move(body));
  entry.id = id;
  rigid::add(table.bodies, std::move(entry));
  table.boxed.emplace_back();
  table.tracks.emplace_back();
  table.boxes.resize(table.bodies.colliders.size());
  state.query_tree.forget();
  state.order.push_back(id);
  state.edited = true;
  return id;
}

/// FNV-1a over the bits, eight bytes at a time.
std::uint64_t hash(std::uint64_t seed, std::span<const Eigen::Vector3d> values) {
  for (const Eigen::Vector3d& value : values) {
    for (int k = 0; k < 3; ++k) seed = (seed ^ std::bit_cast<std::uint64_t>(value[k])) * 0x100000001b3ULL;
  }
  return seed;
}

}  // namespace

std::string_view to_string(BodyKind kind) {
  switch (kind) {
    case BodyKind::static_body:
      return "static";
    case BodyKind::kinematic:
      return "kinematic";
    case BodyKind::particles:
      return "particles";
    case BodyKind::rigid:
      return "rigid";
  }
  return "unknown";
}

std::string_view to_string(Detection detection) {
  return detection == Detection::continuous ? "continuous" : "discrete";
}

World::State::State(const WorldOptions& world_options)
    : options(checked(world_options)),
      method(mid::method_by_name(world_options.method)),
      response(response::by_name(world_options.response)),
      workers(world_options.threads) {}

World::World(const WorldOptions& options) : state_(std::make_unique<State>(options)) {}
World::~World() = default;
World::World(World&&) noexcept = default;
World& World::operator=(World&&) noexcept = default;

BodyId World::add(StaticBody body) {
  return insert(*state_, make_body(std::move(body)));
}

BodyId World::add(KinematicBody description) {
  Body body = make_body(std::move(description));
  kinematic::place(body, state_->time, body.positions);
  return insert(*state_, std::move(body));
}

BodyId World::add(ParticleBody description) {
  Body body = make_body(std::move(description));
  require(state_->response != response::Kind::lcp, ErrorCode::unsupported,
          "body '{}': the response 'lcp' does not take particles; 'soft', 'impulse' and 'penalty' do", body.name);
  // The response `soft` makes its inner steps as short as springs need.
  if (state_->response != response::Kind::soft) particles::check_step(body, state_->options.dt);
  return insert(*state_, std::move(body));
}

void World::remove(BodyId body) {
  const std::int32_t number = find(*state_, body).number;
  rigid::remove(state_->rigid, number);
  state_->query_tree.forget();
  for (const BodyId id : state_->order) {
    Body& other = state_->bodies[id];
    if (other.number > number) --other.number;
  }
  state_->contact_list.forget();
  state_->bodies.erase(body);
  std::erase(state_->order, body);
  std::erase_if(state_->excluded_bodies, [&](const auto& pair) { return pair[0] == body || pair[1] == body; });
  std::erase_if(state_->excluded_vertices, [&](const auto& pair) { return pair.a == body || pair.b == body; });
  std::erase_if(state_->pair_detection,
                [&](const auto& entry) { return entry.first[0] == body || entry.first[1] == body; });
  state_->edited = true;

  // Contacts of the last step name bodies; those of this one would name nothing.
  contact::AnchorList& last = state_->contacts;
  std::size_t kept = 0;
  for (std::size_t i = 0; i < last.contacts.size(); ++i) {
    if (last.identities[i].body_a == body || last.identities[i].body_b == body) continue;
    last.contacts[kept] = last.contacts[i];
    last.identities[kept++] = last.identities[i];
  }
  last.contacts.resize(kept);
  last.identities.resize(kept);
}

void World::exclude(BodyId a, BodyId b) {
  const std::int32_t number_a = find(*state_, a).number;
  const std::int32_t number_b = find(*state_, b).number;
  auto& excluded = state_->rigid.state.excluded;
  const std::array<std::int32_t, 2> pair{std::min(number_a, number_b), std::max(number_a, number_b)};
  excluded.insert(std::lower_bound(excluded.begin(), excluded.end(), pair), pair);
  state_->rigid.state.pairs_stale = true;
  rigid::wake_neighbours(state_->rigid.state, number_a);
  rigid::wake_neighbours(state_->rigid.state, number_b);
  state_->excluded_bodies.push_back({a, b});
  state_->filters_edited = true;
}

void World::exclude(BodyId a, Index vertex_a, BodyId b, Index vertex_b) {
  check_vertex(find(*state_, a), vertex_a);
  check_vertex(find(*state_, b), vertex_b);
  state_->excluded_vertices.push_back({a, vertex_a, b, vertex_b});
  state_->filters_edited = true;
}

void World::set_detection(BodyId a, BodyId b, Detection detection) {
  for (const BodyId id : {a, b}) {
    const auto& body = find(*state_, id);
    require(body.has_vertices(), ErrorCode::unsupported,
            "set_detection: body '{}' is rigid; rigid bodies are always continuous", body.name);
  }
  state_->pair_detection[{std::min(a, b), std::max(a, b)}] = detection;
  state_->filters_edited = true;
}

double World::time() const {
  return state_->time;
}
std::uint64_t World::steps() const {
  return state_->steps;
}
const WorldOptions& World::options() const {
  return state_->options;
}
std::vector<BodyId> World::bodies() const {
  return state_->order;
}
const std::string& World::name(BodyId body) const {
  return find(*state_, body).name;
}
BodyKind World::kind(BodyId body) const {
  return find(*state_, body).kind;
}
std::span<const Triangle> World::triangles(BodyId body) const {
  return find(*state_, body).triangles;
}
std::span<const Eigen::Vector3d> World::positions(BodyId body) const {
  return find(*state_, body).positions;
}
std::span<const Eigen::Vector3d> World::velocities(BodyId body) const {
  return find(*state_, body).velocities;
}
std::span<const WorldContact> World::contacts() const {
  return state_->contact_list.of(state_->contacts, state_->rigid.state, state_->options.rigid);
}
const PipelineStats& World::stats() const {
  return state_->stats;
}

std::uint64_t World::state_hash() const {
  std::uint64_t value = 0xcbf29ce484222325ULL;
  for (const BodyId id : state_->order) {
    value = hash(value, state_->bodies[id].positions);
    value = hash(value, state_->bodies[id].velocities);
  }
  return rigid::hash(state_->rigid.state, value);
}

}  // namespace carom

#include "carom/world/world.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <bit>
#include <cstring>

#include "bodies/make_body.hpp"
#include "bodies/particles.hpp"
#include "bodies/scripted.hpp"
#include "bodies/sleeping.hpp"
#include "contact/resting_contacts.hpp"
#include "core/check.hpp"
#include "world/option_fields.hpp"
#include "world/state.hpp"

namespace carom {

namespace {

/// Visitor that throws Error naming the first option that is not what it may be.
class OptionCheck {
 public:
  explicit OptionCheck(std::string prefix = {}) : prefix_(std::move(prefix)) {}

  void number(const char* name, double value, Presence, const Sign& sign) const {
    if (std::isfinite(value) && sign.allows(value)) return;
    const std::string expected = std::isfinite(sign.max) ? fmt::format("{} to {}", sign.min, sign.max)
                                 : sign.above            ? "a positive number"
                                                         : "a number that is not negative";
    fail(ErrorCode::invalid_argument, "{}{} is {}; expected {}", prefix_, name, value, expected);
  }
  void integer(const char* name, int value, Presence, const IntegerRange& range) const {
    if (value >= range.min && value <= range.max && value % range.multiple_of == 0) return;
    fail(ErrorCode::invalid_argument, "{}{} is {}; expected {}{} to {}", prefix_, name, value,
         range.multiple_of == 2 ? "an even number from " : "", range.min, range.max);
  }
  void flag(const char*, bool, Presence) const {}
  template <class Enum, class Names>
  void choice(const char*, Enum, const Names&, Presence) const {}
  template <class Options>
  void object(const char* name, Options& options, Presence) const {
    OptionCheck inner(fmt::format("{}{}.", prefix_, name));
    describe(inner, options);
  }

 private:
  std::string prefix_;
};

const WorldOptions& checked(const WorldOptions& options) {
  require(is_finite(options.gravity), ErrorCode::not_finite, "gravity is ({}, {}, {}); expected finite",
          options.gravity.x(), options.gravity.y(), options.gravity.z());
  const OptionCheck check;
  check.number("dt", options.dt, Presence::shown, Sign::positive);
  check.number("time_budget", options.time_budget, Presence::quiet, Sign::not_negative);
  check.number("inner_step_cost", options.inner_step_cost, Presence::quiet, Sign::not_negative);
  mid::check_sphere_depth(options.sphere_depth);
  WorldOptions copy = options;
  check.object("contact", copy.contact, Presence::shown);
  check.object("solver", copy.solver, Presence::shown);
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

/// Gives a body an id, and room in all tables.
BodyId insert(World::State& s, Body&& body) {
  body.serial = s.next_serial++;
  const BodyId id = s.bodies.insert(std::move(body));
  s.bodies[id].slot = slot_of(id);
  s.order.push_back(id);
  s.edited = true;
  s.check_tangles = true;
  s.query_tree.forget();
  return id;
}

/// After the body is in the table.
void begin(World::State& s, BodyId id) {
  if (s.bounds.fat.size() < s.table.size()) {
    s.bounds.fat.resize(s.table.size());
    s.travel.bodies.resize(s.table.size());
  }
  s.bounds.fat[slot_of(id)] = {};
  s.travel.bodies[slot_of(id)] = {};
  s.bounds.boxes.resize(s.table.colliders.size());
  s.pairs.stale = true;
}

/// FNV-1a over the bits, eight bytes at a time.
std::uint64_t hash(std::uint64_t seed, double value) {
  return (seed ^ std::bit_cast<std::uint64_t>(value)) * 0x100000001b3ULL;
}
std::uint64_t hash(std::uint64_t seed, std::span<const Eigen::Vector3d> values) {
  for (const Eigen::Vector3d& value : values) {
    for (int k = 0; k < 3; ++k) seed = hash(seed, value[k]);
  }
  return seed;
}

}  // namespace

BodyId insert_surface(World::State& s, Body&& body) {
  rigid::SurfaceEntry entry{.name = body.name,
                            .id = {},
                            .deforms = body.motion == MotionModel::particles,
                            .pinned = body.motion != MotionModel::particles || body.pinned,
                            .sleeping_allowed = body.sleeping_allowed,
                            .friction = body.friction,
                            .restitution = body.restitution,
                            .filter = body.filter};
  entry.id = insert(s, std::move(body));
  rigid::add(s.table, entry);
  begin(s, entry.id);
  return entry.id;
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

namespace {

/// Inserts a body with a mesh, and with the field of the mesh if there are options of one.
BodyId insert_mesh(World::State& s, Body&& body, const std::optional<FieldOptions>& options) {
  if (!options) return insert_surface(s, std::move(body));
  const auto make = [&] {
    try {
      Shape shape = Shape::mesh({body.positions, body.triangles});
      DistanceField field(shape, *options);
      return std::pair(std::move(shape), std::move(field));
    } catch (const Error& error) {
      fail(error.code(), "body '{}': field: {}", body.name, error.what());
    }
  };
  const auto [shape, field] = make();
  const BodyId id = insert_surface(s, std::move(body));
  rigid::set_field(s.table, slot_of(id), shape, field);
  return id;
}

}  // namespace

BodyId World::add(FixedBody description) {
  const std::optional<FieldOptions> field = description.field;
  return insert_mesh(*state_, make_body(std::move(description)), field);
}

BodyId World::add(ScriptedBody description) {
  const std::optional<FieldOptions> field = description.field;
  Body body = make_body(std::move(description));
  scripted::place(body, state_->time, body.positions);
  return insert_mesh(*state_, std::move(body), field);
}

BodyId World::add(ParticleBody description) {
  Body body = make_body(std::move(description));
  require(state_->response != response::Kind::lcp, ErrorCode::unsupported,
          "body '{}': the response 'lcp' does not take particles; 'soft', 'impulse' and 'penalty' do", body.name);
  // The response `soft` makes its inner steps as short as springs need.
  if (state_->response != response::Kind::soft) particles::check_step(body, state_->options.dt);
  return insert_surface(*state_, std::move(body));
}

BodyId World::add(RigidBody description) {
  State& s = *state_;
  // Checked whole before anything is changed.
  rigid::Bodies one;
  rigid::add(one, description, {});
  response::check(s.response, description);
  Body body;
  body.name = description.name;
  body.motion = description.motion;
  const BodyId id = insert(s, std::move(body));
  rigid::add(s.table, std::move(description), id);
  begin(s, id);
  return id;
}

void wake_neighbours(World::State& s, BodyId body) {
  contact::wake_neighbours(s.table, slot_of(body), s.pairs);
  for (const contact::AnchorList* list : {&s.contacts, &s.resting}) {
    for (const contact::AnchorIdentity& identity : list->identities) {
      if (identity.body_a == body) rigid::wake(s.table, slot_of(identity.body_b));
      if (identity.body_b == body) rigid::wake(s.table, slot_of(identity.body_a));
    }
  }
}

void check_verlet(const Body& body, const WorldOptions& options) {
  if (!body.cloth_rest->verlet) return;
  const double substeps = options.solver.soft.substeps;
  const double inner = options.dt / (substeps * std::max(1.0, std::ceil(body.inner_steps / substeps)));
  require(
      inner <= body.max_step, ErrorCode::unstable,
      "body '{}': inner steps of {:.3g} s are too long for 'verlet' with its springs and masses; the longest stable "
      "one is {:.3g} s (inner_steps {} at this dt)",
      body.name, inner, body.max_step, static_cast<long>(std::ceil(options.dt / body.max_step)));
}

BodyId World::add(ClothBody description) {
  Body body = make_body(std::move(description));
  require(state_->response == response::Kind::soft, ErrorCode::unsupported,
          "body '{}': the response '{}' does not take cloth; 'soft' does", body.name, state_->options.response);
  check_verlet(body, state_->options);
  return insert_surface(*state_, std::move(body));
}

BodyId World::add(SoftBody description) {
  Body body = make_body(std::move(description));
  require(state_->response == response::Kind::soft || state_->response == response::Kind::penalty,
          ErrorCode::unsupported, "body '{}': the response '{}' does not take soft bodies; 'soft' and 'penalty' do",
          body.name, state_->options.response);
  return insert_surface(*state_, std::move(body));
}

void World::remove(BodyId body) {
  State& s = *state_;
  find(s, body);
  wake_neighbours(s, body);
  contact::drop_pairs(s.table, slot_of(body), s.pairs);
  contact::drop_contacts(body, s.contacts);
  contact::drop_contacts(body, s.resting);
  const rigid::Info& info = s.table.info[slot_of(body)];
  ByCollider<std::optional<ccd::Inner>>& inner = s.ccd_scratch.rigid.inner;
  for (const ColliderIndex c : info.colliders()) {
    if (c.offset() < inner.size()) inner[c].reset();
  }
  drop_joints(s, body);
  drop_cuts(s, body);
  rigid::remove(s.table, slot_of(body));
  s.bounds.fat[slot_of(body)] = {};
  s.bodies.erase(body);
  std::erase(s.order, body);
  std::erase_if(s.excluded_bodies, [&](const auto& pair) { return pair[0] == body || pair[1] == body; });
  std::erase_if(s.excluded_vertices, [&](const auto& pair) { return pair.a == body || pair.b == body; });
  std::erase_if(s.pair_detection, [&](const auto& entry) { return entry.first[0] == body || entry.first[1] == body; });
  s.query_tree.forget();
  s.contact_list.forget();
  s.edited = true;
}

void World::exclude(BodyId a, BodyId b) {
  State& s = *state_;
  find(s, a);
  find(s, b);
  const std::array<BodySlot, 2> pair{std::min(slot_of(a), slot_of(b)), std::max(slot_of(a), slot_of(b))};
  auto& excluded = s.pairs.excluded;
  excluded.insert(std::lower_bound(excluded.begin(), excluded.end(), pair), pair);
  s.pairs.stale = true;
  wake_neighbours(s, a);
  wake_neighbours(s, b);
  s.excluded_bodies.push_back({a, b});
  s.filters_edited = true;
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
  state_->check_tangles = true;
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
MotionModel World::motion(BodyId body) const {
  return find(*state_, body).motion;
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
  return state_->contact_list.of({.surfaces = state_->contacts,
                                  .resting = state_->resting,
                                  .bodies = state_->table,
                                  .pairs = state_->pairs,
                                  .resting_speed = state_->options.solver.resting_speed});
}
const std::vector<LimitedBody>& World::limited_bodies() const {
  return state_->limited_bodies;
}
const PipelineStats& World::stats() const {
  return state_->stats;
}

std::uint64_t World::state_hash() const {
  std::uint64_t value = 0xcbf29ce484222325ULL;
  for (const BodyId id : state_->order) {
    value = hash(value, state_->bodies[id].positions);
    value = hash(value, state_->bodies[id].velocities);
    value = hash(value, state_->bodies[id].soft.nodes);
    value = hash(value, state_->bodies[id].soft.velocities);
    const rigid::Motion& m = state_->table.motion[slot_of(id)];
    for (const math::Vec3& v : {m.x, m.v, m.w}) value = hash(value, std::array{math::to_eigen(v)});
    for (const double q : {m.q.w, m.q.x, m.q.y, m.q.z}) value = hash(value, q);
  }
  return value;
}

}  // namespace carom

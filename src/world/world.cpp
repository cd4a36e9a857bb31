#include "carom/world/world.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <bit>
#include <cstring>

#include "bodies/make_body.hpp"
#include "bodies/particles.hpp"
#include "bodies/scripted.hpp"
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

BodyId insert(World::State& state, Body&& body) {
  rigid::WorldState& table = state.rigid.state;
  body.number = static_cast<std::int32_t>(table.bodies.size());
  body.serial = state.next_serial++;
  rigid::SurfaceEntry entry{.name = body.name,
                            .id = {},
                            .deforms = body.motion == MotionModel::particles,
                            .friction = body.friction,
                            .restitution = body.restitution,
                            .group = body.group,
                            .mask = body.mask};
  const BodyId id = state.bodies.insert(std::move(body));
  entry.id = id;
  rigid::add(table.bodies, std::move(entry));
  table.fat_bounds.emplace_back();
  table.odometers.emplace_back();
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

BodyId World::add(FixedBody body) {
  return insert(*state_, make_body(std::move(body)));
}

BodyId World::add(ScriptedBody description) {
  Body body = make_body(std::move(description));
  scripted::place(body, state_->time, body.positions);
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

BodyId World::add(ClothBody description) {
  Body body = make_body(std::move(description));
  require(state_->response == response::Kind::soft, ErrorCode::unsupported,
          "body '{}': the response '{}' does not take cloth; 'soft' does", body.name, state_->options.response);
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
  return state_->contact_list.of(state_->contacts, state_->rigid.state, state_->options.solver);
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

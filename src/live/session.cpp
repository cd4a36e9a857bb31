#include "carom/live/session.hpp"

#include <algorithm>
#include <array>
#include <cmath>
#include <limits>
#include <map>
#include <numbers>
#include <optional>

#include "carom/haptics/haptic_link.hpp"
#include "core/at.hpp"
#include "core/check.hpp"

namespace carom {

namespace {

using Eigen::Vector3d;

/// Hz of the spring of a hand with what it holds: fast enough to follow, slow enough not to throw.
constexpr double hand_hertz = 4;
constexpr double hand_rate = 2 * std::numbers::pi * hand_hertz;  // 1/s
/// Largest force of a hand, in weights (on earth) of what it holds.
constexpr double max_weights = 20;
constexpr double earth_gravity = 9.81;  // m/s^2
/// Largest speed of a scripted body that a hand moves, m/s, and part of the distance to its target that it goes in a
/// step where that is slower.
constexpr double max_scripted_speed = 1.5;
constexpr double approach_per_step = 0.3;
constexpr double max_scripted_turn = 4;       // rad/s, likewise
constexpr double max_turn_error = 1;          // rad, of a rigid body that a hand turns: limits the torque
constexpr double max_gravity = 1000;          // m/s^2
constexpr double max_stiffness_factor = 100;  // and at least one over it
constexpr double max_coordinate = 1e6;        // m

void check_place(const char* what, const Vector3d& place) {
  require(place.cwiseAbs().maxCoeff() <= max_coordinate, ErrorCode::invalid_argument,
          "{} is ({}, {}, {}); expected coordinates within {} m", what, place.x(), place.y(), place.z(),
          max_coordinate);
}

Index nearest_vertex(const World& world, BodyId body, const Vector3d& point) {
  const auto positions = world.positions(body);
  std::size_t nearest = 0;
  for (std::size_t v = 1; v < positions.size(); ++v) {
    if ((positions[v] - point).squaredNorm() < (positions[nearest] - point).squaredNorm()) nearest = v;
  }
  return static_cast<Index>(nearest);
}

double mass_of(const World& world, BodyId body) {
  if (world.positions(body).empty()) return world.mass(body);
  double mass = 0;
  for (std::size_t v = 0; v < world.positions(body).size(); ++v) {
    const double inverse = world.inverse_mass(body, static_cast<Index>(v));
    if (inverse > 0) mass += 1 / inverse;
  }
  return mass;
}

Eigen::Quaterniond rotation_of(const Eigen::Vector4d& wxyz) {
  return Eigen::Quaterniond(wxyz[0], wxyz[1], wxyz[2], wxyz[3]).normalized();
}

Vector3d limited(const Vector3d& v, double longest) {
  const double length = v.norm();
  return length > longest ? Vector3d(v * (longest / length)) : v;
}

/// Angular acceleration by which a hand turns a rigid body, rad/s^2: a spring and a damper as those of its pull, at the
/// end of the step. A hand lets nothing swing round the point that it holds, also where it turns nothing.
Vector3d turning(const Vector3d& left, bool turns, const Vector3d& angular_velocity, double dt) {
  const double stiffness = turns ? hand_rate * hand_rate : 0;
  const double damping = turns ? 2 * hand_rate : hand_rate;
  const Vector3d error = limited(left, max_turn_error);
  return (stiffness * (error - dt * angular_velocity) - damping * angular_velocity) /
         (1 + dt * (damping + dt * stiffness));
}

Pull spring_for(double mass) {
  return {.stiffness = mass * hand_rate * hand_rate,
          .damping = 2 * mass * hand_rate,
          .max_force = max_weights * earth_gravity * mass};
}

}  // namespace

struct LiveSession::Impl {
  /// What a hand holds, and where.
  struct Held {
    BodyId body;
    Vector3d target{0, 0, 0};
    Index vertex = none;         ///< of a body with vertices
    Vector3d local{0, 0, 0};     ///< in the frame of the shape of a body with one
    Pull pull{};                 ///< without its target
    Vector3d velocity{0, 0, 0};  ///< of a scripted shape, before it was held
    Vector3d angular_velocity{0, 0, 0};
    double force = 0;                                           ///< N, of the last step
    Eigen::Quaterniond taken = Eigen::Quaterniond::Identity();  ///< orientation when it was taken
    std::optional<Eigen::Quaterniond> orientation{};            ///< that it is turned to
  };

  explicit Impl(Scene given) : scene(std::move(given)), world(build_world(scene)) {}

  Scene scene;
  World world;
  std::uint64_t steps = 0;
  std::uint64_t resets = 0;
  std::array<std::optional<Held>, static_cast<std::size_t>(max_hands)> hands;
  std::map<BodyId, Eigen::Isometry3d> offsets;  ///< of scripted meshes that hands have moved
  std::map<BodyId, DriveInput> driven;
  double stiffness = 1;

  BodyId find(const std::string& name) const {
    for (const BodyId id : world.bodies()) {
      if (world.name(id) == name) return id;
    }
    fail(ErrorCode::unknown_name, "no body is called '{}'", name);
  }
  std::optional<Held>& hand(int number) {
    require(number >= 0 && number < max_hands, ErrorCode::invalid_argument, "hand is {}; expected 0 to {}", number,
            max_hands - 1);
    return hands[static_cast<std::size_t>(number)];
  }

  void operator()(const GrabInput& input);
  void operator()(const MoveInput& input);
  void operator()(const TurnInput& input);
  void operator()(const ReleaseInput& input);
  void operator()(const GravityInput& input);
  void operator()(const StiffnessInput& input);
  void operator()(const ResetInput&);
  void operator()(const DriveInput& input);

  void act(Held& held);
  void move_scripted(const Held& held);
  void drive_tool(BodyId body, const DriveInput& input);
  Vector3d held_point(const Held& held) const;
  Eigen::Quaterniond orientation_of(const Held& held) const;
  Vector3d left_to_turn(const Held& held) const;
  void follow_pieces(Held& held, const Vector3d& before) const;
};

void LiveSession::Impl::operator()(const GrabInput& input) {
  std::optional<Held>& place = hand(input.hand);
  check_place("point", input.point);
  const BodyId body = find(input.body);
  const MotionModel motion = world.motion(body);
  require(motion != MotionModel::fixed, ErrorCode::invalid_argument, "body '{}' is fixed, and no hand moves it",
          input.body);
  Held held{.body = body, .target = input.point};
  const auto positions = world.positions(body);
  if (positions.empty()) {
    held.local = world.pose(body).inverse() * input.point;
    held.velocity = world.velocity(body);
    held.angular_velocity = world.angular_velocity(body);
  } else {
    require(input.vertex == none || (input.vertex >= 0 && at(input.vertex) < positions.size()), ErrorCode::bad_index,
            "body '{}': there is no vertex {}, only {} vertices", input.body, input.vertex, positions.size());
    held.vertex = input.vertex == none ? nearest_vertex(world, body, input.point) : input.vertex;
  }
  if (motion == MotionModel::particles) {
    require(world.inverse_mass(body, held.vertex) > 0, ErrorCode::invalid_argument,
            "body '{}': vertex {} is held already, and no hand moves it", input.body, held.vertex);
  }
  if (motion != MotionModel::scripted) held.pull = spring_for(mass_of(world, body));
  if (motion != MotionModel::particles) held.taken = orientation_of(held);
  if (place) (*this)(ReleaseInput{input.hand});
  place = held;
}

void LiveSession::Impl::operator()(const MoveInput& input) {
  check_place("target", input.target);
  std::optional<Held>& held = hand(input.hand);
  require(held.has_value(), ErrorCode::invalid_argument, "hand {} holds nothing to move", input.hand);
  held->target = input.target;
}

void LiveSession::Impl::operator()(const TurnInput& input) {
  std::optional<Held>& held = hand(input.hand);
  require(held.has_value(), ErrorCode::invalid_argument, "hand {} holds nothing to turn", input.hand);
  require(world.motion(held->body) != MotionModel::particles, ErrorCode::invalid_argument,
          "body '{}' is held at a vertex, which has no orientation; a hand turns rigid and scripted bodies",
          world.name(held->body));
  require(std::abs(input.rotation.norm() - 1) < 1e-3, ErrorCode::invalid_argument,
          "rotation is ({}, {}, {}, {}); expected a quaternion of length 1", input.rotation[0], input.rotation[1],
          input.rotation[2], input.rotation[3]);
  held->orientation = rotation_of(input.rotation) * held->taken;
}

void LiveSession::Impl::operator()(const ReleaseInput& input) {
  std::optional<Held>& held = hand(input.hand);
  if (!held) return;
  if (world.motion(held->body) == MotionModel::scripted && held->vertex == none)
    world.set_velocity(held->body, held->velocity, held->angular_velocity);
  held.reset();
}

void LiveSession::Impl::operator()(const GravityInput& input) {
  require(input.gravity.norm() <= max_gravity, ErrorCode::invalid_argument,
          "gravity is ({}, {}, {}); expected no more than {} m/s^2", input.gravity.x(), input.gravity.y(),
          input.gravity.z(), max_gravity);
  world.set_gravity(input.gravity);
}

void LiveSession::Impl::operator()(const StiffnessInput& input) {
  require(input.factor >= 1 / max_stiffness_factor && input.factor <= max_stiffness_factor, ErrorCode::invalid_argument,
          "stiffness is {}; expected a factor of {} to {}", input.factor, 1 / max_stiffness_factor,
          max_stiffness_factor);
  std::vector<BodyId> soft;
  for (const BodyId id : world.bodies()) {
    if (world.motion(id) == MotionModel::particles) soft.push_back(id);
  }
  require(!soft.empty(), ErrorCode::invalid_argument, "stiffness: no body of the scene is of particles or cloth");
  std::size_t changed = 0;
  try {
    for (; changed < soft.size(); ++changed) world.set_stiffness(soft[changed], input.factor);
  } catch (const Error&) {
    for (std::size_t i = 0; i < changed; ++i) world.set_stiffness(soft[i], stiffness);
    throw;
  }
  stiffness = input.factor;
}

void LiveSession::Impl::operator()(const ResetInput&) {
  world = build_world(scene);
  hands.fill(std::nullopt);
  offsets.clear();
  driven.clear();
  stiffness = 1;
  ++resets;
}

void LiveSession::Impl::operator()(const DriveInput& input) {
  const BodyId body = find(input.body);
  require(world.motion(body) == MotionModel::rigid, ErrorCode::invalid_argument,
          "body '{}' is {}; expected a rigid body", input.body, to_string(world.motion(body)));
  check_place("position", input.position);
  if (input.stiffness == 0) {
    driven.erase(body);
    return;
  }
  check_driven(world, body, input.stiffness);
  driven[body] = input;
}

void LiveSession::Impl::drive_tool(BodyId body, const DriveInput& input) {
  HapticTarget target;
  target.pose.linear() = rotation_of(input.rotation).toRotationMatrix();
  target.pose.translation() = input.position;
  target.velocity = input.velocity;
  target.samples = 1;
  drive(world, body, target, input.stiffness, input.angular_stiffness);
}

Vector3d LiveSession::Impl::held_point(const Held& held) const {
  return held.vertex == none ? Vector3d(world.pose(held.body) * held.local)
                             : world.positions(held.body)[at(held.vertex)];
}

/// Of a scripted mesh: of its offset.
Eigen::Quaterniond LiveSession::Impl::orientation_of(const Held& held) const {
  if (held.vertex == none) return Eigen::Quaterniond(world.pose(held.body).linear());
  const auto offset = offsets.find(held.body);
  return offset == offsets.end() ? Eigen::Quaterniond::Identity() : Eigen::Quaterniond(offset->second.linear());
}

/// Axis times angle (rad) of the shortest turn to the orientation that the hand wants; zero if it wants none.
Vector3d LiveSession::Impl::left_to_turn(const Held& held) const {
  if (!held.orientation) return Vector3d::Zero();
  const Eigen::AngleAxisd turn(*held.orientation * orientation_of(held).conjugate());
  return turn.angle() * turn.axis();
}

/// Takes hold of the piece that a held vertex went away with, if it did: where it was `before` the step.
void LiveSession::Impl::follow_pieces(Held& held, const Vector3d& before) const {
  const auto is_used = [&] {
    for (const Triangle& t : world.triangles(held.body)) {
      if (std::find(t.begin(), t.end(), held.vertex) != t.end()) return true;
    }
    return false;
  };
  for (const WorldCut& cut : world.cuts()) {
    if (held.vertex == none || cut.body != held.body || cut.pieces.empty() || is_used()) continue;
    double nearest = std::numeric_limits<double>::infinity();
    for (const BodyId piece : cut.pieces) {
      const Index vertex = nearest_vertex(world, piece, before);
      const double distance = (world.positions(piece)[at(vertex)] - before).norm();
      if (!(distance < nearest)) continue;
      if (world.motion(piece) == MotionModel::particles && !(world.inverse_mass(piece, vertex) > 0)) continue;
      nearest = distance;
      held.body = piece;
      held.vertex = vertex;
    }
  }
}

/// Pulls what forces move, and moves what they do not with a limited speed.
void LiveSession::Impl::act(Held& held) {
  const double dt = world.options().dt;
  Pull pull = held.pull;
  pull.target = held.target;
  switch (world.motion(held.body)) {
    case MotionModel::rigid:
      held.force = world.pull(held.body, held.local, pull).norm();
      world.apply_torque(held.body, world.inertia(held.body) * turning(left_to_turn(held), held.orientation.has_value(),
                                                                       world.angular_velocity(held.body), dt));
      return;
    case MotionModel::particles:
      world.pull(held.body, held.vertex, pull);
      held.force = std::min(pull.max_force, pull.stiffness * (held.target - held_point(held)).norm());
      return;
    default:
      move_scripted(held);
  }
}

void LiveSession::Impl::move_scripted(const Held& held) {
  const double dt = world.options().dt;
  const Vector3d point = held_point(held);
  const Vector3d motion = limited(approach_per_step * (held.target - point), max_scripted_speed * dt);
  const Vector3d turn = limited(approach_per_step * left_to_turn(held), max_scripted_turn * dt);
  const double angle = turn.norm();
  const Eigen::Matrix3d rotation =
      angle > 0 ? Eigen::AngleAxisd(angle, turn / angle).toRotationMatrix() : Eigen::Matrix3d::Identity();
  if (held.vertex == none) {
    // The held point goes by the motion alone, so the center goes around it.
    const Vector3d arm = world.pose(held.body).translation() - point;
    world.set_velocity(held.body, (motion + rotation * arm - arm) / dt, turn / dt);
    return;
  }
  Eigen::Isometry3d& offset = offsets.try_emplace(held.body, Eigen::Isometry3d::Identity()).first->second;
  if (angle > 0) {
    offset.pretranslate(-point);
    offset.prerotate(rotation);
    offset.linear() = Eigen::Quaterniond(offset.linear()).normalized().toRotationMatrix();
    offset.pretranslate(point);
  }
  offset.pretranslate(motion);
  world.set_offset(held.body, offset);
}

LiveSession::LiveSession(Scene scene) : impl_(std::make_unique<Impl>(std::move(scene))) {}
LiveSession::~LiveSession() = default;
LiveSession::LiveSession(LiveSession&&) noexcept = default;
LiveSession& LiveSession::operator=(LiveSession&&) noexcept = default;

void LiveSession::apply(const LiveInput& input) {
  std::visit(*impl_, input);
}

void LiveSession::step() {
  std::array<Vector3d, static_cast<std::size_t>(max_hands)> places;
  for (std::size_t i = 0; i < places.size(); ++i) {
    if (!impl_->hands[i]) continue;
    places[i] = impl_->held_point(*impl_->hands[i]);
    impl_->act(*impl_->hands[i]);
  }
  for (const auto& [body, input] : impl_->driven) impl_->drive_tool(body, input);
  impl_->world.step();
  // Pieces of scripted meshes are where hands have put the whole.
  for (const WorldCut& cut : impl_->world.cuts()) {
    const auto offset = impl_->offsets.find(cut.body);
    if (offset == impl_->offsets.end()) continue;
    for (const BodyId piece : cut.pieces) impl_->offsets.try_emplace(piece, Eigen::Isometry3d(offset->second));
  }
  for (std::size_t i = 0; i < places.size(); ++i) {
    if (impl_->hands[i]) impl_->follow_pieces(*impl_->hands[i], places[i]);
  }
  ++impl_->steps;
}

const World& LiveSession::world() const {
  return impl_->world;
}
const Scene& LiveSession::scene() const {
  return impl_->scene;
}
std::uint64_t LiveSession::steps() const {
  return impl_->steps;
}
std::uint64_t LiveSession::resets() const {
  return impl_->resets;
}
double LiveSession::stiffness() const {
  return impl_->stiffness;
}

std::vector<LiveHand> LiveSession::hands() const {
  std::vector<LiveHand> list;
  for (int i = 0; i < max_hands; ++i) {
    const std::optional<Impl::Held>& held = impl_->hands[static_cast<std::size_t>(i)];
    if (!held) continue;
    list.push_back({i, impl_->world.name(held->body), impl_->held_point(*held), held->target, held->force});
  }
  return list;
}

InputReplay::InputReplay(Scene scene, InputRecord record) : session_(std::move(scene)), record_(std::move(record)) {
  const std::string own = hash_of(session_.scene());
  require(own == record_.scene_hash, ErrorCode::invalid_argument,
          "the record is of the scene '{}' with the hash {}; this is '{}' with the hash {}", record_.scene,
          record_.scene_hash, session_.scene().name, own);
  apply_due();
}

void InputReplay::apply_due() {
  while (next_ < record_.inputs.size() && record_.inputs[next_].step <= session_.steps()) {
    const TimedInput& timed = record_.inputs[next_++];
    try {
      session_.apply(timed.input);
    } catch (const Error& error) {
      fail(error.code(), "input at step {}: {}", timed.step, error.what());
    }
  }
}

void InputReplay::step() {
  session_.step();
  apply_due();
}

bool InputReplay::same_end() const {
  return ended() && hash_text(session_.world().state_hash()) == record_.state_hash;
}

}  // namespace carom

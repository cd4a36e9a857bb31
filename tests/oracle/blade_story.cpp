#include "oracle/blade_story.hpp"

#include <fmt/format.h>

#include <Eigen/Geometry>
#include <array>
#include <cmath>
#include <map>
#include <numbers>
#include <numeric>
#include <optional>
#include <vector>

#include "carom/detect/detect.hpp"
#include "carom/detect/intersect.hpp"
#include "carom/mesh/generate.hpp"
#include "carom/world/world.hpp"

namespace carom::oracle {
namespace {

using Eigen::Vector3d;

constexpr double voxel = 0.05;  // m
/// J/kg, over all that a story does: a speed of 4 mm/s.
constexpr double largest_rise = 1e-5;
/// J/kg, the same of sheets that hang and are cut to strips, which swing past each other and are stopped: a tenth of
/// what they get by falling half a meter.
constexpr double largest_rise_of_strips = 0.5;
/// J/kg, the same of free plates that cut at touch: the least that they bring.
constexpr double largest_rise_at_touch = 0.1;

/// Set of vertices that triangles join, by a plain union of their corners.
class Fill {
 public:
  explicit Fill(std::size_t count) : parent_(count) { std::iota(parent_.begin(), parent_.end(), std::size_t{0}); }
  std::size_t root(std::size_t v) {
    while (parent_[v] != v) v = parent_[v] = parent_[parent_[v]];
    return v;
  }
  void join(std::size_t a, std::size_t b) { parent_[root(a)] = root(b); }

 private:
  std::vector<std::size_t> parent_;
};

/// Mesh of a body without vertices that went to pieces.
TriangleMesh used_mesh(const World& world, BodyId id) {
  TriangleMesh mesh;
  std::vector<Index> number(world.positions(id).size(), none);
  for (Triangle t : world.triangles(id)) {
    for (Index& v : t) {
      Index& found = number[static_cast<std::size_t>(v)];
      if (found == none) {
        found = static_cast<Index>(mesh.positions.size());
        mesh.positions.push_back(world.positions(id)[static_cast<std::size_t>(v)]);
      }
      v = found;
    }
    mesh.triangles.push_back(t);
  }
  return mesh;
}

/// Signed volume of each part of a surface.
std::vector<double> volumes_of_parts(const TriangleMesh& mesh) {
  Fill fill(mesh.positions.size());
  for (const Triangle& t : mesh.triangles) {
    for (std::size_t k = 1; k < 3; ++k) fill.join(static_cast<std::size_t>(t[0]), static_cast<std::size_t>(t[k]));
  }
  std::map<std::size_t, double> volume;
  for (const Triangle& t : mesh.triangles) {
    const auto corner = [&](std::size_t k) { return mesh.positions[static_cast<std::size_t>(t[k])]; };
    volume[fill.root(static_cast<std::size_t>(t[0]))] += corner(0).dot(corner(1).cross(corner(2))) / 6;
  }
  std::vector<double> list;
  for (const auto& [root, value] : volume) list.push_back(value);
  return list;
}

/// World of a story.
class Teller {
 public:
  Teller(const std::function<std::uint8_t()>& next, const BladeStoryOptions& options) : next_(next), given_(options) {
    options_.gravity = {0, 0, 0};
    options_.dt = pick(std::array{1.0 / 60, 1.0 / 30, 1.0 / 120, given_.rigid_blades ? 1.0 / 60 : 1e-3});
    options_.contact.distance = 0.004;
    options_.threads = 1;
    const int kind = next_() % 4;
    soft_ = !given_.surface && (given_.rigid_blades || kind != 3);
    hanging_ = next_() % 4 == 3 && given_.surface.value_or(MotionModel::particles) == MotionModel::particles;
    if (hanging_) options_.gravity = {0, -9.81, 0};
    world_.emplace(options_);
    if (soft_) {
      add_soft(kind == 2);
    } else if (given_.surface) {
      add_surface(*given_.surface);
    } else {
      add_sheet();
    }
    for (int n = 1 + next_() % 3; n > 0; --n) {
      if (given_.rigid_blades) {
        add_plate();
      } else {
        add_knife();
      }
    }
  }

  double rise() const { return rise_; }

  std::string run(std::size_t& crossed, std::size_t& pieces) {
    if (!hanging_ && !soft_) world_->step();  // masses of cloth are known
    const WorldBalance before = world_->balance();
    const double volume = rest_volume();
    const auto energy_of = [&](const WorldBalance& balance) {
      return balance.energy() - (soft_ || !hanging_ || given_.surface ? 0 : balance.elastic_energy);
    };
    const double energy = energy_of(before);
    const double area = area_of_surfaces();
    const int steps = 2 + next_() % (given_.max_steps - 1);
    for (int step = 0; step < steps; ++step) {
      act();
      std::optional<World> other = twin();
      world_->step();
      for (const WorldCut& cut : world_->cuts()) {
        crossed += cut.crossed;
        pieces += cut.pieces.size();
      }
      std::string wrong = compare(other);
      if (wrong.empty()) wrong = check_surfaces();
      const WorldBalance after = world_->balance();
      if (wrong.empty()) wrong = check_sums(before, after, volume);
      if (wrong.empty() && !(std::abs(area_of_surfaces() - area) <= 1e-12 * area))
        wrong = fmt::format("area is {:.17g} m2, and was {:.17g}", area_of_surfaces(), area);
      if (given_.surface && *given_.surface != MotionModel::particles) {
        if (!wrong.empty()) return fmt::format("step {}: {}", step, wrong);
        continue;  // no energy
      }
      // A blade that collides with nothing does no work, a free one has no more to give than it brought, and fresh
      // faces do none on each other.
      const double rise = (energy_of(after) - energy) / after.mass;
      rise_ = std::max(rise_, rise);
      const double allowed = given_.at_touch      ? largest_rise_at_touch
                             : soft_ || !hanging_ ? largest_rise
                                                  : largest_rise_of_strips;
      if (wrong.empty() && !(rise <= allowed)) wrong = fmt::format("energy rises by {:.3g} J/kg", rise);
      if (!wrong.empty()) return fmt::format("step {}: {}", step, wrong);
    }
    return {};
  }

 private:
  struct Knife {
    BodyId id;
    Vector3d velocity{0, 0, 0};
  };

  template <std::size_t n>
  double pick(const std::array<double, n>& list) {
    return list[next_() % n];
  }
  /// In [-1, 1), on a grid, so that features are met exactly.
  double unit() { return static_cast<double>(static_cast<std::int8_t>(next_())) / 128; }
  Vector3d unit_point() {
    const double x = unit();
    const double y = unit();
    const double z = unit();
    return {x, y, z};
  }

  void add_soft(bool round) {
    SoftBody body;
    body.name = "body";
    const double x = voxel * (1 + next_() % 5);
    const double y = voxel * (1 + next_() % 3);
    const double z = voxel * (1 + next_() % 4);
    body.mesh = round ? make_icosphere(0.06 + 0.05 * std::abs(unit()), 2) : make_box({x, y, z}, 1);
    body.voxel_size = voxel;
    body.cuttable = true;
    body.elasticity = {.density = 500, .young_modulus = 3e4, .poisson_ratio = 0.4, .damping = 0.01};
    if (hanging_) {
      body.fixed = {{.min = {-1, 0.4 * (round ? 0.1 : y), -1}, .max = {1, 1, 1}}};
    } else {
      body.velocity = 0.2 * unit_point();
    }
    add(std::move(body));
  }

  template <class Description>
  void add(Description body) {
    const BodyId id = world_->add(std::move(body));
    if (!given_.rigid_blades) return;
    const double energy = pick(std::array{1.0, 5.0, 20.0, 200.0});
    if (!given_.at_touch) world_->set_fracture_energy(id, energy);
  }

  void add_sheet() {
    ClothBody body;
    body.name = "body";
    const int along = 2 + next_() % 6;
    const int across = 2 + next_() % 6;
    body.mesh = make_sheet(0.3, 0.2, along, across);
    body.fabric = fabric_by_name("cotton");
    if (hanging_) {
      body.pinned = {0};
    } else {
      body.velocity = 0.2 * unit_point();
    }
    add(std::move(body));
  }

  void add_surface(MotionModel motion) {
    const int along = 1 + next_() % 7;
    const int across = 1 + next_() % 7;
    const TriangleMesh mesh = next_() % 4 == 0 ? make_icosphere(0.1, 1) : make_sheet(0.3, 0.2, along, across);
    if (motion == MotionModel::fixed) return add(FixedBody{.name = "body", .mesh = mesh, .cuttable = true});
    if (motion == MotionModel::scripted) {
      // It turns and goes on, as a whole.
      const Vector3d velocity = 0.2 * unit_point();
      const double spin = unit();
      const auto place = [mesh, velocity, spin](double time, std::span<Vector3d> positions) {
        const Eigen::AngleAxisd turn(spin * time, Vector3d::UnitY());
        for (std::size_t v = 0; v < positions.size(); ++v) positions[v] = turn * mesh.positions[v] + time * velocity;
      };
      return add(ScriptedBody{.name = "body", .mesh = mesh, .motion = place, .cuttable = true});
    }
    ParticleBody body{.name = "body", .mesh = mesh, .mass = 0.02};
    body.stretch_stiffness = pick(std::array{20.0, 200.0, 0.0, 1000.0});
    body.bend_stiffness = pick(std::array{0.0, 0.2, 2.0, 10.0});
    body.air_damping = 0;
    if (hanging_) {
      body.pinned = {0};
    } else {
      body.velocity = 0.2 * unit_point();
    }
    add(std::move(body));
  }

  /// The body that carries the blade is elsewhere: nothing is in the cut.
  void add_knife() {
    RigidBody body;
    body.name = "knife";
    body.shape = Shape::sphere(0.001);
    body.motion = MotionModel::scripted;
    body.pose.translation() = 0.3 * unit_point();
    body.filter = {.group = 2, .mask = 0};
    const BodyId id = world_->add(body);
    Blade blade;
    for (int n = 2 + next_() % 2; n > 0; --n) blade.edge.push_back(0.4 * unit_point());
    if (blade.edge[0] == blade.edge[1]) blade.edge[1].z() += 0.3;
    if (blade.edge.size() > 2 && blade.edge[1] == blade.edge[2]) blade.edge[2].x() += 0.3;
    world_->add_blade(id, blade);
    knives_.push_back({id});
  }

  /// A free plate with a blade along its lower edge, which it moves ahead of, toward the middle of the body.
  void add_plate() {
    RigidBody body;
    body.name = "knife";
    const Vector3d half(0.001 + 0.003 * std::abs(unit()), 0.05, 0.15);
    body.shape = next_() % 2 == 0 ? Shape::box(half) : Shape::mesh(make_box(2 * half, 1));
    body.mass = MassOverride{.mass = pick(std::array{0.2, 0.5, 1.0}), .inertia_from_shape = true};
    body.material.friction = 0.3 * std::abs(unit());
    const Vector3d axis = unit_point();
    const Eigen::AngleAxisd turn(std::numbers::pi * unit(), axis.norm() > 0 ? axis.normalized() : Vector3d::UnitX());
    body.pose.linear() = turn.toRotationMatrix();
    const Vector3d ahead = turn * -Vector3d::UnitY();
    body.pose.translation() = 0.03 * unit_point() - 0.3 * ahead;
    body.velocity = pick(std::array{0.5, 1.0, 2.0}) * ahead + 0.1 * unit_point();
    body.angular_velocity = 0.5 * unit_point();
    body.filter = {.group = 2, .mask = 1};
    const BodyId id = world_->add(body);
    world_->add_blade(id, {{{0, -half.y(), -half.z()}, {0, -half.y(), half.z()}}});
  }

  /// Moves the blades: to a place, back, on, or at any speed.
  void act() {
    for (Knife& knife : knives_) {
      Vector3d turn(0, 0, 0);
      switch (next_() % 8) {
        case 0:
          knife.velocity = -knife.velocity;
          break;
        case 1:
          knife.velocity.setZero();
          break;
        case 2:
          knife.velocity = pick(std::array{0.5, 5.0, 50.0, 500.0}) * unit_point();
          break;
        case 3:
        case 4:
          turn = pick(std::array{2.0, 20.0}) * unit_point();
          [[fallthrough]];
        case 5:
        case 6:
          knife.velocity = (0.25 * unit_point() - world_->pose(knife.id).translation()) / options_.dt;
          break;
        default:
          break;
      }
      world_->set_velocity(knife.id, knife.velocity, turn);
    }
  }

  /// A world that takes over the state, detects by another method and by other threads, and knows no earlier step.
  std::optional<World> twin() {
    if (next_() % 4 != 0) return {};
    WorldOptions options = options_;
    const auto methods = detect_methods();
    options.method = std::string(methods[next_() % methods.size()]);
    options.threads = given_.other_threads;
    std::optional<World> other(std::in_place, options);
    other->restore(world_->snapshot());
    return other;
  }

  std::string compare(std::optional<World>& other) const {
    if (!other) return {};
    other->step();
    if (other->state_hash() != world_->state_hash())
      return fmt::format("a {}{} in a world made from a snapshot ends in another state with the method {}, {} threads",
                         hanging_ ? "hanging " : "", soft_ ? "soft body" : "sheet", other->options().method,
                         other->options().threads);
    const auto own = world_->contacts();
    const auto its = other->contacts();
    if (own.size() != its.size())
      return fmt::format("{} contacts, {} in a world made from a snapshot", own.size(), its.size());
    for (std::size_t i = 0; i < own.size(); ++i) {
      const bool same = own[i].id == its[i].id && own[i].distance == its[i].distance &&
                        own[i].point_a == its[i].point_a && own[i].point_b == its[i].point_b;
      if (!same) return fmt::format("contact {} differs in a world made from a snapshot", i);
    }
    return {};
  }

  std::vector<BodyId> bodies() const {
    std::vector<BodyId> list;
    for (const BodyId id : world_->bodies()) {
      if (!world_->positions(id).empty()) list.push_back(id);
    }
    return list;
  }

  /// m^2, of what no force moves.
  double area_of_surfaces() const {
    double area = 0;
    for (const BodyId id : bodies()) {
      if (world_->motion(id) == MotionModel::particles) continue;
      const TriangleMesh mesh = used_mesh(*world_, id);
      for (const Triangle& t : mesh.triangles) {
        const auto corner = [&](std::size_t k) { return mesh.positions[static_cast<std::size_t>(t[k])]; };
        area += 0.5 * (corner(1) - corner(0)).cross(corner(2) - corner(0)).norm();
      }
    }
    return area;
  }

  double rest_volume() const {
    double volume = 0;
    if (!soft_) return volume;
    for (const BodyId id : bodies()) volume += world_->soft_state(id).rest_volume;
    return volume;
  }

  std::string check_surfaces() const {
    std::vector<Vector3d> positions;
    std::vector<Triangle> triangles;
    for (const BodyId id : bodies()) {
      const std::string& name = world_->name(id);
      const TriangleMesh mesh = used_mesh(*world_, id);
      const MeshReport report = inspect(mesh);
      if (!report.manifold()) return fmt::format("{} is not manifold", name);
      if (!report.oriented()) return fmt::format("{} is not oriented", name);
      if (!report.repeated_corner_triangles.empty() || !report.zero_area_triangles.empty())
        return fmt::format("{} has a triangle without an area", name);
      if (!soft_) {
        if (report.components != 1) return fmt::format("{} has {} parts", name, report.components);
        continue;
      }
      if (!report.watertight()) return fmt::format("{} is open", name);
      // Slits within are surfaces of their own that face inward: a body has one part that faces outward.
      int outward = 0;
      for (const double volume : volumes_of_parts(mesh)) outward += volume > 0 ? 1 : 0;
      if (outward != 1) return fmt::format("{} has {} parts that face outward", name, outward);
      const auto first = static_cast<Index>(positions.size());
      positions.insert(positions.end(), mesh.positions.begin(), mesh.positions.end());
      for (const Triangle& t : mesh.triangles) triangles.push_back({t[0] + first, t[1] + first, t[2] + first});
    }
    if (!soft_) return {};
    const auto found = intersections(Surface(positions.size(), triangles), positions);
    if (!found.empty()) return fmt::format("{} intersections{}", found.size(), hanging_ ? " of what hangs" : "");
    return {};
  }

  std::string check_sums(const WorldBalance& before, const WorldBalance& after, double volume) const {
    // What is pinned has no mass in the balance, and a cut beside a pin has less of it there.
    if ((soft_ || !hanging_) && !(std::abs(after.mass - before.mass) <= 1e-12 * before.mass))
      return fmt::format("mass is {:.17g} kg, and was {:.17g}", after.mass, before.mass);
    // Rigid bodies are solved in single precision.
    const double rounding = given_.rigid_blades ? 1e-6 : 1e-11;
    if (!hanging_ && !((after.momentum - before.momentum).norm() <= rounding * before.mass))
      return fmt::format("momentum is off by {:.3g} N s", (after.momentum - before.momentum).norm());
    if (!(std::abs(rest_volume() - volume) <= 1e-9 * volume))
      return fmt::format("volume at rest is {:.17g} m3, and was {:.17g}", rest_volume(), volume);
    return {};
  }

  const std::function<std::uint8_t()>& next_;
  BladeStoryOptions given_;
  WorldOptions options_;
  bool soft_ = true;
  bool hanging_ = false;
  double rise_ = -INFINITY;
  std::optional<World> world_;
  std::vector<Knife> knives_;
};

}  // namespace

std::string BladeStory::run() {
  Teller teller(next_, options_);
  std::string wrong = teller.run(crossed_, pieces_);
  rise_ = teller.rise();
  return wrong;
}

}  // namespace carom::oracle

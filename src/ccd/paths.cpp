#include "ccd/paths.hpp"

namespace carom::ccd {
namespace {

/// A cluster with more bodies stops: then nothing changes when others come to it.
constexpr int max_cluster = 64;

/// A cluster that would have more bodies keeps its motion and takes along lighter ones that come to it: the
/// times of impact of all its bodies, found again at every arrival, would be most of a step of a pile.
/// (Not between springs, which push by how deep bodies are: a house of cards would be pushed to one side.)
constexpr int max_shared = 8;

/// How often the body that carries another may change within a step; then it is squeezed between them.
constexpr int max_carriers = 4;

/// Of the square of the normal: the part of it that the free axes of a body must have for it to be pushed along them.
constexpr double min_free = 0.01;

Vec3 origin_at(const convex::SweptPose& swept_pose, double time) {
  return math::to_vec3(swept_pose.from + time * swept_pose.travel);
}

}  // namespace

Paths::Paths(const In& in, Scratch& scratch, SlotSpan<const Motion> next)
    : bodies_(in.bodies), s_(scratch), next_(next), dt_(in.dt), springs_(in.springs) {
  s_.path_of.assign(bodies_.size(), PathIndex::none);
  s_.paths.clear();
  s_.clusters.clear();
  s_.frame_count = at_rest + 1;
}

Path& Paths::of(BodySlot body) const {
  const BodySlot i = body;
  PathIndex& n = s_.path_of[i];
  if (n.valid()) return s_.paths[n];
  n = s_.paths.emplace_back();
  Path& path = s_.paths[n];
  path.body = body;
  path.at = bodies_.motion[i];
  path.scripted = bodies_.info[i].motion == MotionModel::scripted;
  path.travel = s_.reach[i].all;
  const bool still = rigid::asleep_or_fixed(bodies_, i);
  path.swept_pose = still ? convex::SweptPose(pose(path.at), Eigen::Vector3d::Zero(), Eigen::Vector3d::Zero())
                          : Sweep(bodies_.motion[i], next_[i], dt_).swept_pose;
  path.frame = still ? at_rest : s_.frame_count++;
  if (bodies_.info[i].motion != MotionModel::rigid) {
    path.state = Path::State::held;
  } else if (still) {
    path.state = Path::State::stopped;
  }
  return path;
}

Path& Paths::of_collider(ColliderIndex collider) const {
  return of(bodies_.colliders[collider].body);
}

Motion Paths::at(const Path& path, double time) {
  Motion m = path.at;
  if (path.frame == at_rest || !(time > path.since)) return m;
  const convex::SweptPose& f = path.swept_pose;
  Vec3 arm = path.at.x - origin_at(f, path.since);
  if (f.angle > 0) {
    const Quat turn = math::rotation_by(math::to_vec3((time - path.since) * f.angle * f.axis));
    arm = math::matrix(turn) * arm;
    m.q = math::normalized(turn * path.at.q);
  }
  m.x = origin_at(f, time) + arm;
  return m;
}

Vec3 Paths::velocity(const Path& path, const Vec3& point, double time) {
  const convex::SweptPose& f = path.swept_pose;
  const Vec3 turn = math::to_vec3(f.angle * f.axis);
  return math::to_vec3(f.travel) + cross(turn, point - origin_at(f, time));
}

broad::ColliderBox Paths::swept_box(const Path& path) const {
  const Vec3 from = path.at.x;
  const Vec3 to = at(path, 1).x;
  // An arc leaves its chord by less than its length.
  const double arm = path.local.translation().norm();
  const double grow = bodies_.info[path.body].reach + turn(path, path.since) * arm;
  const Vec3 all{grow, grow, grow};
  return {math::lower(from, to) - all, math::higher(from, to) + all};
}

/// Begins a new path at a time of the old one.
void Paths::leave(Path& path, double time) const {
  if (weak(path)) path.moving = time;
  if (path.swept_pose.angle > 0) ++path.turns;
  path.at = at(path, time);
  path.since = time;
  ++path.version;
}

void Paths::move(Path& path, double time, const Eigen::Vector3d& per_step) const {
  leave(path, time);
  path.swept_pose = {pose(path.at), Eigen::Vector3d::Zero(), per_step};
  path.swept_pose.from -= time * per_step;
  path.local.setIdentity();
  path.travel += (1 - time) * per_step.norm();
}

void Paths::rest(Path& path, double time, Path::State state) const {
  move(path, time, Eigen::Vector3d::Zero());
  path.frame = at_rest;
  path.state = state;
  path.carrier = BodySlot::none;
  path.cluster = ClusterIndex::none;
}

void Paths::join(Path& a, Path& b, double time, std::vector<BodySlot>& changed) const {
  const ClusterIndex number(s_.clusters.size());
  Scratch::Cluster cluster;
  Eigen::Vector3d moment = Eigen::Vector3d::Zero();
  const ClusterIndex old_a = a.cluster;
  const ClusterIndex old_b = b.cluster;
  const auto add = [&](Path& path) {
    const double mass = bodies_.info[path.body].mass;
    cluster.mass += mass;
    moment += mass * path.swept_pose.travel;
    ++cluster.count;
    path.cluster = number;
    path.next = cluster.first;
    cluster.first = s_.path_of[path.body];
  };
  const auto add_all = [&](Path& path, ClusterIndex old) {
    if (!old.valid()) return add(path);
    for (PathIndex n = s_.clusters[old].first; n.valid();) {
      Path& member = s_.paths[n];
      n = member.next;
      if (member.cluster == old) add(member);
    }
  };
  const auto count = [&](ClusterIndex old) { return old.valid() ? s_.clusters[old].count : 1; };
  const auto mass = [&](const Path& path, ClusterIndex old) {
    return old.valid() ? s_.clusters[old].mass : bodies_.info[path.body].mass;
  };
  const int all = count(old_a) + count(old_b);
  if (!springs_ && all > max_shared && all <= max_cluster) {
    const bool first = mass(a, old_a) >= mass(b, old_b);
    if ((first ? old_a : old_b).valid()) return take_along(first ? a : b, first ? b : a, time, changed);
  }
  add_all(a, old_a);
  add_all(b, old_b);
  const std::int32_t frame = s_.frame_count++;
  cluster.travel = cluster.count > max_cluster ? Eigen::Vector3d::Zero() : Eigen::Vector3d(moment / cluster.mass);
  for (PathIndex n = cluster.first; n.valid(); n = s_.paths[n].next) {
    Path& path = s_.paths[n];
    changed.push_back(path.body);
    if (cluster.count > max_cluster) {
      stop(path, time);
      continue;
    }
    move(path, time, cluster.travel);
    path.frame = frame;
    path.state = Path::State::joined;
    path.moving = 1;
  }
  s_.clusters.push_back(cluster);
}

/// The cluster of the first goes on as it did, and the second with it, with all that it has joined before.
void Paths::take_along(const Path& path, Path& other, double time, std::vector<BodySlot>& changed) const {
  const ClusterIndex number = path.cluster;
  Scratch::Cluster& cluster = s_.clusters[number];
  const ClusterIndex old = other.cluster;
  for (PathIndex n = old.valid() ? s_.clusters[old].first : s_.path_of[other.body]; n.valid();) {
    Path& member = s_.paths[n];
    const PathIndex next = old.valid() ? member.next : PathIndex();
    if (member.cluster == old) {
      cluster.mass += bodies_.info[member.body].mass;
      ++cluster.count;
      move(member, time, cluster.travel);
      member.cluster = number;
      member.next = cluster.first;
      cluster.first = n;
      member.frame = path.frame;
      member.state = Path::State::joined;
      member.moving = 1;
      changed.push_back(member.body);
    }
    n = next;
  }
}

void Paths::stop(Path& path, double time) const {
  rest(path, time, Path::State::stopped);
}

void Paths::squeeze(Path& path, double time) const {
  rest(path, time, Path::State::held);
  path.squeezed = true;
}

/// Whether the locks of a body let it move rigidly with another one.
bool Paths::may_follow(const Path& path, const Path& by) const {
  const Vec3 travel = math::to_vec3(by.swept_pose.travel);
  const Vec3 lost = travel - rigid::unlocked(travel, bodies_.info[path.body].locked_translation);
  return by.swept_pose.angle == 0 && dot(lost, lost) == 0;
}

void Paths::advance_points(Path& path, const Path& by, const Impact& impact) const {
  if (path.state == Path::State::carried && ++path.carriers >= max_carriers) return squeeze(path, impact.time);
  std::int32_t frame = by.frame;
  if (bodies_.mass[path.body].locked && !may_follow(path, by)) {
    const std::optional<Vec3> push = push_within_locks(path, by, impact);
    if (!push) return squeeze(path, impact.time);
    move(path, impact.time, math::to_eigen(*push));
    frame = s_.frame_count++;
  } else if (by.swept_pose.angle == 0) {
    move(path, impact.time, by.swept_pose.travel);
  } else {
    leave(path, impact.time);
    ++path.turns;
    path.swept_pose = by.swept_pose;
    Eigen::Isometry3d carrier = Eigen::Isometry3d::Identity();
    carrier.linear() = by.swept_pose.rotation(impact.time);
    carrier.translation() = by.swept_pose.from + impact.time * by.swept_pose.travel;
    path.local = carrier.inverse() * pose(path.at);
    const double reach = path.local.translation().norm() + bodies_.info[path.body].reach;
    path.travel += (1 - impact.time) * (by.swept_pose.travel.norm() + by.swept_pose.angle * reach);
  }
  path.frame = frame;
  path.cluster = ClusterIndex::none;
  path.state = Path::State::carried;
  path.carrier = by.scripted ? by.body : by.carrier;
}

/// m per step; a body with locked axes is pushed along its free ones, until it is as far in front of the side of the
/// other as it was. Nothing if that cannot be.
std::optional<Vec3> Paths::push_within_locks(const Path& path, const Path& by, const Impact& impact) const {
  const double rest = 1 - impact.time;
  const Vec3 x = at(path, impact.time).x;
  const convex::SweptPose& f = by.swept_pose;
  const Mat3 turn = math::matrix(math::rotation_by(math::to_vec3(rest * f.angle * f.axis)));
  const Vec3 point = origin_at(f, 1) + turn * (impact.point - origin_at(f, impact.time));
  const Vec3 normal = turn * impact.normal;
  const Vec3 free = rigid::unlocked(normal, bodies_.info[path.body].locked_translation);
  const double square = dot(free, free);
  if (!(square > min_free) || !(rest > 0)) return std::nullopt;
  const double depth = dot(normal, x - point) - dot(impact.normal, x - impact.point);
  return depth > 0 ? -(depth / (square * rest)) * free : Vec3{};
}

}  // namespace carom::ccd

#include "ccd/candidates.hpp"

#include <algorithm>
#include <cmath>

#include "ccd/time_of_impact.hpp"

// A body is fast if it goes farther than half of what it or the thinnest body is thick: only then can two of them be on
// other sides of each other at the end of the step. Slower ones are held by contacts that are made ahead of time,
// unless an overlap is deep already.
namespace carom::ccd {
namespace {

constexpr std::size_t fast_grain = 256;
constexpr std::uint8_t leaves_box = 2;

}  // namespace

const rigid::Bodies& Candidates::bodies() const {
  return in_.bodies;
}

const rigid::Collider& Candidates::collider(ColliderIndex c) const {
  return bodies().colliders[c];
}

void Candidates::bound_motion(BodySlot i, Scratch::Extremes& extremes) {
  const rigid::Info& info = bodies().info[i];
  double inner = INFINITY;
  for (const ColliderIndex c : info.colliders()) {
    inner = std::min(inner, collider(c).inner);
    if (info.motion == MotionModel::rigid)
      extremes.min_thickness = std::min(extremes.min_thickness, thickness(collider(c)));
  }
  if (rigid::asleep_or_fixed(bodies(), i)) return;
  const Motion& from = bodies().motion[i];
  const Motion& to = next_[i];
  const Quat t = to.q * math::conjugate(from.q);
  // Of a turn by half and more, beginning and end say nothing.
  const bool far_round = 0.5 * in_.dt * length(from.w + to.w) > 3;
  const double turning = (far_round ? 2 : 2 * std::sqrt(t.x * t.x + t.y * t.y + t.z * t.z)) * info.reach;
  s_.reach[i] = {turning, length(to.x - from.x) + turning};
  extremes.max_reach = std::max(extremes.max_reach, s_.reach[i].all);
  std::uint8_t fast = s_.reach[i].all > inner ? 1 : 0;
  if (far_round || !in_.fat_bounds[i].holds(to.x, to.q, info.reach, 0)) fast = leaves_box;
  s_.is_fast[i] = fast;
}

void Candidates::find_fast(Context& context) {
  const std::size_t count = bodies().size();
  s_.reach.assign(count, {});
  s_.is_fast.assign(count, 0);
  const Scratch::Extremes extremes = parallel_reduce(
      context.workers, count, fast_grain, Scratch::Extremes{},
      [&](std::size_t begin, std::size_t end) {
        Scratch::Extremes e;
        for (const BodySlot i : IndexRange<BodySlot>(begin, end)) bound_motion(i, e);
        return e;
      },
      [](const Scratch::Extremes& a, const Scratch::Extremes& b) {
        return Scratch::Extremes{std::min(a.min_thickness, b.min_thickness), std::max(a.max_reach, b.max_reach)};
      },
      s_.extremes);
  // A large body that is slow for itself is fast for a small one, and two that go half as far each are so together.
  const double half = 0.5 * extremes.min_thickness;
  if (extremes.max_reach > half) {
    for (const BodySlot i : bodies().slots()) {
      if (s_.is_fast[i] == 0 && s_.reach[i].all > half) s_.is_fast[i] = 1;
    }
  }
  s_.fast.clear();
  for (const BodySlot i : bodies().slots()) {
    if (s_.is_fast[i] != 0) s_.fast.push_back(i);
  }
}

/// m; no point of one moves farther against the other on their sweeps.
double Candidates::against(BodySlot a, BodySlot b) const {
  const Vec3 path_a = next_[a].x - bodies().motion[a].x;
  const Vec3 path_b = next_[b].x - bodies().motion[b].x;
  return length(path_a - path_b) + s_.reach[a].turning + s_.reach[b].turning;
}

bool Candidates::might_pass(const rigid::Collider& a, const rigid::Collider& b, bool deep) const {
  const BodySlot body_a = a.body;
  const BodySlot body_b = b.body;
  const double held = deep ? deep_slack(a, b) : thickness(a, b);
  return s_.reach[body_a].all + s_.reach[body_b].all > held && against(body_a, body_b) > held;
}

/// Balls about the centres of mass that hold the colliders pass by each other.
bool Candidates::pass_by(const rigid::Collider& a, const rigid::Collider& b) const {
  const BodySlot i = a.body;
  const BodySlot k = b.body;
  const Vec3 from = bodies().motion[k].x - bodies().motion[i].x;
  const Vec3 path = next_[k].x - next_[i].x - from;
  const double squared = dot(path, path);
  const double t = squared > 0 ? std::clamp(-dot(from, path) / squared, 0.0, 1.0) : 0;
  return length(from + t * path) > a.reach + b.reach;
}

void Candidates::find(Context& context, const Paths& paths) {
  const std::vector<contact::PairRecord>& entries = in_.pairs.entries;
  s_.candidates.clear();
  s_.outside.clear();
  s_.inner.resize(bodies().colliders.size());
  s_.marks.assign(bodies().colliders.size(), 0);
  s_.mark = 0;
  s_.may_touch.resize(entries.size());
  parallel_for(context.workers, entries.size(), fast_grain, [&](std::size_t i) {
    const contact::PairRecord& entry = entries[i];
    const rigid::Collider& a = collider(entry.key.a);
    const rigid::Collider& b = collider(entry.key.b);
    s_.may_touch[i] = 0;
    if (!might_pass(a, b, entry.deep)) return;
    if (entry.count == 0) {
      const BodySlot body_a = a.body;
      const BodySlot body_b = b.body;
      const double travels = in_.odometers[body_a].travel + in_.odometers[body_b].travel;
      if (entry.separation_budget - travels > against(body_a, body_b) || pass_by(a, b)) return;
    }
    s_.may_touch[i] = 1;
  });
  for (std::size_t i = 0; i < entries.size(); ++i) {
    if (s_.may_touch[i] != 0) add(paths, entries[i].key.a, entries[i].key.b, entries[i].pair, {});
  }
  const std::vector<contact::MeshPair>& mesh_pairs = in_.pairs.mesh_pairs;
  for (std::size_t i = 0; i < mesh_pairs.size(); ++i) {
    const broad::ColliderPair& key = mesh_pairs[i].key;
    if (might_pass(collider(key.a), collider(key.b), false)) add(paths, key.a, key.b, {}, MeshPairIndex(i));
  }
  // A response that made a body faster than it was may have sent it out of its box, and two of them to one place.
  for (const BodySlot body : s_.fast) {
    if (s_.is_fast[body] == leaves_box) find_of(paths, body, true);
  }
}

void Candidates::find_of(const Paths& paths, BodySlot body, bool outside) {
  const broad::ColliderBox box = paths.swept_box(paths.of(body));
  find_near(paths, body, box);
  if (!outside) return;
  Path& path = paths.of(body);
  if (path.outside < 0) {
    path.outside = static_cast<std::int32_t>(s_.outside.size());
    s_.outside.push_back({body, box});
  } else {
    broad::ColliderBox& all = s_.outside[static_cast<std::size_t>(path.outside)].box;
    all = {math::lower(all.low, box.low), math::higher(all.high, box.high)};
  }
}

void Candidates::find_near(const Paths& paths, BodySlot body, const broad::ColliderBox& box) {
  const rigid::Info& info = bodies().info[body];
  in_.broad.overlapping(box, s_.near);
  for (const Scratch::Outside& other : s_.outside) {
    if (other.body == body || !box.overlaps(other.box)) continue;
    for (const ColliderIndex c : bodies().info[other.body].colliders()) s_.near.push_back(c);
  }
  for (const ColliderIndex c : info.colliders()) {
    const std::uint32_t mark = ++s_.mark;
    for (CandidateIndex k = paths.of(body).first; k.valid();) {
      const Candidate& known = s_.candidates[k];
      const bool first = collider(known.a).body == body;
      if ((first ? known.a : known.b) == c) s_.marks[first ? known.b : known.a] = mark;
      k = first ? known.next_a : known.next_b;
    }
    for (const ColliderIndex other : s_.near) {
      if (s_.marks[other] == mark) continue;
      s_.marks[other] = mark;
      // Surfaces have a limit of their own, see surface_limit.hpp.
      if (collider(other).surface) continue;
      if (contact::may_touch(in_.bodies, in_.pairs, c, other))
        add_unknown(paths, std::min(c, other), std::max(c, other));
    }
  }
}

/// With what the narrow phase knows of the two, if it does.
void Candidates::add_unknown(const Paths& paths, ColliderIndex a, ColliderIndex b) {
  const broad::ColliderPair key{a, b};
  ManifoldIndex manifold;
  MeshPairIndex mesh_pair;
  bool deep = false;
  const auto find = [&](const auto& list) {
    const auto found =
        std::lower_bound(list.begin(), list.end(), key, [](const auto& e, const auto& k) { return e.key < k; });
    return found != list.end() && found->key == key ? found : list.end();
  };
  if (collider(a).mesh != nullptr || collider(b).mesh != nullptr) {
    const auto found = find(in_.pairs.mesh_pairs);
    if (found != in_.pairs.mesh_pairs.end()) mesh_pair = MeshPairIndex(found - in_.pairs.mesh_pairs.begin());
  } else if (const auto found = find(in_.pairs.entries); found != in_.pairs.entries.end()) {
    manifold = found->pair;
    deep = found->deep;
  }
  const auto path_of = [&](ColliderIndex c) {
    const PathIndex n = s_.path_of[collider(c).body];
    return n.valid() ? &s_.paths[n] : nullptr;
  };
  const auto travel = [&](ColliderIndex c) {
    const Path* path = path_of(c);
    return path == nullptr ? s_.reach[collider(c).body].all : path->travel;
  };
  const auto taken = [&](ColliderIndex c) { return path_of(c) != nullptr && Paths::taken_along(*path_of(c)); };
  const bool watched = deep || taken(a) || taken(b);
  const double held = watched ? deep_slack(collider(a), collider(b)) : thickness(collider(a), collider(b));
  if (travel(a) + travel(b) > held) add(paths, a, b, manifold, mesh_pair);
}

void Candidates::add(const Paths& paths, ColliderIndex a, ColliderIndex b, ManifoldIndex manifold,
                     MeshPairIndex mesh_pair) {
  const CandidateIndex n = s_.candidates.emplace_back();
  Candidate& c = s_.candidates[n];
  c.a = a;
  c.b = b;
  c.manifold = manifold;
  c.mesh_pair = mesh_pair;
  Path& path_a = paths.of_collider(a);
  c.next_a = path_a.first;
  path_a.first = n;
  Path& path_b = paths.of_collider(b);
  c.next_b = path_b.first;
  path_b.first = n;
  if (collider(a).mesh == nullptr && collider(b).mesh == nullptr) return;
  const ColliderIndex convex = collider(a).mesh == nullptr ? a : b;
  std::optional<Inner>& inner = s_.inner[convex];
  if (!inner) inner = make_inner(collider(convex), collider_shape(bodies(), convex));
}

}  // namespace carom::ccd

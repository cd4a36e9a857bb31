#include "world/pieces.hpp"

#include <algorithm>
#include <numeric>

#include "bodies/make_body.hpp"
#include "bodies/particles_cut.hpp"
#include "bodies/scripted.hpp"
#include "core/at.hpp"
#include "core/disjoint_sets.hpp"

// Pieces that come off a sheet become bodies of their own. The largest keeps id, name and the numbers of its vertices
// and triangles' corners; vertices that went away stay as followers of one that is still there.
namespace carom {
namespace {

PieceSelection select_part(const Body& body, std::vector<Index> triangles) {
  PieceSelection part;
  part.triangles = std::move(triangles);
  part.number.assign(body.positions.size(), none);
  part.own.assign(body.positions.size(), 0);
  const auto take = [&](Index v) {
    if (part.number[at(v)] != none) return;
    part.number[at(v)] = 0;
    part.vertices.push_back(v);
  };
  for (const Index t : part.triangles) {
    for (const Index v : body.triangles[at(t)]) {
      take(v);
      part.own[at(v)] = 1;
    }
    if (!body.cloth_rest) continue;
    for (const Index v : body.cloth_rest->triangles[at(t)]) take(v);
  }
  std::sort(part.vertices.begin(), part.vertices.end());
  for (std::size_t i = 0; i < part.vertices.size(); ++i) part.number[at(part.vertices[i])] = static_cast<Index>(i);
  return part;
}

bool any_pin(const Body& body) {
  return std::any_of(body.triangles.begin(), body.triangles.end(), [&](const Triangle& t) {
    return std::any_of(t.begin(), t.end(), [&](Index v) { return body.inverse_mass[at(v)] == 0; });
  });
}

/// Rest of a piece of cloth.
std::shared_ptr<const ClothRest> make_rest(const ClothRest& whole, const PieceSelection& part) {
  auto rest = std::make_shared<ClothRest>(whole);
  rest->triangles.clear();
  rest->fabric_of_triangle.clear();
  for (const Index t : part.triangles) {
    rest->triangles.push_back(part.renamed(whole.triangles[at(t)]));
    if (!whole.fabric_of_triangle.empty()) rest->fabric_of_triangle.push_back(whole.fabric_of_triangle[at(t)]);
  }
  for (MovingPins& pins : rest->moving_pins) {
    std::erase_if(pins.vertices, [&](Index v) { return !part.has(v); });
    for (Index& v : pins.vertices) v = part.number[at(v)];
  }
  std::erase_if(rest->moving_pins, [](const MovingPins& pins) { return pins.vertices.empty(); });
  return rest;
}

/// Body of one part, with the properties of the whole.
Body make_piece(const Body& body, const PieceSelection& part, std::size_t number) {
  Body piece = body;
  piece.name = body.name + "-" + std::to_string(number);
  piece.triangles.clear();
  piece.triangle_names.clear();
  for (const Index t : part.triangles) piece.triangles.push_back(part.renamed(body.triangles[at(t)]));
  if (body.cloth_rest) piece.cloth_rest = make_rest(*body.cloth_rest, part);
  if (body.is_spring_net()) particles::select_springs(part.number, piece);
  scripted::select_vertices(part.vertices, piece);
  for (auto* list : {&piece.positions, &piece.velocities, &piece.rest_positions}) {
    std::vector<Eigen::Vector3d> kept;
    for (const Index v : part.vertices) kept.push_back((*list)[at(v)]);
    *list = std::move(kept);
  }
  piece.inverse_mass.clear();
  for (const Index v : part.vertices) piece.inverse_mass.push_back(body.inverse_mass[at(v)]);
  // Vertices that are corners at rest only follow one that is in the piece.
  piece.leader.resize(part.vertices.size());
  for (std::size_t i = 0; i < part.vertices.size(); ++i) {
    const bool used = part.has(part.vertices[i]);
    piece.leader[i] = used ? static_cast<Index>(i) : piece.triangles[0][0];
    if (!used) piece.inverse_mass[i] = 0;
    piece.positions[i] = piece.positions[at(piece.leader[i])];
    piece.velocities[i] = piece.velocities[at(piece.leader[i])];
  }
  piece.held.clear();
  for (HeldVertex held : body.held) {
    if (!part.has(held.vertex)) continue;
    held.vertex = part.number[at(held.vertex)];
    piece.held.push_back(held);
  }
  std::erase_if(piece.pulls, [&](const VertexPull& pull) { return !part.has(pull.vertex); });
  for (VertexPull& pull : piece.pulls) pull.vertex = part.number[at(pull.vertex)];
  piece.pinned = piece.motion == MotionModel::particles && any_pin(piece);
  piece.pressure = 0;
  make_model(piece);
  return piece;
}

/// Triangles that stay get the numbers of those that go. `before`: of each that stays, the number that it had.
template <class T>
void keep(std::span<const Index> before, std::vector<T>& list) {
  if (list.empty()) return;
  for (std::size_t t = 0; t < before.size(); ++t) list[t] = list[at(before[t])];
  list.resize(before.size());
}

/// Numbers of triangles that stay: their own, but for the last ones, which take those of what is gone.
std::vector<Index> numbers_of_kept(std::span<const std::uint8_t> gone) {
  std::vector<Index> before;
  std::size_t count = gone.size();
  for (std::size_t t = 0; t < count; ++t) {
    std::size_t from = t;
    if (gone[t] != 0) {
      while (count > t + 1 && gone[count - 1] != 0) --count;
      from = --count;
      if (from == t) break;
    }
    before.push_back(static_cast<Index>(from));
  }
  return before;
}

/// What the rest of a cloth holds of the vertices that stay.
void keep_rest(std::span<const Index> before, const PieceSelection& left, Body& body) {
  auto rest = std::make_shared<ClothRest>(*body.cloth_rest);
  keep(before, rest->triangles);
  keep(before, rest->fabric_of_triangle);
  for (MovingPins& pins : rest->moving_pins) std::erase_if(pins.vertices, [&](Index v) { return !left.has(v); });
  std::erase_if(rest->moving_pins, [](const MovingPins& pins) { return pins.vertices.empty(); });
  body.cloth_rest = rest;
}

/// Vertices that went away follow one that stays.
void follow_first(const PieceSelection& left, Body& body) {
  if (body.leader.empty()) {
    body.leader.resize(body.positions.size());
    std::iota(body.leader.begin(), body.leader.end(), Index{0});
  }
  for (std::size_t v = 0; v < body.positions.size(); ++v) {
    if (left.own[v] != 0 || left.has(body.leader[v])) continue;
    body.leader[v] = body.triangles[0][0];
    body.inverse_mass[v] = 0;
    body.positions[v] = body.positions[at(body.leader[v])];
    body.velocities[v] = body.velocities[at(body.leader[v])];
  }
}

/// Takes the triangles of pieces out of the body; marks of cuts follow.
void keep_largest(World::State& s, BodyId id, std::span<const std::uint8_t> gone) {
  Body& body = s.bodies[id];
  const std::vector<Index> before = numbers_of_kept(gone);
  keep_triangle_names(before, body.triangles.size(), body);
  keep(before, body.triangles);

  PieceSelection left;
  left.own.assign(body.positions.size(), 0);
  left.number.assign(body.positions.size(), none);
  for (const Triangle& t : body.triangles) {
    for (const Index v : t) {
      left.own[at(v)] = 1;
      left.number[at(v)] = v;
    }
  }
  if (body.cloth_rest) keep_rest(before, left, body);
  if (body.is_spring_net()) particles::select_springs(left.number, body);
  std::erase_if(body.held, [&](const HeldVertex& held) { return !left.has(held.vertex); });
  std::erase_if(body.pulls, [&](const VertexPull& pull) { return !left.has(pull.vertex); });
  follow_first(left, body);
  scripted::select_vertices(body.leader, body);
  std::vector<Index> number(gone.size(), none);
  for (std::size_t t = 0; t < before.size(); ++t) number[at(before[t])] = static_cast<Index>(t);
  std::set<std::pair<Index, Index>> edges;
  for (const auto& [t, k] : s.cut_marks[id].edges) {
    if (number[at(t)] != none) edges.insert({number[at(t)], k});
  }
  s.cut_marks[id].edges = std::move(edges);
  body.pinned = body.motion == MotionModel::particles && any_pin(body);
  body.pressure = 0;
  s.table.info[slot_of(id)].pinned = body.motion != MotionModel::particles || body.pinned;
  make_model(body);
}

}  // namespace

void keep_triangle_names(std::span<const Index> before, std::size_t count_before, Body& body) {
  name_new_triangles(count_before, body);
  std::vector<Index> names;
  names.reserve(before.size());
  for (const Index t : before) names.push_back(body.triangle_names[at(t)]);
  body.triangle_names = std::move(names);
}

void move_references(World::State& s, BodyId from, BodyId to, const PieceSelection& part) {
  const auto rename = [&](BodyId& body, Index& vertex) {
    if (body != from || vertex == none || !part.has(vertex)) return;
    body = to;
    vertex = part.number[at(vertex)];
  };
  for (Joint& joint : s.joints) {
    for (Joint::Side* side : {&joint.a, &joint.b}) {
      if (side->body != from || side->vertices[0] == none || !part.has(side->vertices[0])) continue;
      side->body = to;
      for (Index& v : side->vertices) {
        if (v != none) v = part.number[at(v)];
      }
      if (side->vertices[1] == none) side->weights = {1, 0};
    }
  }
  for (Attachment& attachment : s.attachments) rename(attachment.body, attachment.vertex);
  for (std::vector<VertexExclusion>* list : {&s.attached_exclusions, &s.torn, &s.excluded_vertices}) {
    for (VertexExclusion& e : *list) {
      rename(e.a, e.vertex_a);
      rename(e.b, e.vertex_b);
    }
  }
  const std::size_t pairs = s.excluded_bodies.size();
  for (std::size_t i = 0; i < pairs; ++i) {
    const auto [a, b] = s.excluded_bodies[i];
    if (a != from && b != from) continue;
    const std::array<BodyId, 2> copy{a == from ? to : a, b == from ? to : b};
    s.excluded_bodies.push_back(copy);
    std::array<BodySlot, 2> slots{slot_of(copy[0]), slot_of(copy[1])};
    if (slots[1] < slots[0]) std::swap(slots[0], slots[1]);
    auto& excluded = s.pairs.excluded;
    excluded.insert(std::lower_bound(excluded.begin(), excluded.end(), slots), slots);
  }
  const auto detection = s.pair_detection;
  for (const auto& [ids, value] : detection) {
    if (ids[0] != from && ids[1] != from) continue;
    const BodyId a = ids[0] == from ? to : ids[0];
    const BodyId b = ids[1] == from ? to : ids[1];
    s.pair_detection[{std::min(a, b), std::max(a, b)}] = value;
  }
  if (const auto energy = s.fracture_energy.find(from); energy != s.fracture_energy.end())
    s.fracture_energy[to] = energy->second;
  sheet::CutMarks& marks = s.cut_marks[from];
  sheet::CutMarks moved;
  moved.shortest = marks.shortest;
  moved.lowest = marks.lowest;
  for (std::size_t i = 0; i < part.triangles.size(); ++i) {
    for (Index k = 0; k < 3; ++k) {
      if (marks.edges.erase({part.triangles[i], k}) > 0) moved.edges.insert({static_cast<Index>(i), k});
    }
  }
  for (const Index v : part.vertices) {
    if (part.has(v) && marks.tips.erase(v) > 0) moved.tips.insert(part.number[at(v)]);
  }
  s.cut_marks[to] = std::move(moved);
}

std::vector<BodyId> split_pieces(World::State& s, BodyId id) {
  std::vector<std::vector<Index>> parts;
  {
    const Body& body = s.bodies[id];
    DisjointSets sets(body.positions.size());
    for (const Triangle& t : body.triangles) {
      sets.merge(t[0], t[1]);
      sets.merge(t[0], t[2]);
    }
    const Index first = sets.find(body.triangles[0][0]);
    const auto is_first = [&](const Triangle& t) { return sets.find(t[0]) == first; };
    if (std::all_of(body.triangles.begin(), body.triangles.end(), is_first)) return {};
    std::vector<Index> number(body.positions.size(), none);
    for (std::size_t t = 0; t < body.triangles.size(); ++t) {
      Index& part = number[at(sets.find(body.triangles[t][0]))];
      if (part == none) {
        part = static_cast<Index>(parts.size());
        parts.emplace_back();
      }
      parts[at(part)].push_back(static_cast<Index>(t));
    }
  }
  const auto largest = static_cast<std::size_t>(
      std::max_element(parts.begin(), parts.end(), [](const auto& a, const auto& b) { return a.size() < b.size(); }) -
      parts.begin());
  std::vector<BodyId> pieces;
  std::vector<std::uint8_t> gone(s.bodies[id].triangles.size(), 0);
  // Energy that is owed is shared by the number of triangles.
  const double owed = s.bodies[id].stop_energy / static_cast<double>(gone.size());
  s.bodies[id].stop_energy = owed * static_cast<double>(parts[largest].size());
  for (std::size_t i = 0; i < parts.size(); ++i) {
    if (i == largest) continue;
    for (const Index t : parts[i]) gone[at(t)] = 1;
    const PieceSelection part = select_part(s.bodies[id], std::move(parts[i]));
    const bool tangles = s.check_tangles;
    pieces.push_back(insert_surface(s, make_piece(s.bodies[id], part, ++s.piece_count[s.bodies[id].name])));
    s.bodies[pieces.back()].stop_energy = owed * static_cast<double>(part.triangles.size());
    s.check_tangles = tangles;  // the faces of a cut touch, and do not intersect
    s.table.info[slot_of(pieces.back())].sleeping_allowed = s.table.info[slot_of(id)].sleeping_allowed;
    move_references(s, id, pieces.back(), part);
  }
  keep_largest(s, id, gone);
  return pieces;
}

}  // namespace carom

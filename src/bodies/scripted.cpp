#include "bodies/scripted.hpp"

#include <numeric>

#include "core/at.hpp"
#include "core/check.hpp"

namespace carom::scripted {
namespace {

using Eigen::Vector3d;

/// Where the script puts its own vertices, and from there those of the body.
void place_cut(const Body& body, double time, std::span<Vector3d> positions) {
  const ScriptedVertices& of = *body.scripted_vertices;
  std::vector<Vector3d> all(of.given, Vector3d::Zero());
  body.script(time, all);
  for (const ScriptedVertices::Point& point : of.added) {
    const Vector3d place = (1 - point.fraction) * all[at(point.from)] + point.fraction * all[at(point.to)];
    all.push_back(place);
  }
  for (std::size_t v = 0; v < positions.size(); ++v) positions[v] = all[at(of.source[v])];
}

}  // namespace

void place(const Body& body, double time, std::span<Vector3d> positions) {
  if (body.scripted_vertices) {
    place_cut(body, time, positions);
  } else {
    body.script(time, positions);
  }
  if (body.offset) {
    for (Vector3d& p : positions) p = *body.offset * p;
  }
  for (std::size_t v = 0; v < positions.size(); ++v) {
    const Vector3d& p = positions[v];
    require(is_finite(p), ErrorCode::not_finite,
            "body '{}': its motion puts vertex {} at ({}, {}, {}) at time {} s; expected finite", body.name, v, p.x(),
            p.y(), p.z(), time);
  }
}

void follow_cut(const sheet::CutOutcome& cut, Body& body) {
  ScriptedVertices of;
  if (body.scripted_vertices) {
    of = *body.scripted_vertices;
  } else {
    of.given = body.positions.size() - cut.inserted.size() - cut.copies.size();
    of.source.resize(of.given);
    std::iota(of.source.begin(), of.source.end(), Index{0});
  }
  for (const sheet::CutOutcome::Inserted& inserted : cut.inserted) {
    of.source.push_back(static_cast<Index>(of.given + of.added.size()));
    of.added.push_back({of.source[at(inserted.edge[0])], of.source[at(inserted.edge[1])], inserted.fraction});
  }
  for (const auto& [fresh, vertex] : cut.copies) of.source.push_back(Index(of.source[at(vertex)]));
  body.scripted_vertices = std::make_shared<const ScriptedVertices>(std::move(of));
}

void select_vertices(std::span<const Index> vertices, Body& body) {
  if (!body.scripted_vertices) return;
  auto of = std::make_shared<ScriptedVertices>(*body.scripted_vertices);
  of->source.clear();
  for (const Index v : vertices) of->source.push_back(body.scripted_vertices->source[at(v)]);
  body.scripted_vertices = of;
}

}  // namespace carom::scripted

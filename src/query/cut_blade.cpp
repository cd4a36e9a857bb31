#include <Eigen/Geometry>
#include <algorithm>
#include <map>
#include <random>
#include <tuple>

#include "carom/detect/intersect.hpp"
#include "core/at.hpp"
#include "core/check.hpp"
#include "core/disjoint_sets.hpp"
#include "math/collinear.hpp"
#include "query/cut_pieces.hpp"
#include "query/cut_sheet.hpp"

namespace carom {
namespace {

using Eigen::Vector3d;
using query::GluedTriangles;

/// Attempts with the sheet moved a little, before a cut is refused.
constexpr int shift_attempts = 8;

/// Surface that the blade sweeps: two triangles between neighbors of the chain at two poses. Points that stay where
/// they are, such as a pivot, are one.
TriangleMesh make_sheet(const BladePath& blade) {
  const std::size_t count = blade.poses.empty() ? 0 : blade.poses[0].size();
  require(blade.poses.size() >= 2, ErrorCode::invalid_argument, "the blade has {} poses; expected 2 or more",
          blade.poses.size());
  require(count >= 2, ErrorCode::invalid_argument, "the blade has {} points; expected 2 or more", count);
  TriangleMesh sheet;
  std::map<std::array<double, 3>, Index> numbers;
  std::vector<Index> before;
  for (std::size_t i = 0; i < blade.poses.size(); ++i) {
    const std::vector<Vector3d>& pose = blade.poses[i];
    require(pose.size() == count, ErrorCode::invalid_argument, "pose {} of the blade has {} points; expected {}", i,
            pose.size(), count);
    std::vector<Index> row;
    for (std::size_t k = 0; k < count; ++k) {
      const Vector3d& p = pose[k];
      require(is_finite(p), ErrorCode::not_finite, "point {} of pose {} of the blade is not finite", k, i);
      const auto [entry, is_new] =
          numbers.try_emplace({p.x() + 0.0, p.y() + 0.0, p.z() + 0.0}, static_cast<Index>(sheet.positions.size()));
      if (is_new) sheet.positions.push_back(p);
      row.push_back(entry->second);
    }
    for (std::size_t k = 0; i > 0 && k + 1 < count; ++k) {
      for (const Triangle& t :
           {Triangle{before[k], row[k], row[k + 1]}, Triangle{before[k], row[k + 1], before[k + 1]}}) {
        if (!math::collinear(sheet.positions[at(t[0])], sheet.positions[at(t[1])], sheet.positions[at(t[2])]))
          sheet.triangles.push_back(t);
      }
    }
    before = row;
  }
  require(!sheet.triangles.empty(), ErrorCode::invalid_argument, "the blade sweeps no area");
  const MeshReport report = inspect(sheet);
  const bool crosses = !report.manifold() || !report.oriented() ||
                       !intersections(Surface(sheet.positions.size(), sheet.triangles), sheet.positions).empty();
  require(!crosses, ErrorCode::invalid_argument,
          "the surface that the blade sweeps crosses or touches itself; cut with each part of the path by itself");
  return sheet;
}

/// Points of the sheet, moved by up to `distance` in directions that depend on nothing but the attempt.
TriangleMesh moved(const TriangleMesh& sheet, double distance, unsigned attempt) {
  TriangleMesh result = sheet;
  std::mt19937_64 random(attempt);
  const auto next = [&] { return 2 * static_cast<double>(random() >> 11U) * 0x1p-53 - 1; };
  for (Vector3d& p : result.positions) {
    const double x = next();
    const double y = next();
    const double z = next();
    p += distance * Vector3d(x, y, z);
  }
  return result;
}

/// The mesh and the sheet, both split along the lines where they cross.
class BladeCut {
 public:
  BladeCut(const TriangleMesh& mesh, const TriangleMesh& sheet, const query::SheetCrossings& crossings,
           const query::SplitTriangles& mesh_parts, const query::SplitTriangles& sheet_parts, bool closed)
      : mesh_(mesh),
        sheet_(sheet),
        crossings_(crossings),
        mesh_parts_(mesh_parts),
        sheet_parts_(sheet_parts),
        closed_(closed),
        mesh_edges_(mesh_parts.triangles),
        sheet_edges_(sheet_parts.triangles) {}

  /// False if what is inside contradicts itself, as where rounding has turned something over.
  bool run(GluedTriangles& glued, double& unseparated) {
    for (const query::Crossing& c : crossings_.crossings) {
      const Index m = static_cast<Index>(mesh_.positions.size());
      const Index s = static_cast<Index>(sheet_.positions.size());
      Line line{mesh_edges_.find(m + c.from, m + c.to), mesh_edges_.find(m + c.to, m + c.from),
                sheet_edges_.find(s + c.from, s + c.to), sheet_edges_.find(s + c.to, s + c.from)};
      if (line.below == none || line.above == none || line.outside == none || line.inside == none) return false;
      lines_.push_back(line);
    }
    return find_inside() && find_volumes() && assemble(glued, unseparated);
  }

 private:
  /// Half-edges at a piece of the line: of the mesh below and above the sheet, of the sheet outside and inside.
  struct Line {
    Index below;
    Index above;
    Index outside;
    Index inside;
  };

  /// Half-edge of the sheet across one; `none` at its border.
  Index across_sheet(Index h) const {
    const auto [from, to] = query::ends_of(sheet_parts_.triangles, h);
    return sheet_edges_.find(to, from);
  }
  Index across_mesh(Index h) const {
    const auto [from, to] = query::ends_of(mesh_parts_.triangles, h);
    return mesh_edges_.find(to, from);
  }

  bool find_inside() {
    on_line_mesh_.assign(3 * mesh_parts_.triangles.size(), 0);
    on_line_sheet_.assign(3 * sheet_parts_.triangles.size(), 0);
    inside_.assign(sheet_parts_.triangles.size(), 0);
    std::vector<std::pair<Index, std::uint8_t>> stack;
    for (const Line& line : lines_) {
      on_line_mesh_[at(line.below)] = on_line_mesh_[at(line.above)] = 1;
      on_line_sheet_[at(line.outside)] = on_line_sheet_[at(line.inside)] = 1;
      stack.emplace_back(line.outside / 3, std::uint8_t{1});
      stack.emplace_back(line.inside / 3, std::uint8_t{2});
    }
    if (!closed_) return true;
    while (!stack.empty()) {
      const auto [t, mark] = stack.back();
      stack.pop_back();
      if (inside_[at(t)] == mark) continue;
      if (inside_[at(t)] != 0) return false;
      inside_[at(t)] = mark;
      for (Index h = 3 * t; h < 3 * t + 3; ++h) {
        const Index other = across_sheet(h);
        if (on_line_sheet_[at(h)] == 0 && other != none) stack.emplace_back(other / 3, mark);
      }
    }
    return true;
  }

  /// Volumes: sets of parts of the mesh, and of sides of the parts of the sheet that are inside.
  bool find_volumes() {
    const auto count = static_cast<Index>(mesh_parts_.triangles.size());
    DisjointSets& sets = sets_.emplace_back(at(count) + 2 * sheet_parts_.triangles.size());
    for (Index h = 0; h < 3 * count; ++h) {
      const Index other = across_mesh(h);
      if (other != none && on_line_mesh_[at(h)] == 0) sets.merge(h / 3, other / 3);
    }
    for (Index t = 0; t < static_cast<Index>(sheet_parts_.triangles.size()); ++t) {
      if (!is_inside(t)) continue;
      for (Index h = 3 * t; h < 3 * t + 3; ++h) {
        if (on_line_sheet_[at(h)] != 0) continue;
        const Index other = across_sheet(h);
        if (other == none) {
          sets.merge(below(t), above(t));  // around the border of the sheet
        } else {
          sets.merge(below(t), below(other / 3));
          sets.merge(above(t), above(other / 3));
        }
      }
    }
    if (!closed_) return true;
    for (const Line& line : lines_) {
      sets.merge(line.below / 3, below(line.inside / 3));
      sets.merge(line.above / 3, above(line.inside / 3));
    }
    return true;
  }

  bool is_inside(Index sheet_part) const { return closed_ && inside_[at(sheet_part)] == 2; }
  Index below(Index sheet_part) const { return static_cast<Index>(mesh_parts_.triangles.size()) + 2 * sheet_part; }
  Index above(Index sheet_part) const { return below(sheet_part) + 1; }
  bool separates(Index sheet_part) { return sets_[0].find(below(sheet_part)) != sets_[0].find(above(sheet_part)); }

  bool assemble(GluedTriangles& glued, double& unseparated) {
    const auto vertices = static_cast<Index>(mesh_.positions.size());
    const auto sheet_vertices = static_cast<Index>(sheet_.positions.size());
    const auto crossing_count = static_cast<Index>(crossings_.points.size());
    glued.points = mesh_.positions;
    for (const query::CrossingPoint& point : crossings_.points) glued.points.push_back(point.position);
    glued.points.insert(glued.points.end(), sheet_.positions.begin(), sheet_.positions.end());
    const auto point_of_sheet = [&](Index p) {
      return p < sheet_vertices ? vertices + crossing_count + p : vertices + p - sheet_vertices;
    };
    for (std::size_t t = 0; t < mesh_parts_.triangles.size(); ++t)
      glued.add(mesh_parts_.triangles[t], mesh_parts_.source[t]);
    std::vector<Index> first(sheet_parts_.triangles.size(), none);  // face below, followed by the one above
    for (Index t = 0; t < static_cast<Index>(first.size()); ++t) {
      if (!is_inside(t)) continue;
      Triangle face{};
      for (std::size_t k = 0; k < 3; ++k) face[k] = point_of_sheet(sheet_parts_.triangles[at(t)][k]);
      if (!separates(t)) {
        unseparated += query::area_of(glued.points[at(face[0])], glued.points[at(face[1])], glued.points[at(face[2])]);
        continue;
      }
      first[at(t)] = static_cast<Index>(glued.triangles.size());
      glued.add(face, none);
      glued.add({face[2], face[1], face[0]}, none);
    }
    glued.mates.assign(3 * glued.triangles.size(), none);
    const auto face_below = [&](Index h) { return 3 * first[at(h / 3)] + h % 3; };
    const auto face_above = [&](Index h) { return 3 * first[at(h / 3)] + 3 + (4 - h % 3) % 3; };
    for (Index h = 0; h < static_cast<Index>(3 * mesh_parts_.triangles.size()); ++h) {
      if (on_line_mesh_[at(h)] == 0) glued.mates[at(h)] = across_mesh(h);
    }
    for (Index h = 0; h < static_cast<Index>(3 * first.size()); ++h) {
      if (first[at(h / 3)] == none || on_line_sheet_[at(h)] != 0) continue;
      const Index other = across_sheet(h);
      if (other == none) return false;
      glued.mates[at(face_below(h))] = face_below(other);
      glued.mates[at(face_above(h))] = face_above(other);
    }
    for (const Line& line : lines_) {
      const bool cuts =
          closed_ ? first[at(line.inside / 3)] != none : sets_[0].find(line.below / 3) != sets_[0].find(line.above / 3);
      if (!cuts) {
        query::glue(glued, line.below, line.above);
      } else if (closed_) {
        query::glue(glued, line.below, face_below(line.inside));
        query::glue(glued, line.above, face_above(line.inside));
      }
    }
    return true;
  }

  const TriangleMesh& mesh_;
  const TriangleMesh& sheet_;
  const query::SheetCrossings& crossings_;
  const query::SplitTriangles& mesh_parts_;
  const query::SplitTriangles& sheet_parts_;
  bool closed_;
  query::HalfEdges mesh_edges_;
  query::HalfEdges sheet_edges_;
  std::vector<Line> lines_;
  std::vector<std::uint8_t> on_line_mesh_;
  std::vector<std::uint8_t> on_line_sheet_;
  std::vector<std::uint8_t> inside_;  // of each part of the sheet: 0 not known, 1 outside, 2 inside
  std::vector<DisjointSets> sets_;
};

std::optional<CutResult> try_cut(const TriangleMesh& mesh, const TriangleMesh& sheet, bool closed,
                                 const std::string& name) {
  const auto crossings = query::find_crossings(mesh, sheet);
  if (!crossings) return {};
  const auto mesh_parts = query::split_along(mesh, *crossings, false);
  if (!mesh_parts) return {};
  const auto sheet_parts = query::split_along(sheet, *crossings, true);
  if (!sheet_parts) return {};
  GluedTriangles glued;
  double unseparated = 0;
  if (!BladeCut(mesh, sheet, *crossings, *mesh_parts, *sheet_parts, closed).run(glued, unseparated)) return {};
  CutResult result = query::make_pieces(glued, closed, name);
  result.unseparated_area = unseparated;
  return result;
}

}  // namespace

CutResult cut(const TriangleMesh& mesh, const BladePath& blade, const std::string& name, const CutOptions& options) {
  const bool closed = query::check_cuttable(mesh, options);
  const TriangleMesh sheet = make_sheet(blade);
  const double snap = std::max(options.snap, 1e-12) * query::diagonal(mesh);
  for (unsigned i = 0; i < shift_attempts; ++i) {
    auto result = try_cut(mesh, i == 0 ? sheet : moved(sheet, snap, i), closed, name);
    if (!result) continue;
    if (i + 1 < shift_attempts && query::intersects_itself(*result, mesh.triangles)) continue;
    return std::move(*result);
  }
  fail(ErrorCode::bad_mesh,
       "the cut along the blade's path crosses itself, also with the path moved by {} m: does the mesh intersect "
       "itself?",
       snap);
}

}  // namespace carom

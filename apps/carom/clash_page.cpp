#include "clash_page.hpp"

#include <algorithm>
#include <nlohmann/json.hpp>

#include "carom/io/recording.hpp"
#include "core/at.hpp"
#include "narrow/mesh/point_queries.hpp"
#include "report.hpp"
#include "shapes/shape_data.hpp"

namespace carom::app {
namespace {

using Json = nlohmann::ordered_json;

/// Clashes, regions and triangles that a page can bear.
constexpr std::size_t max_clashes = 5000;
constexpr std::size_t max_regions = 40;
constexpr std::size_t max_overlap_triangles = 400'000;
constexpr std::size_t max_pieces_of_a_clash = 8000;
/// Pieces of a triangle that crosses the other part are no longer than this fraction of the region.
constexpr double piece_of_region = 1.0 / 24;

Json rounded(const Eigen::Vector3d& v) {
  Json list = Json::array();
  for (int k = 0; k < 3; ++k) list.push_back(number_or_null(static_cast<double>(static_cast<float>(v[k]))));
  return list;
}

using Corners = std::array<Eigen::Vector3d, 3>;

/// Surfaces of both parts as far as each is inside the other, in pieces: for the eye.
class OverlapSurface {
 public:
  OverlapSurface(const Shape::Part& a, const Shape::Part& b) : parts_{&a, &b} {}

  TriangleMesh run(const std::vector<ClashRegion>& regions) {
    for (const ClashRegion& region : regions) {
      const double size = piece_of_region * (region.box.max - region.box.min).norm();
      for (std::size_t side = 0; side < 2; ++side) {
        for (const Index t : side == 0 ? region.triangles_a : region.triangles_b) {
          const Shape& shape = parts_[side]->shape;
          Corners corners;
          for (std::size_t k = 0; k < 3; ++k)
            corners[k] = parts_[side]->pose * shape.vertices()[at(shape.triangles()[at(t)][k])];
          add(corners, region, size, 1 - side);
        }
      }
    }
    return std::move(mesh_);
  }

 private:
  bool is_inside(const Eigen::Vector3d& p, std::size_t other) const {
    const Shape::Part& part = *parts_[other];
    return mesh::inside(*part.shape.data().mesh, math::to_vec3(part.pose.inverse() * p));
  }

  void add(const Corners& t, const ClashRegion& region, double size, std::size_t other) {
    const Eigen::Vector3d low = t[0].cwiseMin(t[1]).cwiseMin(t[2]);
    const Eigen::Vector3d high = t[0].cwiseMax(t[1]).cwiseMax(t[2]);
    if ((low.array() > region.box.max.array()).any() || (high.array() < region.box.min.array()).any()) return;
    std::size_t longest = 0;
    for (std::size_t k = 1; k < 3; ++k) {
      if ((t[(k + 1) % 3] - t[k]).norm() > (t[(longest + 1) % 3] - t[longest]).norm()) longest = k;
    }
    const Eigen::Vector3d& p = t[longest];
    const Eigen::Vector3d& q = t[(longest + 1) % 3];
    const Eigen::Vector3d& r = t[(longest + 2) % 3];
    // A triangle that is inside wherever it is asked needs no pieces.
    if (is_inside_throughout(t, other)) {
      keep(t);
      return;
    }
    if ((q - p).norm() > size && count_++ < max_pieces_of_a_clash) {
      const Eigen::Vector3d middle = 0.5 * (p + q);
      add({p, middle, r}, region, size, other);
      add({middle, q, r}, region, size, other);
      return;
    }
    if (is_inside((p + q + r) / 3, other)) keep(t);
  }

  bool is_inside_throughout(const Corners& t, std::size_t other) const {
    const Eigen::Vector3d middle = (t[0] + t[1] + t[2]) / 3;
    if (!is_inside(middle, other)) return false;
    for (std::size_t k = 0; k < 3; ++k) {
      // A little within the triangle: faces that coincide have both sides there.
      for (const Eigen::Vector3d& p : {t[k], Eigen::Vector3d(0.5 * (t[k] + t[(k + 1) % 3]))}) {
        if (!is_inside(p + 1e-4 * (middle - p), other)) return false;
      }
    }
    return true;
  }

  void keep(const Corners& t) {
    const auto first = static_cast<Index>(mesh_.positions.size());
    mesh_.positions.insert(mesh_.positions.end(), t.begin(), t.end());
    mesh_.triangles.push_back({first, first + 1, first + 2});
  }

  std::array<const Shape::Part*, 2> parts_;
  TriangleMesh mesh_;
  std::size_t count_ = 0;
};

Json clash_json(const Finding& finding) {
  const Clash& clash = finding.clash;
  Json regions = Json::array();
  for (std::size_t i = 0; i < std::min(clash.regions.size(), max_regions); ++i) {
    const ClashRegion& region = clash.regions[i];
    regions.push_back({{"depth", number_or_null(region.depth)},
                       {"volume", number_or_null(region.volume)},
                       {"a", rounded(region.point_a)},
                       {"b", rounded(region.point_b)},
                       {"min", rounded(region.box.min)},
                       {"max", rounded(region.box.max)}});
  }
  return {{"kind", to_string(clash.kind)},
          {"a", clash.a},
          {"b", clash.b},
          {"distance", number_or_null(clash.distance)},
          {"error", number_or_null(clash.error)},
          {"volume", number_or_null(clash.volume)},
          {"places", clash.regions.size()},
          {"point_a", rounded(clash.point_a)},
          {"point_b", rounded(clash.point_b)},
          {"normal", rounded(clash.normal)},
          {"allowed", finding.allowed},
          {"change", to_string(finding.change)},
          {"regions", std::move(regions)}};
}

}  // namespace

std::vector<std::uint8_t> record_check(const CheckReport& report, const std::vector<Shape::Part>& shapes,
                                       const Lengths& unit) {
  std::vector<TriangleMesh> overlaps;
  std::vector<std::string> overlap_names;
  std::size_t triangles = 0;
  const auto part_count = static_cast<std::uint32_t>(report.parts.size());
  Json clashes = Json::array();
  for (std::size_t i = 0; i < std::min(report.findings.size(), max_clashes); ++i) {
    const Finding& finding = report.findings[i];
    Json entry = clash_json(finding);
    const Clash& clash = finding.clash;
    if (clash.kind == ClashKind::overlap && triangles < max_overlap_triangles && !clash.regions.empty()) {
      const Shape::Part& a = shapes[at(clash.a)];
      const Shape::Part& b = shapes[at(clash.b)];
      TriangleMesh surface = OverlapSurface(a, b).run(clash.regions);
      if (!surface.triangles.empty()) {
        triangles += surface.triangles.size();
        entry["overlap"] = part_count + overlaps.size();
        overlap_names.push_back(fmt::format("overlap {}", i + 1));
        overlaps.push_back(std::move(surface));
      }
    }
    clashes.push_back(std::move(entry));
  }
  Json defects = Json::array();
  for (std::size_t i = 0; i < report.defects.size(); ++i) {
    for (const PartDefect& defect : report.defects[i])
      defects.push_back({{"part", i}, {"text", defect.text}, {"consequence", defect.consequence}});
  }
  const Json check = {{"parts", report.parts.size()},
                      {"names", short_names(report.parts)},
                      {"unit", {{"name", unit.name}, {"length", unit.length}}},
                      {"clashes", std::move(clashes)},
                      {"all", report.findings.size()},
                      {"defects", std::move(defects)}};
  RecordingMeta meta{.scene = fmt::format("{} of {}", counted(report.findings.size(), "clash", "clashes"),
                                          counted(report.parts.size(), "part")),
                     .dt = 1,
                     .contact_distance = report.clearance,
                     .check = dump(check)};
  std::vector<FrameBodyView> bodies;
  for (std::size_t i = 0; i < report.parts.size(); ++i)
    bodies.push_back({static_cast<std::uint32_t>(i), report.parts[i].name, MotionModel::fixed,
                      report.parts[i].mesh.triangles, report.parts[i].mesh.positions});
  for (std::size_t i = 0; i < overlaps.size(); ++i)
    bodies.push_back({part_count + static_cast<std::uint32_t>(i), overlap_names[i], MotionModel::fixed,
                      overlaps[i].triangles, overlaps[i].positions});
  RecordingWriter writer(meta, PositionEncoding::f32);
  writer.write_frame(0, bodies, {}, {});
  writer.close();
  return {writer.bytes().begin(), writer.bytes().end()};
}

}  // namespace carom::app

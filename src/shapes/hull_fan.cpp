#include "shapes/hull_fan.hpp"

#include <algorithm>
#include <cmath>
#include <numeric>
#include <tuple>

#include "kernels/facet_bounds.hpp"
#include "kernels/hull_support.hpp"
#include "shapes/hull_data.hpp"

namespace carom::shapes {
namespace {

using kernels::facet_lanes;
using Order = std::vector<std::uint16_t>;

/// Faces bend by no more than this of the size, by rounding.
constexpr double coplanar = 1e-12;
constexpr std::uint16_t no_face = 0xffff;
/// Larger than any bound, and finite when a few of it are added up.
constexpr float far_away = 1e36F;
/// Relative error of floats.
constexpr double rounding = 1e-6;

double size_of(const HullData& hull) {
  Eigen::Vector3d low = hull.points[0];
  Eigen::Vector3d high = hull.points[0];
  for (const Eigen::Vector3d& p : hull.points) {
    low = low.cwiseMin(p);
    high = high.cwiseMax(p);
  }
  return (high - low).norm();
}

/// Halves, again and again, along the axis in which the normals spread most; every part but the last is whole groups.
void sort_by_place(const HullData& hull, Order::iterator begin, Order::iterator end) {
  const auto count = end - begin;
  if (count <= static_cast<std::ptrdiff_t>(facet_lanes)) return;
  Vec3 low{2, 2, 2};
  Vec3 high{-2, -2, -2};
  for (auto f = begin; f != end; ++f) {
    low = lower(low, hull.face_normals[*f]);
    high = higher(high, hull.face_normals[*f]);
  }
  const Vec3 d = high - low;
  const auto along = [&](std::uint16_t f) {
    const Vec3& n = hull.face_normals[f];
    return d.x >= d.y && d.x >= d.z ? n.x : d.y >= d.z ? n.y : n.z;
  };
  constexpr auto lanes = static_cast<std::ptrdiff_t>(facet_lanes);
  const auto middle = begin + (count / lanes + 1) / 2 * lanes;
  std::nth_element(begin, middle, end, [&](std::uint16_t f, std::uint16_t g) {
    return std::make_tuple(along(f), f) < std::make_tuple(along(g), g);
  });
  sort_by_place(hull, begin, middle);
  sort_by_place(hull, middle, end);
}

/// Floats have digits for hulls of this size.
bool has_digits(double size) {
  return size > 1e-12 && size < 1e12;
}

double largest_offset(const HullData& hull, const Vec3& n) {
  const std::uint32_t farthest = kernels::farthest({hull.rows.data(), hull.stride}, n.x, n.y, n.z);
  return dot(n, math::to_vec3(hull.points[farthest]));
}

void fill_corners(const std::vector<Eigen::Vector3d>& points, HullFan& fan) {
  fan.corners.clear();
  for (const Eigen::Vector3d& p : points) {
    for (const double x : {p.x(), p.y(), p.z(), 0.0}) fan.corners.push_back(static_cast<float>(x));
  }
}

/// Offsets of the faces; false unless each is a plane with all corners on it or behind.
bool add_faces(HullData& hull, const Order& order, double size) {
  for (const std::uint16_t f : order) {
    const Vec3& n = hull.face_normals[f];
    const auto offset = [&](std::size_t i) { return dot(n, math::to_vec3(hull.points[i])); };
    const double largest = largest_offset(hull, n);
    for (const Index i : hull.faces[f]) {
      if (!(largest - offset(static_cast<std::size_t>(i)) <= coplanar * size)) return false;
    }
    hull.fan.faces.push_back({n, largest, 0, static_cast<std::uint16_t>(hull.faces[f].size()), f});
  }
  return true;
}

/// False unless every edge has a face on either side.
bool add_edges(HullData& hull) {
  struct Half {
    std::uint16_t low, high;
    bool up;
    std::uint16_t face;
    std::size_t at;
  };
  std::vector<Half> halves;
  HullFan& fan = hull.fan;
  for (std::size_t f = 0; f < fan.faces.size(); ++f) {
    const auto corners = hull.faces[fan.faces[f].number];
    fan.faces[f].first = static_cast<std::uint32_t>(fan.edges.size());
    for (std::size_t k = 0; k < corners.size(); ++k) {
      const auto from = static_cast<std::uint16_t>(corners[k]);
      const auto to = static_cast<std::uint16_t>(corners[(k + 1) % corners.size()]);
      halves.push_back(
          {std::min(from, to), std::max(from, to), from < to, static_cast<std::uint16_t>(f), fan.edges.size()});
      fan.edges.push_back({from, to, no_face});
    }
  }
  std::sort(halves.begin(), halves.end(), [](const Half& a, const Half& b) {
    return std::tie(a.low, a.high, a.up, a.at) < std::tie(b.low, b.high, b.up, b.at);
  });
  if (halves.size() % 2 != 0) return false;
  for (std::size_t i = 0; i < halves.size(); i += 2) {
    const Half& a = halves[i];
    const Half& b = halves[i + 1];
    if (a.low == a.high || a.low != b.low || a.high != b.high || a.up || !b.up || a.face == b.face) return false;
    if (i + 2 < halves.size() && halves[i + 2].low == a.low && halves[i + 2].high == a.high) return false;
    fan.edges[a.at].beyond = b.face;
    fan.edges[b.at].beyond = a.face;
  }
  return true;
}

double room_at(const HullFan& fan, const Vec3& p, std::size_t& nearest) {
  double smallest = INFINITY;
  for (std::size_t f = 0; f < fan.faces.size(); ++f) {
    const double room = fan.faces[f].offset - dot(fan.faces[f].n, p);
    if (room < smallest) smallest = room, nearest = f;
  }
  return smallest;
}

/// A large ball inside: from the mean of the corners away from the nearest face, by ever smaller steps.
void find_ball(HullData& hull) {
  constexpr int steps = 120;
  Vec3 p;
  for (const Eigen::Vector3d& q : hull.points) p = p + (1.0 / hull.size()) * math::to_vec3(q);
  HullFan& fan = hull.fan;
  double step = 0;
  for (int i = 0; i < steps; ++i) {
    std::size_t nearest = 0;
    const double room = room_at(fan, p, nearest);
    if (room > fan.radius) fan.radius = room, fan.centre = p;
    step = i == 0 ? room : 0.95 * step;
    p = p - step * fan.faces[nearest].n;
  }
  fan.radius *= 1 - 1e-12;
}

/// 1 / cos of half the angle to the neighbour that is turned away farthest.
double spread(const HullFan& fan, const HullFan::Face& face) {
  double smallest = 1;
  for (std::uint32_t k = face.first; k < face.first + face.count; ++k) {
    smallest = std::min(smallest, dot(face.n, fan.faces[fan.edges[k].beyond].n));
  }
  return (1 + rounding) / std::sqrt(std::max(0.5 * (1 + smallest), 1e-6));
}

void fill_groups(HullData& hull) {
  HullFan& fan = hull.fan;
  const std::size_t count = (fan.faces.size() + facet_lanes - 1) / facet_lanes;
  fan.group_stride = static_cast<std::uint32_t>((count + facet_lanes - 1) / facet_lanes * facet_lanes);
  fan.groups.assign(6 * static_cast<std::size_t>(fan.group_stride), 0.0F);
  fan.blocks.assign(count * 5 * facet_lanes, 0.0F);
  for (std::size_t g = 0; g < fan.group_stride; ++g) {
    Vec3 sum;
    double smallest = far_away;
    double widest = 1;
    const std::size_t first = std::min(g * facet_lanes, fan.faces.size());
    const std::size_t last = std::min(first + facet_lanes, fan.faces.size());
    for (std::size_t f = first; f < last; ++f) {
      const HullFan::Face& face = fan.faces[f];
      sum = sum + (1.0 / static_cast<double>(last - first)) * face.n;
      smallest = std::min(smallest, face.offset - dot(face.n, fan.centre));
      widest = std::max(widest, spread(fan, face));
    }
    double reach = 0;
    for (std::size_t f = first; f < last; ++f) {
      const Vec3 d = fan.faces[f].n - sum;
      reach = std::max(reach, std::sqrt(dot(d, d)));
    }
    const double row[6] = {sum.x, sum.y, sum.z, smallest, reach + rounding, widest};
    for (std::size_t k = 0; k < 6; ++k) fan.groups[k * fan.group_stride + g] = static_cast<float>(row[k]);
    if (g >= count) continue;
    for (std::size_t lane = 0; lane < facet_lanes; ++lane) {
      float* block = fan.blocks.data() + g * 5 * facet_lanes + lane;
      const bool there = first + lane < last;
      const HullFan::Face face = there ? fan.faces[first + lane] : HullFan::Face{{}, far_away, 0, 0, 0};
      const double values[5] = {face.n.x, face.n.y, face.n.z, face.offset, there ? spread(fan, face) : 1};
      for (std::size_t k = 0; k < 5; ++k) block[k * facet_lanes] = static_cast<float>(values[k]);
    }
  }
}

}  // namespace

void build_fan(HullData& hull) {
  hull.fan = {};
  if (hull.dimension < 3 || hull.faces.size() > max_fan_faces) return;
  const double size = size_of(hull);
  if (!has_digits(size)) return;
  Order order(hull.faces.size());
  std::iota(order.begin(), order.end(), std::uint16_t{0});
  sort_by_place(hull, order.begin(), order.end());
  const bool sound = add_faces(hull, order, size) && add_edges(hull);
  if (sound) find_ball(hull);
  if (!(hull.fan.radius > min_fan_radius * size)) {
    hull.fan = {};
    return;
  }
  fill_groups(hull);
  fill_corners(hull.points, hull.fan);
}

void scale_fan(HullData& hull, double factor) {
  HullFan& fan = hull.fan;
  if (!fan.usable()) return;
  if (!has_digits(size_of(hull))) {
    fan = {};
    return;
  }
  for (HullFan::Face& face : fan.faces) face.offset = largest_offset(hull, face.n);
  fan.centre = factor * fan.centre;
  fan.radius *= factor * (1 - 1e-12);
  fill_groups(hull);
  fill_corners(hull.points, fan);
}

}  // namespace carom::shapes

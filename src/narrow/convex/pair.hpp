#pragma once

#include <Eigen/Geometry>
#include <type_traits>

#include "shapes/core.hpp"
#include "shapes/support.hpp"

/// Two cores seen from the frame of the first. Only the difference of the two positions enters, so a pair far from the
/// origin of the world is computed as well as one at it.
namespace carom::convex {

using math::Vec3;
using shapes::Core;

/// Pose of b in the frame of a.
struct RelativePose {
  Vec3 x, y, z;  ///< columns of the rotation
  Vec3 t;

  Vec3 rotate(const Vec3& p) const {
    return {x.x * p.x + y.x * p.y + z.x * p.z, x.y * p.x + y.y * p.y + z.y * p.z, x.z * p.x + y.z * p.y + z.z * p.z};
  }
  Vec3 rotate_back(const Vec3& d) const { return {dot(x, d), dot(y, d), dot(z, d)}; }
};

inline RelativePose inverse(const RelativePose& p) {
  return {{p.x.x, p.y.x, p.z.x}, {p.x.y, p.y.y, p.z.y}, {p.x.z, p.y.z, p.z.z}, -p.rotate_back(p.t)};
}

inline RelativePose relative_pose(const Eigen::Isometry3d& a, const Eigen::Isometry3d& b) {
  const double* ma = a.matrix().data();  // by columns
  const double* mb = b.matrix().data();
  const Vec3 ax{ma[0], ma[1], ma[2]};
  const Vec3 ay{ma[4], ma[5], ma[6]};
  const Vec3 az{ma[8], ma[9], ma[10]};
  const auto into_a = [&](const Vec3& d) { return Vec3{dot(ax, d), dot(ay, d), dot(az, d)}; };
  return {into_a({mb[0], mb[1], mb[2]}), into_a({mb[4], mb[5], mb[6]}), into_a({mb[8], mb[9], mb[10]}),
          into_a({mb[12] - ma[12], mb[13] - ma[13], mb[14] - ma[14]})};
}

/// A point of the difference of the two cores, y = a - b, and where it comes from.
struct Vertex {
  Vec3 y;
  Vec3 a;
  std::uint32_t ia = 0;
  std::uint32_t ib = 0;
};

struct AnySupport {
  const Core& core;
  shapes::SupportPoint operator()(const Vec3& d) const { return shapes::support(core, d); }
};
struct BoxSupport {
  const Core& core;
  shapes::SupportPoint operator()(const Vec3& d) const { return shapes::box_support(core.size, d); }
};
struct HullSupport {
  const Core& core;
  shapes::SupportPoint operator()(const Vec3& d) const { return shapes::hull_support(*core.hull, d); }
};

template <class SupportA, class SupportB>
struct Pair {
  SupportA a;
  SupportB b;
  const RelativePose& pose;

  /// The farthest point of the difference along d.
  Vertex support(const Vec3& d) const {
    const Vec3 e = -pose.rotate_back(d);
    if constexpr (std::is_same_v<SupportA, HullSupport> && std::is_same_v<SupportB, HullSupport>) {
      const shapes::HullData& ha = *a.core.hull;
      const shapes::HullData& hb = *b.core.hull;
      if (ha.starts.empty() && hb.starts.empty()) {
        std::uint32_t at[2];
        const double along[6] = {d.x, d.y, d.z, e.x, e.y, e.z};
        kernels::farthest_of_both({ha.rows.data(), ha.stride}, along, {hb.rows.data(), hb.stride}, along + 3, at);
        const Vec3 pa = shapes::corner(ha, at[0]);
        return {pa - (pose.rotate(shapes::corner(hb, at[1])) + pose.t), pa, at[0], at[1]};
      }
    }
    const shapes::SupportPoint pa = a(d);
    const shapes::SupportPoint pb = b(e);
    return {pa.p - (pose.rotate(pb.p) + pose.t), pa.p, pa.index, pb.index};
  }
  bool polytopes() const { return a.core.polytope() && b.core.polytope(); }
  double radius() const { return a.core.radius + b.core.radius; }
  /// No coordinate of the difference is larger.
  double scale() const {
    return a.core.reach + b.core.reach + std::abs(pose.t.x) + std::abs(pose.t.y) + std::abs(pose.t.z);
  }
};

}  // namespace carom::convex

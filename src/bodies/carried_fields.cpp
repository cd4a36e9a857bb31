#include "bodies/carried_fields.hpp"

#include <Eigen/SVD>

#include "core/check.hpp"

namespace carom::bodies {
namespace {

using Eigen::Matrix3d;
using Eigen::Vector3d;

/// Distance of a vertex from its place in a rigid motion at most, as a fraction of the size of the mesh: single
/// precision of coordinates ten times as large as the mesh passes, any visible change of shape does not.
constexpr double rigid_tolerance = 1e-5;

Vector3d mean_of_points(std::span<const Vector3d> points) {
  Vector3d sum = Vector3d::Zero();
  for (const Vector3d& p : points) sum += p;
  return sum / static_cast<double>(points.size());
}

/// Pose of the shape of a body whose vertices are at places.
Eigen::Isometry3d pose_of(const rigid::Info& info, std::span<const Vector3d> places, double time) {
  const std::span<const Vector3d> local = info.shape.vertices();
  const Eigen::Isometry3d pose = rigid_fit(local, places);
  std::size_t worst = 0;
  double most = 0;
  for (std::size_t v = 0; v < places.size(); ++v) {
    const double off = (pose * local[v] - places[v]).norm();
    if (off <= most) continue;
    most = off;
    worst = v;
  }
  require(most <= rigid_tolerance * info.size, ErrorCode::unsupported,
          "body '{}': its motion changes its shape at time {} s, where vertex {} is {:.3g} m off its place in a rigid "
          "motion; a field goes with motions that keep the shape: leave 'field' out",
          info.name, time, worst, most);
  return pose;
}

bool carries_field(const Body& body, const rigid::Bodies& table) {
  return body.motion == MotionModel::scripted && body.has_vertices() && table.info[body.slot].field.has_value();
}

}  // namespace

Eigen::Isometry3d rigid_fit(std::span<const Vector3d> from, std::span<const Vector3d> to) {
  const Vector3d from_mean = mean_of_points(from);
  const Vector3d to_mean = mean_of_points(to);
  Matrix3d covariance = Matrix3d::Zero();
  for (std::size_t i = 0; i < from.size(); ++i) covariance += (to[i] - to_mean) * (from[i] - from_mean).transpose();
  const Eigen::JacobiSVD<Matrix3d> svd(covariance, Eigen::ComputeFullU | Eigen::ComputeFullV);
  Matrix3d u = svd.matrixU();
  if (u.determinant() * svd.matrixV().determinant() < 0) u.col(2) = -u.col(2);
  Eigen::Isometry3d fit = Eigen::Isometry3d::Identity();
  fit.linear() = u * svd.matrixV().transpose();
  fit.translation() = to_mean - fit.linear() * from_mean;
  return fit;
}

void find_carried(const VertexIn& in, const Vertices& vertices, CarriedMotions& motions) {
  motions.clear();
  for (const SurfacePart& part : vertices.parts) {
    if (!carries_field(in.bodies[part.id], in.table)) continue;
    const rigid::Info& info = in.table.info[part.body];
    rigid::Motion& motion = motions.emplace_back(part.body, rigid::Motion{}).second;
    rigid::place(pose_of(info, part.of(vertices.start), in.time), info, motion);
    if (fastest_vertex(vertices, part) == 0) continue;
    rigid::Motion end;
    rigid::place(pose_of(info, part.of(vertices.positions), in.time + in.dt), info, end);
    motion.v = (1 / in.dt) * (end.x - motion.x);
    motion.w = (1 / in.dt) * math::rotation_vector(end.q * math::conjugate(motion.q));
  }
}

CarriedMotions carried_motions(const BodyMap& bodies, const rigid::Bodies& table) {
  CarriedMotions motions;
  for (const BodySlot slot : table.slots()) {
    const rigid::Info& info = table.info[slot];
    if (info.field && carries_field(bodies[info.id], table)) motions.emplace_back(slot, table.motion[slot]);
  }
  return motions;
}

void set_motions(const CarriedMotions& motions, rigid::Bodies& table) {
  for (const auto& [slot, motion] : motions) table.motion[slot] = motion;
}

}  // namespace carom::bodies

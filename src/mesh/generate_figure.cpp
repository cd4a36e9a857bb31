#include <Eigen/Geometry>
#include <array>
#include <cmath>
#include <memory>
#include <numbers>
#include <vector>

#include "carom/mesh/figure.hpp"
#include "mesh/generate_check.hpp"

namespace carom {
namespace {

using Eigen::AngleAxisd;
using Eigen::Isometry3d;
using Eigen::Vector3d;

enum Bone : std::size_t { trunk, upper_arm, lower_arm, thigh, shin, foot, bone_count };
constexpr std::size_t side_count = 2;

// Sizes in m of a figure of 1.75 m; the side of +x is the left one.
constexpr double full_height = 1.75;
constexpr double thigh_length = 0.42;
constexpr double shin_length = 0.41;
constexpr double ankle_height = 0.09;
constexpr double hip_height = ankle_height + shin_length + thigh_length;

struct Joints {
  Vector3d shoulder{0.17, 1.37, 0};
  Vector3d elbow{0.45, 1.37, 0};
  Vector3d hip{0.095, hip_height, 0};
  Vector3d knee{0.095, ankle_height + shin_length, 0};
  Vector3d ankle{0.095, ankle_height, 0};
};

/// Ring of a part, across its axis.
struct Ring {
  double along = 0;  ///< m, on the axis
  double a = 0;      ///< m, half axes of the ellipse
  double b = 0;
};

struct FigureMesh {
  TriangleMesh mesh;
  std::vector<std::size_t> bone;  ///< of each vertex: side * bone_count + bone
};

/// Closed part of rings along an axis between two poles, the first and the last ring.
void add_part(const Vector3d& origin, const Eigen::Matrix3d& frame, const std::vector<Ring>& rings, int around,
              std::size_t bone, FigureMesh& figure) {
  TriangleMesh& mesh = figure.mesh;
  const auto first = static_cast<Index>(mesh.positions.size());
  const auto point = [&](double along, double a, double b) {
    mesh.positions.push_back(origin + frame * Vector3d(a, along, b));
    figure.bone.push_back(bone);
  };
  for (std::size_t r = 0; r < rings.size(); ++r) {
    if (r == 0 || r + 1 == rings.size()) {
      point(rings[r].along, 0, 0);
      continue;
    }
    for (int k = 0; k < around; ++k) {
      const double angle = 2 * std::numbers::pi * k / around;
      point(rings[r].along, rings[r].a * std::cos(angle), rings[r].b * std::sin(angle));
    }
  }
  const auto at = [&](std::size_t ring, int k) {
    return first + 1 + static_cast<Index>(ring - 1) * around + k % around;
  };
  const auto last = static_cast<Index>(mesh.positions.size()) - 1;
  for (int k = 0; k < around; ++k) {
    mesh.triangles.push_back({first, at(1, k), at(1, k + 1)});
    mesh.triangles.push_back({last, at(rings.size() - 2, k + 1), at(rings.size() - 2, k)});
    for (std::size_t r = 1; r + 2 < rings.size(); ++r) {
      mesh.triangles.push_back({at(r, k), at(r + 1, k), at(r + 1, k + 1)});
      mesh.triangles.push_back({at(r, k), at(r + 1, k + 1), at(r, k + 1)});
    }
  }
}

/// Limb with round ends around two joints.
void add_limb(const Vector3d& from, const Vector3d& to, double radius_from, double radius_to, int around,
              std::size_t bone, FigureMesh& figure) {
  constexpr int round_rings = 4;
  const double length = (to - from).norm();
  const int pieces = std::max(1, static_cast<int>(std::lround(length / (0.05 * full_height / 1.75))));
  std::vector<Ring> rings{{-radius_from, 0, 0}};
  for (int k = 1; k < round_rings; ++k) {
    const double angle = 0.5 * std::numbers::pi * k / round_rings;
    rings.push_back({-radius_from * std::cos(angle), radius_from * std::sin(angle), radius_from * std::sin(angle)});
  }
  for (int k = 0; k <= pieces; ++k) {
    const double radius = radius_from + (radius_to - radius_from) * k / pieces;
    rings.push_back({length * k / pieces, radius, radius});
  }
  for (int k = round_rings - 1; k > 0; --k) {
    const double angle = 0.5 * std::numbers::pi * k / round_rings;
    rings.push_back({length + radius_to * std::cos(angle), radius_to * std::sin(angle), radius_to * std::sin(angle)});
  }
  rings.push_back({length + radius_to, 0, 0});
  add_part(from, Eigen::Quaterniond::FromTwoVectors(Vector3d::UnitY(), to - from).toRotationMatrix(), rings, around,
           bone, figure);
}

/// Trunk, neck and head in one: half widths and depths at heights.
void add_trunk(int around, FigureMesh& figure) {
  const std::vector<Ring> rings{
      {0.84, 0, 0},         {0.845, 0.07, 0.05},  {0.865, 0.12, 0.085},  {0.90, 0.155, 0.108},  {0.95, 0.168, 0.118},
      {1.00, 0.160, 0.112}, {1.05, 0.146, 0.103}, {1.10, 0.140, 0.100},  {1.15, 0.146, 0.106},  {1.20, 0.158, 0.114},
      {1.25, 0.170, 0.118}, {1.30, 0.180, 0.116}, {1.345, 0.186, 0.108}, {1.385, 0.182, 0.096}, {1.415, 0.160, 0.083},
      {1.44, 0.118, 0.07},  {1.46, 0.078, 0.06},  {1.48, 0.060, 0.056},  {1.52, 0.056, 0.056},  {1.545, 0.066, 0.074},
      {1.58, 0.078, 0.09},  {1.62, 0.083, 0.098}, {1.66, 0.080, 0.095},  {1.70, 0.066, 0.08},   {1.73, 0.042, 0.052},
      {1.75, 0, 0}};
  add_part({0, 0, 0}, Eigen::Matrix3d::Identity(), rings, around, trunk, figure);
}

FigureMesh build_figure(double height, int around) {
  mesh::require_positive("make_figure", "height", height);
  mesh::require_at_least("make_figure", "around", around, 8);
  mesh::require_indexable("make_figure", "around", 600.0 * around);
  FigureMesh figure;
  const Joints joints;
  const int limb = std::max(8, 2 * around / 3);
  add_trunk(around, figure);
  for (const std::size_t side : {std::size_t{0}, std::size_t{1}}) {
    const auto place = [&](const Vector3d& p) { return Vector3d(side == 0 ? p.x() : -p.x(), p.y(), p.z()); };
    const std::size_t base = side * bone_count;
    const Vector3d elbow = place(joints.elbow);
    const Vector3d ankle = place(joints.ankle);
    add_limb(place(joints.shoulder), elbow, 0.058, 0.043, limb, base + upper_arm, figure);
    add_limb(elbow, place({0.69, 1.37, 0}), 0.0425, 0.032, limb, base + lower_arm, figure);
    add_limb(place({0.72, 1.37, 0}), place({0.79, 1.37, 0}), 0.036, 0.028, limb, base + lower_arm, figure);
    add_limb(place(joints.hip), place(joints.knee), 0.088, 0.058, limb, base + thigh, figure);
    add_limb(place(joints.knee), ankle, 0.0575, 0.042, limb, base + shin, figure);
    add_limb(ankle + Vector3d(0, -0.045, -0.03), ankle + Vector3d(0, -0.055, 0.15), 0.042, 0.034, limb, base + foot,
             figure);
  }
  for (Vector3d& p : figure.mesh.positions) p *= height / full_height;
  return figure;
}

/// From 0 to 1 within a second, and its integral.
double rise(double time) {
  const double u = std::clamp(time, 0.0, 1.0);
  return u * u * (3 - 2 * u);
}
double risen(double time) {
  const double u = std::clamp(time, 0.0, 1.0);
  return u * u * u * (1 - 0.5 * u) + std::max(0.0, time - 1);
}

Isometry3d turn_about(const Vector3d& joint, const Eigen::Matrix3d& turn) {
  Isometry3d t = Isometry3d::Identity();
  t.linear() = turn;
  t.translation() = joint - turn * joint;
  return t;
}

Eigen::Matrix3d about_x(double angle) {
  return AngleAxisd(angle, Vector3d::UnitX()).toRotationMatrix();
}

/// Where the bones are that stand at rest at the origin, for a figure of full height.
std::array<Isometry3d, side_count * bone_count> walking_bones(double time) {
  constexpr double cycle = 1.15;      // s, of two steps
  constexpr double swing_leg = 0.36;  // rad
  constexpr double swing_arm = 0.2;   // rad
  constexpr double bend_knee = 0.75;  // rad
  constexpr double lower_by = 0.35;   // rad, of the arms
  constexpr double bend_elbow = 0.4;  // rad
  constexpr double smoothing = 0.01;  // m, of the change from foot to foot
  const Joints joints;
  const double since = std::min(time, figure_walk_duration) - figure_walk_start;
  const double amount = rise(since);
  const double phase = 2 * std::numbers::pi * risen(since) / cycle;

  std::array<Isometry3d, side_count * bone_count> bones;
  std::array<double, side_count> reach{};
  for (std::size_t side = 0; side < side_count; ++side) {
    const double sign = side == 0 ? 1 : -1;
    const auto place = [&](const Vector3d& p) { return Vector3d(sign * p.x(), p.y(), p.z()); };
    const double forward = std::max(0.0, sign * std::cos(phase));
    const double hip = -amount * swing_leg * sign * std::sin(phase);
    const double knee = amount * (0.08 + bend_knee * forward * forward);
    Isometry3d* const bone = bones.data() + side * bone_count;
    bone[trunk].setIdentity();
    bone[thigh] = turn_about(place(joints.hip), about_x(hip));
    bone[shin] = bone[thigh] * turn_about(place(joints.knee), about_x(knee));
    bone[foot] = bone[shin] * turn_about(place(joints.ankle), about_x(-0.6 * (hip + knee)));
    reach[side] = hip_height - (bone[shin] * place(joints.ankle)).y();
    const double down = amount * lower_by;
    const double swing = amount * swing_arm * sign * std::sin(phase);
    bone[upper_arm] = turn_about(place(joints.shoulder),
                                 about_x(swing) * AngleAxisd(-sign * down, Vector3d::UnitZ()).toRotationMatrix());
    bone[lower_arm] =
        bone[upper_arm] *
        turn_about(place(joints.elbow), AngleAxisd(-sign * amount * bend_elbow, Vector3d::UnitY()).toRotationMatrix());
  }
  // The lower foot is on the ground; the trunk turns against the legs.
  const double difference = reach[0] - reach[1];
  const double longest = 0.5 * (reach[0] + reach[1] + std::sqrt(difference * difference + smoothing * smoothing));
  const double stride = 2 * (thigh_length + shin_length) * std::sin(swing_leg);
  Isometry3d root = Isometry3d::Identity();
  root.translation() =
      Vector3d(0, longest - 0.5 * smoothing - (hip_height - ankle_height), 2 * stride / cycle * risen(since));
  const Isometry3d upper =
      root * turn_about({0, 0, 0}, AngleAxisd(0.08 * amount * std::sin(phase), Vector3d::UnitY()).toRotationMatrix());
  for (std::size_t i = 0; i < bones.size(); ++i) bones[i] = (i % bone_count >= thigh ? root : upper) * bones[i];
  return bones;
}

}  // namespace

TriangleMesh make_figure(double height, int around) {
  return build_figure(height, around).mesh;
}

std::function<void(double time, std::span<Vector3d> positions)> make_figure_walk(double height, int around) {
  return [figure = std::make_shared<const FigureMesh>(build_figure(height, around)), scale = height / full_height](
             double time, std::span<Vector3d> positions) {
    const auto bones = walking_bones(time);
    for (std::size_t v = 0; v < positions.size(); ++v) {
      const Isometry3d& bone = bones[figure->bone[v]];
      positions[v] = bone.linear() * figure->mesh.positions[v] + scale * bone.translation();
    }
  };
}

}  // namespace carom

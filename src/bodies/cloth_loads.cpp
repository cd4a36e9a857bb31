#include "bodies/cloth_loads.hpp"

#include <algorithm>
#include <cmath>

#include "core/at.hpp"
#include "math/vec3.hpp"

namespace carom::cloth {
namespace {

using Eigen::Vector3d;
using math::Vec3;

/// Vertices and triangles that a thread takes at a time.
constexpr std::size_t load_block = 2048;
/// Accelerations by the wind are good for this part of the time in which the air brings a triangle to rest.
constexpr double part_of_rest = 0.25;

// Loops over vertices in plain numbers: through vectors of Eigen they take several times as long.

Vec3 vector_at(std::span<const Vector3d> list, std::size_t i) {
  const double* const p = list.data()->data() + 3 * i;
  return {p[0], p[1], p[2]};
}

/// Force of the air on a triangle of unit normal n, and that force over the relative velocity (kg/s).
struct AirForce {
  Vec3 force;
  double rate = 0;
};

AirForce air_force(const Wind& wind, const Vec3& velocity, const Vec3& mean, const Vec3& n, double area) {
  if (wind.law == WindLaw::linear) return {(wind.linear_pressure * area * dot(velocity, n)) * n, 0};
  const Vec3 relative = velocity - mean;
  const double across = dot(relative, n);
  const double speed = length(relative);
  const double scale = 0.5 * wind.density * area;
  if (wind.law == WindLaw::plate) {
    const double normal = scale * wind.normal_drag * std::abs(across);
    const double tangent = scale * wind.tangent_drag * speed;
    return {(normal * across) * n + tangent * (relative - across * n), std::max(normal, tangent)};
  }
  if (!(speed > 0)) return {};
  // As add_wind(): both fade with the sine of the angle between the triangle and the wind.
  const Vec3 along = (1 / speed) * relative;
  const Vec3 lee = across < 0 ? -n : n;
  const Vec3 lift = lee - dot(lee, along) * along;
  const double size = scale * speed * std::abs(across);
  return {size * (wind.drag * along + wind.lift * lift), scale * std::abs(across) * std::max(wind.drag, wind.lift)};
}

}  // namespace

kernels::ClothLoads plain(const Loads& loads, double interval) {
  return {.interval = interval,
          .gravity = {loads.gravity.x(), loads.gravity.y(), loads.gravity.z()},
          .air_damping = loads.air_damping,
          .wind = loads.wind.empty() ? nullptr : loads.wind.data()->data(),
          .any = loads.any(),
          .noted = loads.noted && (loads.air_damping != 0 || !loads.wind.empty())};
}

kernels::ClothVertices plain(std::span<const Vector3d> start, std::span<const Vector3d> displacements,
                             std::span<const double> inverse_mass, std::span<Vector3d> velocities) {
  return {.start = start.data()->data(),
          .displacements = displacements.empty() ? nullptr : displacements.data()->data(),
          .inverse_mass = inverse_mass.data(),
          .velocities = velocities.data()->data()};
}

Impulse sum_of(std::span<const kernels::ClothImpulse> parts) {
  Impulse sum;
  for (const kernels::ClothImpulse& part : parts) {
    sum.linear += Vector3d(part.linear[0], part.linear[1], part.linear[2]);
    sum.angular += Vector3d(part.angular[0], part.angular[1], part.angular[2]);
  }
  return sum;
}

Impulse apply(Workers& workers, const Loads& loads, double interval, std::span<const Vector3d> start,
              std::span<const Vector3d> displacements, std::span<const double> inverse_mass,
              std::span<Vector3d> velocities) {
  if (start.empty()) return {};
  const kernels::ClothLoads all = plain(loads, interval);
  const kernels::ClothVertices vertices = plain(start, displacements, inverse_mass, velocities);
  std::vector<kernels::ClothImpulse> parts(chunk_count(start.size(), load_block));
  parallel_chunks(workers, start.size(), load_block, [&](std::size_t begin, std::size_t end, std::size_t chunk) {
    parts[chunk] = kernels::begin_cloth_step(all, {}, vertices, begin, end);
  });
  return sum_of(parts);
}

/// Tears and cuts change triangles between steps.
void WindLoad::note_triangles(std::span<const Triangle> triangles, std::size_t vertices) {
  if (first_of_vertex_.size() == vertices + 1 && std::ranges::equal(triangles, triangles_)) return;
  triangles_.assign(triangles.begin(), triangles.end());
  first_of_vertex_.assign(vertices + 1, 0);
  of_vertex_.resize(3 * triangles.size());
  for (const Triangle& t : triangles_) {
    for (const Index v : t) ++first_of_vertex_[at(v)];
  }
  std::uint32_t sum = 0;
  for (std::uint32_t& first : first_of_vertex_) first = sum += first;
  for (std::size_t t = triangles_.size(); t-- > 0;) {
    for (const Index v : triangles_[t]) of_vertex_[--first_of_vertex_[at(v)]] = static_cast<std::uint32_t>(t);
  }
}

std::span<const Vector3d> WindLoad::find(Workers& workers, const Wind& wind, double time,
                                         std::span<const Triangle> triangles, double h, std::span<const Vector3d> start,
                                         std::span<const Vector3d> displacements, std::span<const double> inverse_mass,
                                         std::span<const Vector3d> velocities) {
  if (accelerations_.size() == start.size() && left_ > 0.5 * h) {
    left_ -= h;
    return accelerations_;
  }
  note_triangles(triangles, start.size());
  const Vec3 velocity = math::to_vec3(wind.at(time));
  pushes_.resize(triangles.size());
  rates_.assign(chunk_count(triangles.size(), load_block), 0);
  parallel_chunks(workers, triangles.size(), load_block, [&](std::size_t begin, std::size_t end, std::size_t chunk) {
    for (std::size_t t = begin; t < end; ++t) {
      Vec3 p[3];
      Vec3 sum;
      double weight = 0;  // 1/kg, of the mean velocity
      for (std::size_t k = 0; k < 3; ++k) {
        const std::size_t v = at(triangles[t][k]);
        p[k] = displacements.empty() ? vector_at(start, v) : vector_at(start, v) + vector_at(displacements, v);
        sum = sum + vector_at(velocities, v);
        weight += static_cast<double>(first_of_vertex_[v + 1] - first_of_vertex_[v]) * inverse_mass[v];
      }
      weight /= 9;
      const Vec3 doubled = cross(p[1] - p[0], p[2] - p[0]);
      const double size = length(doubled);
      AirForce air;
      if (size > 0 && weight > 0) air = air_force(wind, velocity, (1.0 / 3) * sum, (1 / size) * doubled, 0.5 * size);
      pushes_[t] = {{air.force.x, air.force.y, air.force.z}, air.rate * weight};
      rates_[chunk] = std::max(rates_[chunk], pushes_[t].rate);
    }
  });
  double rate = 0;
  for (const double each : rates_) rate = std::max(rate, each);
  interval_ = std::max(h, rate > 0 ? std::min(wind_interval, part_of_rest / rate) : wind_interval);
  accelerations_.resize(start.size());
  parallel_chunks(workers, start.size(), load_block, [&](std::size_t begin, std::size_t end, std::size_t) {
    for (std::size_t v = begin; v < end; ++v) {
      Vec3 sum;
      for (std::uint32_t i = first_of_vertex_[v]; i < first_of_vertex_[v + 1]; ++i) {
        const Push& push = pushes_[of_vertex_[i]];
        const double part = 1 / std::max(1.0, interval_ * push.rate);
        sum = sum + part * Vec3{push.force[0], push.force[1], push.force[2]};
      }
      accelerations_[v] = math::to_eigen((inverse_mass[v] / 3) * sum);
    }
  });
  left_ = interval_ - h;
  return accelerations_;
}

}  // namespace carom::cloth

#include "kernels/cloth_vertices.hpp"

// The operations of cloth_vertices.cpp, one by one and in the same order.
namespace carom::kernels {
namespace {

struct PartialSums {
  double linear[3][cloth_sums] = {};
  double angular[3][cloth_sums] = {};

  ClothImpulse all() const {
    ClothImpulse sum;
    for (std::size_t part = 0; part < cloth_sums; ++part) {
      for (std::size_t k = 0; k < 3; ++k) {
        sum.linear[k] += linear[k][part];
        sum.angular[k] += angular[k][part];
      }
    }
    return sum;
  }
};

double displacement(const ClothVertices& vertices, std::size_t i, std::size_t k) {
  return vertices.displacements == nullptr ? 0 : vertices.displacements[3 * i + k];
}

float offset_at_end(const ClothEnds& ends, const ClothVertices& vertices, std::size_t i, std::size_t k) {
  return static_cast<float>(displacement(vertices, i, k) + ends.h * vertices.velocities[3 * i + k] - ends.common[k]);
}

}  // namespace

ClothImpulse begin_cloth_step_reference(const ClothLoads& loads, const ClothEnds& ends, const ClothVertices& vertices,
                                        std::size_t begin, std::size_t end) {
  PartialSums sums;
  const double lost = loads.interval * loads.air_damping;
  const double kept = 1 / (1 + lost);
  for (std::size_t i = begin; i < end; ++i) {
    double* const v = vertices.velocities + 3 * i;
    const std::size_t part = (i - begin) % cloth_sums;
    if (loads.any && vertices.inverse_mass[i] > 0) {
      double momentum[3];
      double x[3];
      for (std::size_t k = 0; k < 3; ++k) {
        const double damped = kept * (v[k] + loads.interval * loads.gravity[k]);
        const double blown = loads.wind == nullptr ? 0 : loads.interval * loads.wind[3 * i + k];
        v[k] = damped + blown;
        momentum[k] = (1 / vertices.inverse_mass[i]) * (blown - lost * damped);
        x[k] = vertices.start[3 * i + k] + displacement(vertices, i, k);
      }
      for (std::size_t k = 0; loads.noted && k < 3; ++k) {
        const std::size_t next = (k + 1) % 3;
        const std::size_t last = (k + 2) % 3;
        sums.linear[k][part] += momentum[k];
        sums.angular[k][part] += x[next] * momentum[last] - x[last] * momentum[next];
      }
    }
    if (ends.points == nullptr) continue;
    ends.points[i] = {offset_at_end(ends, vertices, i, 0), offset_at_end(ends, vertices, i, 1),
                      offset_at_end(ends, vertices, i, 2), static_cast<float>(vertices.inverse_mass[i])};
  }
  return sums.all();
}

ClothImpulse end_cloth_step_reference(const ClothEnds& ends, bool noted, const ClothVertices& vertices,
                                      std::size_t begin, std::size_t end) {
  PartialSums sums;
  const double per_h = 1 / ends.h;
  for (std::size_t i = begin; i < end; ++i) {
    const ClothOffset& p = ends.points[i];
    const float moved[3] = {p.x - offset_at_end(ends, vertices, i, 0), p.y - offset_at_end(ends, vertices, i, 1),
                            p.z - offset_at_end(ends, vertices, i, 2)};
    for (std::size_t k = 0; k < 3; ++k) {
      const double change = per_h * static_cast<double>(moved[k]);
      vertices.velocities[3 * i + k] += change;
      if (noted && vertices.inverse_mass[i] > 0)
        sums.linear[k][(i - begin) % cloth_sums] += (1 / vertices.inverse_mass[i]) * change;
    }
  }
  return sums.all();
}

}  // namespace carom::kernels

#include "io/mesh/gltf_sampler.hpp"

#include <algorithm>

namespace carom::io {
namespace {

/// x y z w, which is also how Eigen stores it.
Eigen::Quaterniond quaternion_at(const double* values) {
  return Eigen::Quaterniond(Eigen::Vector4d::Map(values)).normalized();
}

}  // namespace

void GltfSampler::sample(double time, bool turns, double* out) const {
  const std::size_t stride = kind == Kind::cubic ? 3 * components : components;
  const std::size_t middle = kind == Kind::cubic ? components : 0;
  const auto value = [&](std::size_t key) { return values.data() + key * stride + middle; };
  const auto after = std::upper_bound(times.begin(), times.end(), time);
  const auto next = static_cast<std::size_t>(after - times.begin());
  if (next == 0 || next == times.size() || kind == Kind::step) {
    std::copy_n(value(next == 0 ? 0 : next - 1), components, out);
    return;
  }
  const std::size_t key = next - 1;
  const double interval = times[next] - times[key];
  const double u = (time - times[key]) / interval;
  if (kind == Kind::linear && turns) {
    const Eigen::Quaterniond turned = quaternion_at(value(key)).slerp(u, quaternion_at(value(next)));
    std::copy_n(turned.coeffs().data(), 4, out);
    return;
  }
  // Hermite's polynomials of the glTF 2.0 specification, appendix C.
  const double u2 = u * u;
  const double u3 = u2 * u;
  for (std::size_t k = 0; k < components; ++k) {
    const double from = value(key)[k];
    const double to = value(next)[k];
    if (kind == Kind::linear) {
      out[k] = from + u * (to - from);
      continue;
    }
    const double leaving = values[key * stride + 2 * components + k];
    const double arriving = values[next * stride + k];
    out[k] = (2 * u3 - 3 * u2 + 1) * from + interval * (u3 - 2 * u2 + u) * leaving + (3 * u2 - 2 * u3) * to +
             interval * (u3 - u2) * arriving;
  }
}

}  // namespace carom::io

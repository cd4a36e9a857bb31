#include "field/sample.hpp"

#include <algorithm>
#include <cmath>

namespace carom::field {
namespace {

/// Point of the grid in root cells, and where it is in its root cell.
struct GridPlace {
  GridPoint root{};
  Vec3 t;  ///< in [0, 1]
};

void split(double u, std::uint32_t count, std::uint32_t& root, double& t) {
  const double whole = std::min(std::floor(u), static_cast<double>(count - 1));
  root = static_cast<std::uint32_t>(whole);
  t = u - whole;
}

Sample sample_in_grid(const FieldData& field, const Vec3& p) {
  const double scale = 1 / field.root_size;
  const Vec3 u = scale * (p - field.low);
  GridPlace place;
  split(u.x, field.roots[0], place.root[0], place.t.x);
  split(u.y, field.roots[1], place.root[1], place.t.y);
  split(u.z, field.roots[2], place.root[2], place.t.z);
  Vec3 t = place.t;
  double per_cell = scale;
  std::uint32_t entry = field.tree[field.root_entry(place.root)];
  while ((entry & cell_bit) == 0) {
    t = 2.0 * t;
    per_cell *= 2;
    std::uint32_t half = 0;
    if (t.x >= 1) {
      t.x -= 1;
      half |= 1U;
    }
    if (t.y >= 1) {
      t.y -= 1;
      half |= 2U;
    }
    if (t.z >= 1) {
      t.z -= 1;
      half |= 4U;
    }
    entry = field.tree[entry + half];
  }
  const std::uint32_t cell = entry & ~cell_bit;
  const CornerValues& v = field.cells[cell];
  const auto mix = [](double s, double a, double b) { return (1 - s) * a + s * b; };
  // Along x first, then y, then z; the derivatives along the way.
  const double x00 = mix(t.x, v[0], v[1]);
  const double x10 = mix(t.x, v[2], v[3]);
  const double x01 = mix(t.x, v[4], v[5]);
  const double x11 = mix(t.x, v[6], v[7]);
  const double y0 = mix(t.y, x00, x10);
  const double y1 = mix(t.y, x01, x11);
  const auto step = [](float a, float b) { return static_cast<double>(b) - static_cast<double>(a); };
  const double dx =
      mix(t.z, mix(t.y, step(v[0], v[1]), step(v[2], v[3])), mix(t.y, step(v[4], v[5]), step(v[6], v[7])));
  const double dy = mix(t.z, x10 - x00, x11 - x01);
  return {mix(t.z, y0, y1), per_cell * Vec3{dx, dy, y1 - y0}, static_cast<double>(field.errors[cell])};
}

/// Point of the box of the surface that is nearest to p.
Vec3 on_box(const FieldData& field, const Vec3& p) {
  return math::higher(field.box_low, math::lower(field.box_high, p));
}

/// Beyond the grid the distance is taken to grow as that from the box of the surface does. It is at most that of the
/// nearest point of the grid and the way there, and at least that from the box.
Sample sample_beyond(const FieldData& field, const Vec3& p, const Vec3& on_grid) {
  const Sample border = sample_in_grid(field, on_grid);
  const double apart = length(p - on_grid);
  const Vec3 from_box = p - on_box(field, p);
  const Vec3 border_from_box = on_grid - on_box(field, on_grid);
  const double growth = length(from_box) - length(border_from_box);
  const double size = std::abs(border.distance);
  const double value = size + growth;
  const double low = std::max(length(from_box), size - border.error - apart);
  const double high = size + border.error + apart;
  const double sign = field.endless ? -1 : 1;
  // The point of the grid moves along with p where p is not beyond it.
  Vec3 along = border.gradient - sign * math::unit_or_zero(border_from_box);
  along = {on_grid.x == p.x ? along.x : 0, on_grid.y == p.y ? along.y : 0, on_grid.z == p.z ? along.z : 0};
  return {sign * value, sign * math::unit_or_zero(from_box) + along, std::max(high - value, value - low)};
}

}  // namespace

Sample sample(const FieldData& field, const Vec3& p) {
  const Vec3 high =
      field.low + field.root_size * Vec3{static_cast<double>(field.roots[0]), static_cast<double>(field.roots[1]),
                                         static_cast<double>(field.roots[2])};
  const Vec3 on_grid = math::higher(field.low, math::lower(high, p));
  const bool in_grid = on_grid.x == p.x && on_grid.y == p.y && on_grid.z == p.z;
  Sample result;
  if (in_grid) {
    result = sample_in_grid(field, p);
  } else if (std::isfinite(p.x) && std::isfinite(p.y) && std::isfinite(p.z)) {
    result = sample_beyond(field, p, on_grid);
  } else {
    result = {NAN, {NAN, NAN, NAN}, NAN};
  }
  result.distance -= field.margin;
  return result;
}

}  // namespace carom::field

#pragma once

#include <rapidcheck.h>

#include "oracle/soup.hpp"

namespace carom::oracle {

/// A soup of any kind with a contact distance that finds something in it. For use inside a property;
/// what fails shrinks to fewer objects, vertices and triangles.
struct DrawnSoup {
  Soup soup;
  double distance = 0;
};

inline DrawnSoup draw_soup(int max_triangles_per_object) {
  SoupOptions options;
  options.objects = *rc::gen::inRange(1, 8);
  options.vertices_per_object = *rc::gen::inRange(3, 24);
  options.triangles_per_object = *rc::gen::inRange(0, max_triangles_per_object + 1);
  options.size = *rc::gen::element(1.0, 1e-30, 1e-6, 1e6, 1e37, 1e40);
  options.on_grid = *rc::gen::arbitrary<bool>();
  options.repeated_corners = *rc::gen::arbitrary<bool>();
  // In sizes of the soup: near the origin, far from it, and some vertices far from the others.
  options.origin = Eigen::Vector3d(1, -0.3, 20) * options.size * *rc::gen::element(0.0, 1e3, 1e6);
  options.outlier = options.size * *rc::gen::element(0.0, 50.0, 1e4, 1e9);
  const double distance = options.size * *rc::gen::element(1e-3, 0.02, 0.1, 1.0 / 3, 2.0);
  return {make_soup(*rc::gen::arbitrary<std::uint64_t>(), options), distance};
}

}  // namespace carom::oracle

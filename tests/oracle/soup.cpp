#include "oracle/soup.hpp"

#include <cmath>

namespace carom::oracle {

double uniform(std::mt19937_64& random) {
  return static_cast<double>(random() >> 11U) * 0x1p-53;
}

Soup make_soup(std::uint64_t seed, const SoupOptions& options) {
  std::mt19937_64 random(seed);
  const auto below = [&](int n) { return static_cast<Index>(uniform(random) * n); };
  Soup soup;
  for (int object = 0; object < options.objects; ++object) {
    const auto first = static_cast<Index>(soup.positions.size());
    for (int i = 0; i < options.vertices_per_object; ++i) {
      Eigen::Vector3d p(uniform(random), uniform(random), uniform(random));
      if (options.on_grid) p = (p * 3).array().floor().matrix() / 3;
      p *= options.size;
      if (options.outlier != 0 && below(6) == 0) p *= options.outlier / options.size;
      soup.positions.push_back(p + options.origin);
    }
    for (int t = 0; t < options.triangles_per_object; ++t) {
      Triangle triangle;
      for (Index& corner : triangle) corner = first + below(options.vertices_per_object);
      if (!options.repeated_corners) {
        triangle[1] =
            triangle[0] == triangle[1] ? first + (triangle[1] - first + 1) % options.vertices_per_object : triangle[1];
        while (triangle[2] == triangle[0] || triangle[2] == triangle[1]) {
          triangle[2] = first + (triangle[2] - first + 1) % options.vertices_per_object;
        }
      }
      soup.triangles.push_back(triangle);
      soup.object_of_triangle.push_back(object);
    }
  }
  return soup;
}

}  // namespace carom::oracle

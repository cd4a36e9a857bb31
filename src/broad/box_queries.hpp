#pragma once

#include <functional>

#include "broad/tree_finder.hpp"

/// Questions about the boxes of proxies as they are now: trees for those that are inside their wide boxes, one by one
/// for those that left them since the last update. Without trees all are looked at.
namespace carom::broad {

struct Ray {
  Eigen::Vector3d origin;
  Eigen::Vector3d direction;  ///< not zero
  double limit = 0;
};

using RayVisit = std::function<double(ProxyId, double)>;

/// `trees` may be null.
void find_overlapping(const Proxies& proxies, const TreeFinder* trees, const AxisBox& box, std::vector<ProxyId>& out);
void walk_ray(const Proxies& proxies, const TreeFinder* trees, const Ray& ray, const RayVisit& visit);

}  // namespace carom::broad

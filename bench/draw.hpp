#pragma once

#include <Eigen/Geometry>
#include <random>

namespace carom::bench {

/// Random things, the same in every run and on every machine.
class Draw {
 public:
  double number(double low, double high) { return low + (high - low) * static_cast<double>(random_() >> 11) * 0x1p-53; }
  Eigen::Vector3d direction() {
    for (;;) {
      const double x = number(-1, 1);
      const double y = number(-1, 1);
      const Eigen::Vector3d p(x, y, number(-1, 1));
      if (p.norm() <= 1 && p.norm() > 0.01) return p.normalized();
    }
  }
  Eigen::Isometry3d pose() {
    Eigen::Isometry3d pose = Eigen::Isometry3d::Identity();
    pose.linear() = Eigen::AngleAxisd(number(0, 3.1), direction()).toRotationMatrix();
    pose.translation() = number(0, 2) * direction();
    return pose;
  }
  int below(int n) { return static_cast<int>(number(0, n)); }

 private:
  std::mt19937_64 random_{11};
};

}  // namespace carom::bench

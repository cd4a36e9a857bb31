#pragma once

#include "carom/query/query.hpp"
#include "narrow/convex/convex.hpp"

/// The single queries of carom/query/query.hpp, for poses that were checked before.
namespace carom {

bool ask_collide(const Shape& a, const Eigen::Isometry3d& pose_a, const Shape& b, const Eigen::Isometry3d& pose_b,
                 QueryCache* cache = nullptr);

QueryResult ask(convex::Question question, const Shape& a, const Eigen::Isometry3d& pose_a, const Shape& b,
                const Eigen::Isometry3d& pose_b, QueryCache* cache = nullptr);

}  // namespace carom

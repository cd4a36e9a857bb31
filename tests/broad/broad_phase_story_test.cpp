#include <gtest/gtest.h>
#include <rapidcheck/gtest.h>

#include "broad/broad_phase_model.hpp"
#include "carom/detect/broad_phase.hpp"

namespace carom {
namespace {

constexpr double infinity = std::numeric_limits<double>::infinity();

/// One thing that happens. Numbers are small, so that boxes touch, coincide and vanish often.
struct Op {
  int what = 0;  ///< 0..9, see Story
  std::uint32_t who = 0, other = 0;
  std::array<int, 3> place{}, size{}, travel{};
  int style = 0;
};

std::ostream& operator<<(std::ostream& out, const Op& op) {
  out << "{" << op.what << ", " << op.who << ", " << op.other;
  for (const auto& list : {op.place, op.size, op.travel})
    out << ", {" << list[0] << "," << list[1] << "," << list[2] << "}";
  return out << ", " << op.style << "}";
}

rc::Gen<Op> any_op() {
  const auto three = [](int low, int high) {
    return rc::gen::container<std::array<int, 3>>(rc::gen::inRange(low, high));
  };
  return rc::gen::build<Op>(rc::gen::set(&Op::what, rc::gen::inRange(0, 16)), rc::gen::set(&Op::who),
                            rc::gen::set(&Op::other), rc::gen::set(&Op::place, three(0, 10)),
                            rc::gen::set(&Op::size, three(0, 4)), rc::gen::set(&Op::travel, three(-6, 7)),
                            rc::gen::set(&Op::style, rc::gen::inRange(0, 40)));
}

Eigen::Vector3d vector(const std::array<int, 3>& v) {
  return {v[0] * 0.25, v[1] * 0.25, v[2] * 0.25};
}

AxisBox box_from(const Op& op) {
  AxisBox box{vector(op.place), vector(op.place) + vector(op.size)};
  switch (op.style) {
    case 0:  // a half-space
      box.min = Eigen::Vector3d::Constant(-infinity);
      box.max = {infinity, infinity, box.max.z()};
      break;
    case 1:
      box.min = Eigen::Vector3d::Constant(-infinity);
      box.max = -box.min;
      break;
    case 2:
      box.max += Eigen::Vector3d::Constant(1e30);
      break;
    case 3:
      box.min *= 1e200;
      box.max *= 1e200;
      break;
    case 4:
      box.min *= 1e-310;
      box.max *= 1e-310;
      break;
    case 5:
      box.min.array() += 1e7;
      box.max.array() += 1e7;
      break;
    case 6:
      box.min[0] = -1e308;
      box.max[0] = 1.7e308;
      break;
    default:
      break;
  }
  return box;
}

test::AnyBounds bounds_from(const Op& op) {
  const AxisBox box = box_from(op);
  if (op.style < 16) return box;
  if (op.style < 28) {
    Dop<18> dop{};
    // The 18-DOP of the box, cut along the other axes.
    const auto axes = dop_axes();
    for (std::size_t k = 0; k < 9; ++k) {
      dop.low[k] = dop.high[k] = 0;
      for (int j = 0; j < 3; ++j) {
        dop.low[k] += axes[k][j] * (axes[k][j] > 0 ? box.min[j] : box.max[j]);
        dop.high[k] += axes[k][j] * (axes[k][j] > 0 ? box.max[j] : box.min[j]);
      }
      if (k >= 3) {
        const double cut = 0.125 * std::abs(op.travel[k % 3]) * (dop.high[k] - dop.low[k]) / 2;
        dop.low[k] += cut;
        dop.high[k] -= k % 2 == 0 ? cut : 0;
      }
    }
    return dop;
  }
  AxisBox end{box.min + vector(op.travel), box.max + vector(op.travel)};
  if (op.style % 2 == 0) end.max += vector(op.size);
  return SweptBox{box, end};
}

/// Runs ops on a BroadPhase and on the model, and compares after each update.
class Story {
 public:
  explicit Story(const BroadPhaseOptions& options) : broad_(options) {}

  void run(const std::vector<Op>& ops) {
    for (const Op& op : ops) act(op);
    update();
  }

 private:
  void act(const Op& op) {
    if (model_.proxies.empty() && op.what < 12 && op.what > 3) return;
    const auto pick = [&](std::uint32_t number) -> test::ModelProxy& {
      auto it = model_.proxies.begin();
      std::advance(it, static_cast<std::ptrdiff_t>(number % model_.proxies.size()));
      return it->second;
    };
    switch (op.what) {
      case 0:
      case 1:
      case 2:
      case 3: {
        const CollisionFilter filter =
            op.other % 4 == 0 ? CollisionFilter{1U << op.who % 3, op.other / 4 % 8} : CollisionFilter{};
        const test::AnyBounds bounds = bounds_from(op);
        const ProxyId id = std::visit([&](const auto& b) { return broad_.add(b, filter, op.who); }, bounds);
        RC_ASSERT(model_.proxies.count(id.index) == 0U);  // not twice
        model_.proxies[id.index] = {id, bounds, filter, op.who};
        RC_ASSERT((broad_.value(id.index)) == (op.who));
        RC_ASSERT((broad_.id(id.index)) == (id));
        break;
      }
      case 4:
      case 5: {
        test::ModelProxy& p = pick(op.who);
        p.bounds = bounds_from(op);
        std::visit([&](const auto& b) { broad_.move(p.id, b); }, p.bounds);
        break;
      }
      case 6: {  // everything a little
        std::vector<ProxyId> ids;
        std::vector<AxisBox> boxes;
        for (auto& [index, p] : model_.proxies) {
          if (!std::holds_alternative<AxisBox>(p.bounds)) continue;
          auto& box = std::get<AxisBox>(p.bounds);
          box.min += 0.04 * vector(op.travel);
          box.max += 0.04 * vector(op.travel);
          ids.push_back(p.id);
          boxes.push_back(box);
        }
        broad_.move(ids, boxes);
        break;
      }
      case 7: {
        const ProxyId id = pick(op.who).id;
        broad_.remove(id);
        model_.remove(id.index);
        RC_ASSERT_FALSE(broad_.contains(id));
        break;
      }
      case 8: {
        test::ModelProxy& p = pick(op.who);
        p.filter = {1U + op.other % 7, op.other / 8 % 8};
        broad_.set_filter(p.id, p.filter);
        break;
      }
      case 9:
      case 10: {
        const std::uint32_t a = pick(op.who).id.index;
        const std::uint32_t b = pick(op.other).id.index;
        if (a == b) break;
        const std::pair<std::uint32_t, std::uint32_t> pair(std::min(a, b), std::max(a, b));
        const bool was = model_.excluded.count(pair) != 0;
        if (op.what == 9) {
          RC_ASSERT((broad_.exclude(broad_.id(a), broad_.id(b))) == (!was));
          model_.excluded.insert(pair);
        } else {
          RC_ASSERT((broad_.include(broad_.id(a), broad_.id(b))) == (was));
          model_.excluded.erase(pair);
        }
        break;
      }
      case 11:
        broad_.prepare_queries();
        ask(op);
        break;
      case 12:
        ask(op);
        break;
      default:
        update();
        break;
    }
  }

  void update() {
    broad_.update();
    std::vector<ProxyPair> sure;
    std::vector<ProxyPair> unsure;
    model_.find(sure, unsure);
    const std::vector<ProxyPair> pairs(broad_.pairs().begin(), broad_.pairs().end());
    for (const ProxyPair& pair : unsure) {
      if (std::binary_search(pairs.begin(), pairs.end(), pair)) sure.push_back(pair);
    }
    std::sort(sure.begin(), sure.end());
    RC_ASSERT((pairs) == (sure));
    RC_ASSERT((broad_.size()) == (model_.proxies.size()));

    std::vector<ProxyPair> began;
    std::vector<ProxyPair> ended;
    std::set_difference(pairs.begin(), pairs.end(), before_.begin(), before_.end(), std::back_inserter(began));
    std::set_difference(before_.begin(), before_.end(), pairs.begin(), pairs.end(), std::back_inserter(ended));
    RC_ASSERT((std::vector<ProxyPair>(broad_.began().begin(), broad_.began().end())) == (began));
    RC_ASSERT((std::vector<ProxyPair>(broad_.ended().begin(), broad_.ended().end())) == (ended));
    before_ = pairs;
    check_intervals();
  }

  void check_intervals() {
    const auto intervals = broad_.intervals();
    if (intervals.empty()) return;
    RC_ASSERT((intervals.size()) == (broad_.pairs().size()));
    for (std::size_t i = 0; i < intervals.size(); ++i) {
      const auto& a = model_.proxies.at(broad_.pairs()[i].a);
      const auto& b = model_.proxies.at(broad_.pairs()[i].b);
      const auto when = test::overlap_interval(test::Model::as_swept(a), test::Model::as_swept(b));
      if (!when) continue;
      RC_ASSERT(intervals[i].begin <= when->begin);
      RC_ASSERT(intervals[i].end >= when->end);
      if (std::abs(when->begin) + std::abs(when->end) < 10) {
        RC_ASSERT(std::abs(intervals[i].begin - when->begin) < 1e-6);
        RC_ASSERT(std::abs(intervals[i].end - when->end) < 1e-6);
      }
    }
  }

  void ask(const Op& op) {
    const AxisBox box = box_from(op);
    std::vector<ProxyId> expected;
    for (const auto& [index, p] : model_.proxies) {
      if (test::overlap(test::box_of(p.bounds), box)) expected.push_back(p.id);
    }
    RC_ASSERT((broad_.overlapping(box)) == (expected));

    const Eigen::Vector3d origin = vector(op.place) + 4.1 * vector(op.size);
    const Eigen::Vector3d direction = vector(op.travel);
    if (direction.isZero(0)) return;
    const double limit = op.style % 3 == 0 ? infinity : 0.5 * op.style;
    std::vector<std::pair<double, ProxyId>> hits;
    for (const auto& [index, p] : model_.proxies) {
      if (const auto t = test::ray_entry(test::box_of(p.bounds), origin, direction, limit)) hits.push_back({*t, p.id});
    }
    std::sort(hits.begin(), hits.end());
    std::vector<std::pair<double, ProxyId>> found;
    for (const ProxyHit& hit : broad_.ray(origin, direction, limit)) found.push_back({hit.t, hit.proxy});
    RC_ASSERT((found) == (hits));

    // Only as far as the second hit, and what ties with it.
    if (hits.size() < 2) return;
    std::size_t seen = 0;
    broad_.ray(origin, direction, limit, [&](ProxyId id, double t) {
      RC_ASSERT(id == hits[seen].second);
      RC_ASSERT(t == hits[seen].first);
      return ++seen >= 2 ? t : limit;
    });
    RC_ASSERT(seen >= 2U);
  }

  BroadPhase broad_;
  test::Model model_;
  std::vector<ProxyPair> before_;
};

class BroadPhaseStory : public ::testing::TestWithParam<std::string_view> {};

INSTANTIATE_TEST_SUITE_P(All, BroadPhaseStory,
                         ::testing::ValuesIn(broad_phase_methods().begin(), broad_phase_methods().end()),
                         [](const auto& method) { return std::string(method.param); });

TEST_P(BroadPhaseStory, FollowAnyStoryAsAllPairsDo) {
  const std::string method(GetParam());
  EXPECT_TRUE(rc::check([&] {
    const auto ops = *rc::gen::scale(3.0, rc::gen::container<std::vector<Op>>(any_op()));
    const double margin = *rc::gen::element(-1.0, 0.0, 0.3);
    const int threads = *rc::gen::element(1, 1, 3);
    Story({.method = method, .margin = margin, .threads = threads}).run(ops);
  }));
}

}  // namespace
}  // namespace carom

#include "carom/broad_phase.hpp"

#include <gtest/gtest.h>
#include <rapidcheck/gtest.h>

#include <random>

#include "broad/broad_phase_model.hpp"
#include "carom/error.hpp"

namespace carom {
namespace {

constexpr double infinity = std::numeric_limits<double>::infinity();

/// One thing that happens. Numbers are small, so that boxes touch, coincide and vanish often.
struct Op {
  int what = 0;  ///< 0..9, see Story
  std::uint32_t who = 0, other = 0;
  std::array<int, 3> place{}, size{}, way{};
  int style = 0;
};

std::ostream& operator<<(std::ostream& out, const Op& op) {
  out << "{" << op.what << ", " << op.who << ", " << op.other;
  for (const auto& list : {op.place, op.size, op.way})
    out << ", {" << list[0] << "," << list[1] << "," << list[2] << "}";
  return out << ", " << op.style << "}";
}

rc::Gen<Op> any_op() {
  const auto three = [](int low, int high) {
    return rc::gen::container<std::array<int, 3>>(rc::gen::inRange(low, high));
  };
  return rc::gen::build<Op>(rc::gen::set(&Op::what, rc::gen::inRange(0, 16)), rc::gen::set(&Op::who),
                            rc::gen::set(&Op::other), rc::gen::set(&Op::place, three(0, 10)),
                            rc::gen::set(&Op::size, three(0, 4)), rc::gen::set(&Op::way, three(-6, 7)),
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
        const double cut = 0.125 * std::abs(op.way[k % 3]) * (dop.high[k] - dop.low[k]) / 2;
        dop.low[k] += cut;
        dop.high[k] -= k % 2 == 0 ? cut : 0;
      }
    }
    return dop;
  }
  AxisBox end{box.min + vector(op.way), box.max + vector(op.way)};
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
        const ProxyGroup group = op.other % 4 == 0 ? ProxyGroup{1U << op.who % 3, op.other / 4 % 8} : ProxyGroup{};
        const test::AnyBounds bounds = bounds_from(op);
        const ProxyId id = std::visit([&](const auto& b) { return broad_.add(b, group, op.who); }, bounds);
        RC_ASSERT(model_.proxies.count(id.index) == 0U);  // not twice
        model_.proxies[id.index] = {id, bounds, group, op.who};
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
          box.min += 0.04 * vector(op.way);
          box.max += 0.04 * vector(op.way);
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
        p.group = {1U + op.other % 7, op.other / 8 % 8};
        broad_.set_group(p.id, p.group);
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
      const auto when = test::meeting(test::Model::as_swept(a), test::Model::as_swept(b));
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
    const Eigen::Vector3d direction = vector(op.way);
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

class BroadPhaseMethods : public ::testing::TestWithParam<std::string_view> {};

INSTANTIATE_TEST_SUITE_P(All, BroadPhaseMethods,
                         ::testing::ValuesIn(broad_phase_methods().begin(), broad_phase_methods().end()),
                         [](const auto& method) { return std::string(method.param); });

TEST_P(BroadPhaseMethods, FollowAnyStoryAsAllPairsDo) {
  const std::string method(GetParam());
  EXPECT_TRUE(rc::check([&] {
    const auto ops = *rc::gen::scale(3.0, rc::gen::container<std::vector<Op>>(any_op()));
    const double margin = *rc::gen::element(-1.0, 0.0, 0.3);
    const int threads = *rc::gen::element(1, 1, 3);
    Story({.method = method, .margin = margin, .threads = threads}).run(ops);
  }));
}

struct Cloud {
  std::mt19937_64 random;
  double edge;
  std::vector<AxisBox> boxes;
  std::vector<Eigen::Vector3d> velocity;

  double number() { return static_cast<double>(random() >> 11) * 0x1p-53; }

  Cloud(std::uint64_t seed, std::size_t count, double size, double speed) : random(seed) {
    edge = std::cbrt(static_cast<double>(count));
    for (std::size_t i = 0; i < count; ++i) {
      const Eigen::Vector3d at = edge * Eigen::Vector3d(number(), number(), number());
      // Some are much larger than the others.
      const double scale = i % 97 == 0 ? 12 * size : size;
      const Eigen::Vector3d half = scale * Eigen::Vector3d(0.3 + number(), 0.3 + number(), 0.3 + number());
      boxes.push_back({at - half, at + half});
      velocity.push_back(speed * Eigen::Vector3d(number() - 0.5, number() - 0.5, number() - 0.5));
    }
  }
  void step() {
    for (std::size_t i = 0; i < boxes.size(); ++i) {
      boxes[i].min += velocity[i];
      boxes[i].max += velocity[i];
    }
  }
};

std::vector<ProxyPair> all_pairs(const std::vector<AxisBox>& boxes) {
  std::vector<ProxyPair> pairs;
  for (std::uint32_t i = 0; i < boxes.size(); ++i) {
    for (std::uint32_t j = i + 1; j < boxes.size(); ++j) {
      if (test::overlap(boxes[i], boxes[j])) pairs.push_back({i, j});
    }
  }
  return pairs;
}

TEST_P(BroadPhaseMethods, FollowACloudAtAnySpeed) {
  for (const double speed : {0.0, 0.01, 0.1, 3.0}) {
    Cloud cloud(7, 900, 0.3, speed);
    BroadPhase broad({.method = std::string(GetParam())});
    std::vector<ProxyId> ids;
    for (const AxisBox& box : cloud.boxes) ids.push_back(broad.add(box));
    for (int step = 0; step < 12; ++step) {
      broad.update();
      ASSERT_EQ(std::vector<ProxyPair>(broad.pairs().begin(), broad.pairs().end()), all_pairs(cloud.boxes));
      cloud.step();
      // Now and then only some move.
      if (step % 4 == 3) {
        for (std::size_t i = 0; i < 40; ++i) broad.move(ids[i], cloud.boxes[i]);
        for (std::size_t i = 40; i < ids.size(); ++i) cloud.boxes[i] = broad.box(ids[i]);
      } else {
        broad.move(ids, cloud.boxes);
      }
    }
  }
}

TEST_P(BroadPhaseMethods, GiveTheSameForAnyNumberOfThreads) {
  std::vector<std::vector<ProxyPair>> reports;
  for (const int threads : {1, 2, 4}) {
    std::vector<ProxyPair> report;
    for (const double speed : {0.02, 2.0}) {
      Cloud cloud(3, 20000, 0.3, speed);
      BroadPhase broad({.method = std::string(GetParam()), .threads = threads});
      std::vector<ProxyId> ids;
      for (const AxisBox& box : cloud.boxes) ids.push_back(broad.add(box));
      for (int step = 0; step < 4; ++step) {
        broad.update();
        report.insert(report.end(), broad.pairs().begin(), broad.pairs().end());
        report.insert(report.end(), broad.began().begin(), broad.began().end());
        report.insert(report.end(), broad.ended().begin(), broad.ended().end());
        report.push_back({0, static_cast<std::uint32_t>(broad.stats().candidates)});
        cloud.step();
        broad.move(ids, cloud.boxes);
      }
    }
    ASSERT_GT(report.size(), 20000U);
    reports.push_back(std::move(report));
  }
  EXPECT_EQ(reports[1], reports[0]);
  EXPECT_EQ(reports[2], reports[0]);
}

/// All at one place, in two far clusters, on a line: orders and grids have no cells to tell them apart.
TEST_P(BroadPhaseMethods, FindPairsInCrowds) {
  for (int kind = 0; kind < 3; ++kind) {
    Cloud cloud(5, 300, 0.3, 0);
    for (std::size_t i = 0; i < cloud.boxes.size(); ++i) {
      AxisBox& box = cloud.boxes[i];
      if (kind == 0) box = {{1, 2, 3}, {1, 2, 3 + static_cast<double>(i % 2)}};
      if (kind == 1) {
        box.min.array() += i % 2 == 0 ? 1e6 : 0;
        box.max.array() += i % 2 == 0 ? 1e6 : 0;
      }
      if (kind == 2) {
        const auto x = std::ldexp(1.0, static_cast<int>(i) - 150);
        box = {{x, 0, 0}, {2 * x, 1, 1}};
      }
    }
    BroadPhase broad({.method = std::string(GetParam())});
    for (const AxisBox& box : cloud.boxes) broad.add(box);
    broad.update();
    ASSERT_EQ(std::vector<ProxyPair>(broad.pairs().begin(), broad.pairs().end()), all_pairs(cloud.boxes));
  }
}

void expect_error(ErrorCode code, const std::string& part, const std::function<void()>& call) {
  try {
    call();
    FAIL() << "accepted: " << part;
  } catch (const Error& error) {
    EXPECT_EQ(error.code(), code) << error.what();
    EXPECT_NE(std::string(error.what()).find(part), std::string::npos) << error.what();
  }
}

TEST(BroadPhase, RefusesWhatIsWrongByName) {
  const double nan = std::numeric_limits<double>::quiet_NaN();
  expect_error(ErrorCode::unknown_name, "no broad phase is called 'magic'", [] { BroadPhase({.method = "magic"}); });
  expect_error(ErrorCode::invalid_argument, "margin is nan", [&] { BroadPhase({.margin = nan}); });
  expect_error(ErrorCode::invalid_argument, "cell is -1", [] { BroadPhase({.cell = -1}); });

  BroadPhase broad;
  const AxisBox box{{0, 0, 0}, {1, 1, 1}};
  expect_error(ErrorCode::not_finite, "the proxy to add: the lower end of the bounds along y is NaN", [&] {
    broad.add(AxisBox{{0, nan, 0}, {1, 1, 1}});
  });
  expect_error(ErrorCode::not_finite, "along z are at infinity", [&] {
    broad.add(AxisBox{{0, 0, infinity}, {1, 1, infinity}});
  });
  broad.add(box);
  const ProxyId id = broad.add(box);
  expect_error(ErrorCode::invalid_argument, "proxy 1 (generation 1): bounds along x end at 1", [&] {
    broad.move(id, AxisBox{{2, 0, 0}, {1, 1, 1}});
  });
  Dop<18> dop{};
  dop.high[4] = nan;
  expect_error(ErrorCode::not_finite, "proxy 1 (generation 1): the upper end of the bounds along x+z is NaN",
               [&] { broad.move(id, dop); });
  expect_error(ErrorCode::not_finite, "proxy 1 (generation 1) at the end: the upper end of the bounds along z is NaN",
               [&] {
                 broad.move(id, SweptBox{box, {{0, 0, 0}, {1, 1, nan}}});
               });
  expect_error(ErrorCode::invalid_argument, "1 boxes for 2 proxies", [&] {
    broad.move(std::vector{id, id}, std::vector{box});
  });
  expect_error(ErrorCode::invalid_argument, "proxy 1 (generation 1) makes no pair with itself",
               [&] { broad.exclude(id, id); });
  expect_error(ErrorCode::not_finite, "the origin of the ray", [&] { broad.ray({nan, 0, 0}, {1, 0, 0}, 1); });
  expect_error(ErrorCode::invalid_argument, "the direction of the ray is zero", [&] {
    broad.ray({0, 0, 0}, {0, 0, 0}, 1);
  });
  broad.remove(id);
  expect_error(ErrorCode::bad_index, "there is no proxy 1 (generation 1)", [&] { broad.move(id, box); });
  expect_error(ErrorCode::bad_index, "there is no proxy 1 (generation 1)", [&] { broad.remove(id); });

  broad.update();
  EXPECT_EQ(broad.pairs().size(), 0U) << "an error must leave no trace";
}

TEST(BroadPhase, AnIndexIsNotUsedAgainBeforeItsEndIsOld) {
  BroadPhase broad;
  const AxisBox box{{0, 0, 0}, {1, 1, 1}};
  broad.add(box);
  const ProxyId id = broad.add(box, {}, 42);
  broad.update();
  broad.remove(id);
  EXPECT_NE(broad.add(box).index, id.index);
  broad.update();
  ASSERT_EQ(broad.ended().size(), 1U);
  EXPECT_EQ(broad.ended()[0], (ProxyPair{0, id.index}));
  EXPECT_NE(broad.add(box).index, id.index);
  EXPECT_EQ(broad.id(id.index), id);
  EXPECT_EQ(broad.value(id.index), 42U);
  broad.update();
  const ProxyId again = broad.add(box);
  EXPECT_EQ(again.index, id.index);
  EXPECT_NE(again, id);
  EXPECT_FALSE(broad.contains(id));
}

TEST(BroadPhase, BoxesThatMoveTellWhenTheyMayTouch) {
  BroadPhase broad;
  const AxisBox unit{{0, 0, 0}, {1, 1, 1}};
  const auto at = [&](double x, double y) {
    return AxisBox{unit.min + Eigen::Vector3d(x, y, 0), unit.max + Eigen::Vector3d(x, y, 0)};
  };
  broad.add(unit);
  broad.add(SweptBox{at(3, 0), at(-5, 0)});   // from x = 1 on until x = -1: t = 1/4 to 1/2
  broad.add(SweptBox{at(-3, 3), at(5, 3)});   // passes above
  broad.add(SweptBox{at(-3, -3), at(3, 3)});  // diagonally through the middle: from t = 1/3 to 2/3
  broad.add(SweptBox{at(0, -3), at(6, 3)});   // beside: when it is level with the box it is past it
  broad.update();
  const std::vector<ProxyPair> pairs(broad.pairs().begin(), broad.pairs().end());
  ASSERT_EQ(pairs.size(), broad.intervals().size());
  ASSERT_TRUE(std::binary_search(pairs.begin(), pairs.end(), ProxyPair{0, 1}));
  EXPECT_NEAR(broad.intervals()[0].begin, 0.25, 1e-8);
  EXPECT_NEAR(broad.intervals()[0].end, 0.5, 1e-8);
  ASSERT_EQ(pairs[1], (ProxyPair{0, 3}));
  EXPECT_NEAR(broad.intervals()[1].begin, 1.0 / 3, 1e-8);
  EXPECT_NEAR(broad.intervals()[1].end, 2.0 / 3, 1e-8);
  EXPECT_FALSE(std::binary_search(pairs.begin(), pairs.end(), ProxyPair{0, 2}));
  EXPECT_FALSE(std::binary_search(pairs.begin(), pairs.end(), ProxyPair{0, 4}));
  EXPECT_GT(broad.stats().never_close, 0U);
}

}  // namespace
}  // namespace carom

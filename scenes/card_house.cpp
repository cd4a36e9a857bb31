#include <fmt/format.h>

#include <cmath>
#include <numbers>

#include "scenes/rigid_parts.hpp"
#include "scenes/scenes.hpp"

/// A house of cards: on each storey cards lean against each other in pairs, and cards lie across their tops.
///
/// Such a pair is an arch of three hinges: two feet, and the top where the cards touch. Under weights W of each card, P
/// on the left top and Q on the right one, the thrust is H = tan(lean) (2 W + P + Q) / 2 along it, so the feet hold
/// with a friction above tan(lean), whatever rests on them. But a pair that is loaded more on one side passes (P - Q) /
/// 2 through its top by friction. Hence a card that lies across the last pair of a storey covers both of its tops, and
/// the cards are rough: with a coefficient of 0.8 and this lean the rest is half of what friction could hold.
namespace carom::scenes {
namespace {

constexpr double height = 1;  // m, of a card that stands
constexpr double half_width = 0.35;
constexpr double thickness = 0.02;
constexpr double lean_degrees = 25;
constexpr double lean = lean_degrees * std::numbers::pi / 180;
constexpr double friction = 0.8;
constexpr int storeys = 5;

/// The edges at which a pair touches: its feet and tops are this far apart, and this high.
const double half_span = height * std::sin(lean);
const double rise = height * std::cos(lean);
/// The corner that carries the card above is higher than the one that leans on the other card.
const double storey = rise + thickness * std::sin(lean) + thickness;
/// Neighbours do not touch: their outer corners at the feet are 1 mm apart.
const double spacing = 2 * half_span + 2 * thickness * std::cos(lean) + 1e-3;

/// `side` -1: the left card, which leans to the right. Its inner corner touches y = floor at the foot, and the other
/// card at x = middle at the top.
BodySpec leaning_card(const std::string& name, int side, double middle, double floor) {
  const double turn = side * lean;  // about z
  const Eigen::Vector3d up(-std::sin(turn), std::cos(turn), 0);
  const Eigen::Vector3d inward = -side * Eigen::Vector3d(std::cos(turn), std::sin(turn), 0);
  const Eigen::Vector3d foot(middle + side * half_span, floor, 0);
  RigidSpec card = box({0.5 * thickness, 0.5 * height, half_width}, {});
  card.pose.position = foot + 0.5 * height * up - 0.5 * thickness * inward;
  card.pose.rotation_axis = Eigen::Vector3d::UnitZ();
  card.pose.rotation_degrees = side * lean_degrees;
  card.friction = friction;
  return {name, card};
}

}  // namespace

Scene card_house() {
  Scene scene;
  scene.name = "card-house";
  scene.description = fmt::format("A house of cards of {} storeys, held by friction", storeys);
  scene.steps = 600;
  scene.world.dt = 1.0 / 60;
  scene.bodies = {ground()};
  for (int level = 0; level < storeys; ++level) {
    const int pairs = storeys - level;
    const double floor = level * storey;
    for (int i = 0; i < pairs; ++i) {
      const double middle = (i - 0.5 * (pairs - 1)) * spacing;
      scene.bodies.push_back(leaning_card(fmt::format("card-{}-{}-left", level, i), -1, middle, floor));
      scene.bodies.push_back(leaning_card(fmt::format("card-{}-{}-right", level, i), 1, middle, floor));
    }
    // From the middle of one pair to that of the next, and over the whole of the last.
    for (int i = 0; i + 1 < pairs; ++i) {
      const double beyond = 3 * thickness;
      const double left = (i - 0.5 * (pairs - 1)) * spacing + (i == 0 ? -beyond : 0.5e-3);
      const double right = (i + 1 - 0.5 * (pairs - 1)) * spacing + (i + 2 == pairs ? beyond : -0.5e-3);
      RigidSpec card = box({0.5 * (right - left), 0.5 * thickness, half_width},
                           at(0.5 * (left + right), floor + storey - 0.5 * thickness, 0));
      card.friction = friction;
      scene.bodies.push_back({fmt::format("roof-{}-{}", level, i), card});
    }
  }
  std::get<RigidSpec>(scene.bodies[0].body).friction = friction;
  scene.bounds = SceneBounds{.min = {-10, -1, -10}, .max = {10, 10, 10}};
  return scene;
}

}  // namespace carom::scenes

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

constexpr double card_height = 1;  // m, of a card that stands, without its rounding
constexpr double half_width = 0.35;
constexpr double card_thickness = 0.01;
/// Edges are round. Where two sharp edges touch side by side there is no telling which way they push.
constexpr double rounding = 0.005;
constexpr double card_gap = 1e-3;  // between neighbours
constexpr double card_lean_degrees = 25;
constexpr double card_lean = card_lean_degrees * std::numbers::pi / 180;
constexpr double friction = 0.8;
constexpr int storeys = 5;

// Of the corners inside the rounding: the inner ones of a pair are this far from its middle at the feet, the outer ones
// this high at the top and this far from the middle, where they carry the card above.
const double foot = card_height * std::sin(card_lean) + rounding;
const double pair_top = rounding + card_height * std::cos(card_lean) + card_thickness * std::sin(card_lean);
const double storey = pair_top + rounding + card_thickness + 2 * rounding;
const double pair_spacing = 2 * (foot + card_thickness * std::cos(card_lean) + rounding) + card_gap;

RigidSceneBody card(const Eigen::Vector3d& half) {
  RigidSceneBody body = box(half, {});
  body.source.margin = rounding;
  body.material.friction = friction;
  return body;
}

/// `side` -1: the left card of a pair, which leans to the right.
RigidSceneBody leaning_card(int side, double middle, double floor) {
  const double turn = side * card_lean;  // about z
  const Eigen::Vector3d up(-std::sin(turn), std::cos(turn), 0);
  const Eigen::Vector3d inward = -side * Eigen::Vector3d(std::cos(turn), std::sin(turn), 0);
  const Eigen::Vector3d inner_foot(middle + side * foot, floor + rounding, 0);
  RigidSceneBody body = card({0.5 * card_thickness, 0.5 * card_height, half_width});
  body.placement.position = inner_foot + 0.5 * card_height * up - 0.5 * card_thickness * inward;
  body.placement.rotation_axis = Eigen::Vector3d::UnitZ();
  body.placement.rotation_degrees = side * card_lean_degrees;
  return body;
}

/// Across the tops of pairs, from `left` to `right`.
RigidSceneBody lying_card(double left, double right, double floor) {
  RigidSceneBody body = card({0.5 * (right - left) - rounding, 0.5 * card_thickness, half_width});
  body.placement = at(0.5 * (left + right), floor + storey - rounding - 0.5 * card_thickness, 0);
  return body;
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
      const double middle = (i - 0.5 * (pairs - 1)) * pair_spacing;
      scene.bodies.push_back({fmt::format("card-{}-{}-left", level, i), leaning_card(-1, middle, floor)});
      scene.bodies.push_back({fmt::format("card-{}-{}-right", level, i), leaning_card(1, middle, floor)});
    }
    // From the middle of one pair to that of the next, and over the whole of the last.
    for (int i = 0; i + 1 < pairs; ++i) {
      const double beyond = 0.05;
      const double left = (i - 0.5 * (pairs - 1)) * pair_spacing + (i == 0 ? -beyond : 0.5 * card_gap);
      const double right = (i + 1 - 0.5 * (pairs - 1)) * pair_spacing + (i + 2 == pairs ? beyond : -0.5 * card_gap);
      scene.bodies.push_back({fmt::format("roof-{}-{}", level, i), lying_card(left, right, floor)});
    }
  }
  std::get<RigidSceneBody>(scene.bodies[0].body).material.friction = friction;
  scene.bounds = SceneBounds{.min = {-10, -1, -10}, .max = {10, 10, 10}};
  return scene;
}

}  // namespace carom::scenes

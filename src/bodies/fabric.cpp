#include "carom/body/fabric.hpp"

#include <array>

#include "carom/body/cloth.hpp"
#include "core/check.hpp"

namespace carom {

namespace {

constexpr std::array<std::string_view, 4> names{"silk", "cotton", "denim", "leather"};
constexpr std::array<std::string_view, 3> wind_laws{"plate", "lift_drag", "linear"};
constexpr std::array<std::string_view, 2> integrators{"compliant", "verlet"};

}  // namespace

std::span<const std::string_view> fabric_names() {
  return names;
}

std::span<const std::string_view> wind_law_names() {
  return wind_laws;
}

std::span<const std::string_view> cloth_integrator_names() {
  return integrators;
}

// Stiffness at small strains, in the units of the instruments of Kawabata (1980): bending 1 gf cm^2/cm = 9.8e-5 N m,
// shear 1 gf/(cm degree) = 56 N/m. Silk and cotton: plain weaves of 70 and 150 g/m^2 in the middle of what he gives for
// thin dress fabrics and shirtings. Denim: weight and bending as Wang, O'Brien and Ramamoorthi (2011) measured for one
// of 11 oz. Leather: garment leather of 1 mm. Stretch is that of the first percent; bending along warp and weft is one
// number.
Fabric fabric_by_name(std::string_view name) {
  if (name == "silk")
    return {
        .density = 0.07, .warp_stiffness = 1200, .weft_stiffness = 900, .shear_stiffness = 25, .bend_stiffness = 3e-6};
  if (name == "cotton")
    return {
        .density = 0.15, .warp_stiffness = 2000, .weft_stiffness = 1600, .shear_stiffness = 60, .bend_stiffness = 1e-5};
  if (name == "denim")
    return {.density = 0.324,
            .warp_stiffness = 4000,
            .weft_stiffness = 2500,
            .shear_stiffness = 200,
            .bend_stiffness = 6.4e-5};
  if (name == "leather")
    return {.density = 0.75,
            .warp_stiffness = 8000,
            .weft_stiffness = 8000,
            .shear_stiffness = 3000,
            .bend_stiffness = 3e-4};
  fail(ErrorCode::unknown_name, "unknown fabric '{}'; expected silk, cotton, denim or leather", name);
}

}  // namespace carom

#include "carom/body/fabric.hpp"

#include <array>

#include "core/check.hpp"

namespace carom {

namespace {

constexpr std::array<std::string_view, 4> names{"silk", "cotton", "denim", "leather"};

}  // namespace

std::span<const std::string_view> fabric_names() {
  return names;
}

// Values of the right order for fabrics of the kind, not those of a measured sample (docs/limits.md); bending along
// warp and weft is one number.
Fabric fabric_by_name(std::string_view name) {
  if (name == "silk")
    return {
        .density = 0.07, .warp_stiffness = 1200, .weft_stiffness = 900, .shear_stiffness = 60, .bend_stiffness = 3e-6};
  if (name == "cotton")
    return {.density = 0.15,
            .warp_stiffness = 2000,
            .weft_stiffness = 1600,
            .shear_stiffness = 150,
            .bend_stiffness = 1e-5};
  if (name == "denim")
    return {.density = 0.42,
            .warp_stiffness = 6000,
            .weft_stiffness = 4000,
            .shear_stiffness = 600,
            .bend_stiffness = 8e-5};
  if (name == "leather")
    return {.density = 0.75,
            .warp_stiffness = 8000,
            .weft_stiffness = 8000,
            .shear_stiffness = 3000,
            .bend_stiffness = 3e-4};
  fail(ErrorCode::unknown_name, "unknown fabric '{}'; expected silk, cotton, denim or leather", name);
}

}  // namespace carom

#pragma once

#include "carom/mesh/generate.hpp"
#include "carom/world/world.hpp"
#include "oracle/placed.hpp"

namespace carom {

/// Half a metre wide and level, of some stiffness; soft enough for a step of 2 ms.
inline ParticleBody light_sheet(int cells, double height, double spring_damping, double air_damping) {
  return {.name = "sheet",
          .mesh = placed(make_sheet(0.5, 0.5, cells, cells), {0, height, 0}),
          .mass = 0.2,
          .stretch_stiffness = 50,
          .bend_stiffness = 1,
          .spring_damping = spring_damping,
          .air_damping = air_damping};
}

}  // namespace carom

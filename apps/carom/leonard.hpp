#pragma once

#include <array>
#include <string_view>

/// Figures of F. Léonard's thesis (Polytechnique Montréal, 2021), chapter 4, measured there on an Intel
/// i5-9400F: means over 300 steps of two tori and 370 of a knot, in milliseconds and in counts.
namespace carom::app::leonard {

/// The scene of self-contact; in the others two bodies meet, and contacts within one do not count.
inline constexpr std::string_view knot = "soft-knot";

/// With and without volumes around features.
struct VolumeFigures {
  double ms_with = 0;
  double ms_without = 0;
  double triangle_pairs = 0;
  double primitive_pairs = 0;
  double primitive_culled = 0;
};

/// Table 4.7, with one core and with six.
struct StageFigures {
  double one = 0;
  double six = 0;
};

struct SceneFigures {
  std::string_view scene;  ///< the built-in scene like it, simulated
  VolumeFigures spheres;   ///< tables 4.1, 4.2, 4.3
  VolumeFigures boxes;
  StageFigures triangles, grid, list, sort, cones, pairs, tests, total;
};

inline constexpr std::array<SceneFigures, 4> scenes{{
    {"soft-tori-1600",
     {0.79, 0.80, 2506, 7921, 1848},
     {0.54, 0.51, 965, 3069, 1748},
     {0.19, 0.10},
     {0.00, 0.00},
     {0.05, 0.02},
     {0.06, 0.06},
     {},
     {0.11, 0.04},
     {0.10, 0.02},
     {0.51, 0.25}},
    {"soft-tori-6400",
     {3.13, 3.09, 7302, 23990, 5504},
     {2.55, 2.39, 3988, 13107, 6084},
     {0.81, 0.38},
     {0.00, 0.01},
     {0.18, 0.06},
     {0.27, 0.27},
     {},
     {0.67, 0.16},
     {0.45, 0.10},
     {2.39, 0.99}},
    {"soft-tori-25600",
     {16.93, 16.64, 27759, 90517, 18106},
     {16.20, 15.13, 25687, 83558, 25755},
     {4.18, 1.79},
     {0.05, 0.03},
     {0.75, 0.29},
     {1.21, 1.25},
     {},
     {6.16, 0.97},
     {2.73, 0.79},
     {15.13, 5.18}},
    {"soft-knot",
     {19.56, 20.75, 161465, 507914, 112862},
     {11.96, 12.06, 83756, 264754, 131924},
     {0.85, 1.66},
     {0.04, 0.02},
     {0.71, 0.23},
     {0.95, 0.97},
     {0.80, 0.27},
     {2.81, 0.75},
     {3.69, 0.92},
     {9.90, 4.87}},
}};

/// Whole steps of table 4.7, and table 4.6.
struct StepFigures {
  std::string_view scene;  ///< as in `scenes`
  StageFigures step;       ///< ms, with one core and with six
  double sofa_ms = 0;      ///< detection of SOFA, table 4.6; 0 if it is not there
  double scyther_ms = 0;   ///< that of the thesis
};
inline constexpr std::array<StepFigures, 4> steps{{
    {"soft-tori-1600", {15.32, 9.79}, 0.69, 0.53},
    {"soft-tori-6400", {19.61, 13.04}, 2.97, 2.41},
    {"soft-tori-25600", {42.08, 27.85}, 0, 0},
    {"soft-knot", {56.99, 27.84}, 35.51, 12.21},
}};

/// Tables 4.4 and 4.5: the knot without and with normal cones.
struct ConeFigures {
  double cones_ms = 0;
  double pairs_ms = 0;
  double tests_ms = 0;
  double others_ms = 0;
  double total_ms = 0;
  double cells_culled = 0;
  double entries_culled = 0;
  double tests = 0;
};
inline constexpr ConeFigures without_cones{0.00, 3.66, 5.83, 2.57, 12.06, 0, 0, 264754};
inline constexpr ConeFigures with_cones{0.80, 2.81, 3.69, 2.59, 9.90, 1010, 19466, 127479};

}  // namespace carom::app::leonard

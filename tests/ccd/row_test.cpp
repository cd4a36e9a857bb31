#include <gtest/gtest.h>

#include "row_scene.hpp"

namespace carom {
namespace {

constexpr int row_steps = 30;

class Rows : public testing::TestWithParam<std::string> {};

TEST_P(Rows, KeepTheirOrder) {
  constexpr std::uint32_t rows = 150;
  for (const RowKind kind : {RowKind::piston, RowKind::thrown, RowKind::light}) {
    std::uint32_t scattered = 0;
    double overlap = 0;
    for (std::uint32_t seed = 0; seed < rows; ++seed) {
      Row row = make_row(kind, GetParam(), seed);
      const RowCheck check = run_row(row, row_steps);
      EXPECT_EQ(check.failure, "") << "kind " << static_cast<int>(kind) << ", row " << seed;
      scattered += check.scattered ? 1 : 0;
      overlap = std::max(overlap, check.overlap);
    }
    EXPECT_LT(scattered, rows / 4);
    RecordProperty("overlap", std::to_string(overlap));
  }
}

INSTANTIATE_TEST_SUITE_P(Responses, Rows, testing::Values("soft", "impulse", "lcp", "penalty"),
                         [](const auto& test) { return test.param; });

}  // namespace
}  // namespace carom

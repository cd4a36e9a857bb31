#include <fmt/format.h>
#include <gtest/gtest.h>

#include <atomic>

#include "../ccd/row_scene.hpp"
#include "core/parallel.hpp"

namespace carom {
namespace {

/// A hundred thousand rows: some three minutes on one core.
TEST(Soak, RowsKeepTheirOrder) {
  constexpr std::size_t rows = 100'000;
  constexpr int steps = 60;
  const std::vector<std::string> responses{"soft", "impulse", "lcp", "penalty"};
  std::vector<RowCheck> checks(rows);
  Workers workers;
  std::atomic<std::size_t> done = 0;
  parallel_for(workers, rows, 16, [&](std::size_t i) {
    Row row = make_row(static_cast<RowKind>(i / 4 % 3), responses[i % 4], static_cast<std::uint32_t>(1000 + i));
    checks[i] = run_row(row, steps);
    if (++done % 10'000 == 0) fmt::print("{} of {} rows\n", done.load(), rows);
  });
  for (std::size_t i = 0; i < rows; ++i)
    EXPECT_EQ(checks[i].failure, "") << responses[i % 4] << ", kind " << i / 4 % 3 << ", seed " << 1000 + i;
}

}  // namespace
}  // namespace carom

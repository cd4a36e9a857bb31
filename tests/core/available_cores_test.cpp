#include "core/available_cores.hpp"

#include <gtest/gtest.h>

#include <fstream>
#include <thread>

#include "io/temp_folder.hpp"

namespace carom {
namespace {

void write_file(const std::filesystem::path& path, const char* text) {
  std::filesystem::create_directories(path.parent_path());
  std::ofstream(path) << text;
}

TEST(AvailableCores, AreAtLeastOneAndNoMoreThanTheMachineHas) {
  EXPECT_GE(available_cores(), 1);
  if (std::thread::hardware_concurrency() > 0) {
    EXPECT_LE(available_cores(), static_cast<int>(std::thread::hardware_concurrency()));
  }
}

TEST(AvailableCores, QuotaOfVersion2IsTheSmallestUpToTheMount) {
  const test::TempFolder folder;
  const std::string_view membership = "0::/user/job\n";
  EXPECT_FALSE(quota_of_cores(folder.path(), membership)) << "no files";
  write_file(folder / "user/job/cpu.max", "max 100000\n");
  EXPECT_FALSE(quota_of_cores(folder.path(), membership));
  write_file(folder / "cpu.max", "800000 100000\n");
  EXPECT_EQ(quota_of_cores(folder.path(), membership), 8.0);
  write_file(folder / "user/cpu.max", "150000 100000\n");
  EXPECT_EQ(quota_of_cores(folder.path(), membership), 1.5);
  write_file(folder / "user/job/cpu.max", "50000 200000\n");
  EXPECT_EQ(quota_of_cores(folder.path(), membership), 0.25);
  EXPECT_EQ(quota_of_cores(folder.path(), "0::/\n"), 8.0);
}

TEST(AvailableCores, QuotaOfVersion1IsThatOfTheCpuController) {
  const test::TempFolder folder;
  write_file(folder / "cpu,cpuacct/docker/cpu.cfs_quota_us", "300000\n");
  write_file(folder / "cpu,cpuacct/docker/cpu.cfs_period_us", "100000\n");
  write_file(folder / "cpuset/docker/cpu.cfs_quota_us", "100000\n");
  write_file(folder / "cpuset/docker/cpu.cfs_period_us", "100000\n");
  const std::string_view membership = "3:cpuset:/docker\n2:cpu,cpuacct:/docker\n1:name=systemd:/docker\n0::/\n";
  EXPECT_EQ(quota_of_cores(folder.path(), membership), 3.0);
  write_file(folder / "cpu,cpuacct/docker/cpu.cfs_quota_us", "-1\n");
  EXPECT_FALSE(quota_of_cores(folder.path(), membership));
  // A group that is not visible from within its container: what is mounted there is the container's own.
  write_file(folder / "cpu,cpuacct/cpu.cfs_quota_us", "200000\n");
  write_file(folder / "cpu,cpuacct/cpu.cfs_period_us", "100000\n");
  EXPECT_EQ(quota_of_cores(folder.path(), "2:cpu,cpuacct:/docker/0123456789\n"), 2.0);
}

TEST(AvailableCores, NonsenseIsNoQuota) {
  const test::TempFolder folder;
  for (const char* text : {"", "max", "100000", "0 100000", "1 0", "nan 1", "1e", "x y", "-5 100000"}) {
    write_file(folder / "cpu.max", text);
    EXPECT_FALSE(quota_of_cores(folder.path(), "0::/\n")) << text;
  }
  for (const std::string_view membership : {"", "\n", "0", "0:", "::", "0::", ":\n:\n"}) {
    EXPECT_FALSE(quota_of_cores(folder.path(), membership)) << membership;
  }
}

}  // namespace
}  // namespace carom

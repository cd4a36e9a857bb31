#pragma once

#include <filesystem>
#include <optional>
#include <string_view>

namespace carom {

/// Cores that this process may keep busy: those of its affinity mask, and no more than the quota of processor time of
/// its control groups, rounded up. At least 1. Read from the system once.
int available_cores();

/// Quota of processor time, in cores, of the control groups that `membership` lists (the text of /proc/self/cgroup),
/// which are mounted under `mount`: the smallest of each group and those around it; nothing if none has one. Version 2
/// (cpu.max) and version 1 (cpu.cfs_quota_us).
std::optional<double> quota_of_cores(const std::filesystem::path& mount, std::string_view membership);

/// Most threads that Workers may use: available_cores() unless set. More threads than cores only wait for each other,
/// but tests need them, so that several threads run on any machine.
int thread_limit();
/// 0 = available_cores(). For those Workers that are made afterwards.
void set_thread_limit(int threads);

}  // namespace carom

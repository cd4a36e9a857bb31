#include "core/available_cores.hpp"

#ifdef __linux__
#include <sched.h>
#include <unistd.h>
#endif

#include <algorithm>
#include <array>
#include <atomic>
#include <charconv>
#include <cmath>
#include <fstream>
#include <iterator>
#include <string>
#include <thread>

namespace carom {
namespace {

std::atomic<int> set_limit{0};

int cores_of_affinity() {
#ifdef __linux__
  // Affinity of the process, not of the calling thread, which may have been tied to a core by its owner.
  cpu_set_t set;
  CPU_ZERO(&set);
  if (sched_getaffinity(getpid(), sizeof set, &set) == 0) return CPU_COUNT(&set);
#endif
  return static_cast<int>(std::thread::hardware_concurrency());  // 0 if unknown
}

/// First two words of a file, empty where there are none.
std::array<std::string, 2> read_words(const std::filesystem::path& path) {
  std::array<std::string, 2> words;
  std::ifstream file(path);
  file >> words[0] >> words[1];
  return words;
}

std::optional<double> positive_number(const std::string& text) {
  double value = 0;
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), value);
  if (error != std::errc() || end != text.data() + text.size() || !(value > 0)) return std::nullopt;
  return value;  // not "max", not -1
}

std::optional<double> quota_of_group(const std::filesystem::path& group) {
  std::array<std::string, 2> words = read_words(group / "cpu.max");
  if (words[0].empty()) {
    words = {read_words(group / "cpu.cfs_quota_us")[0], read_words(group / "cpu.cfs_period_us")[0]};
  }
  const auto quota = positive_number(words[0]);
  const auto period = positive_number(words[1]);
  if (!quota || !period) return std::nullopt;
  return *quota / *period;
}

std::optional<double> smaller(std::optional<double> a, std::optional<double> b) {
  if (!a || !b) return a ? a : b;
  return std::min(*a, *b);
}

/// Smallest quota of a group and of all that it is in, up to where the hierarchy is mounted.
std::optional<double> quota_of_groups(const std::filesystem::path& hierarchy, std::string_view group) {
  std::optional<double> quota;
  for (std::filesystem::path path(group.substr(std::min(group.find_first_not_of('/'), group.size())));;
       path = path.parent_path()) {
    quota = smaller(quota, quota_of_group(hierarchy / path));
    if (path.empty()) return quota;
  }
}

}  // namespace

std::optional<double> quota_of_cores(const std::filesystem::path& mount, std::string_view membership) {
  std::optional<double> quota;
  while (!membership.empty()) {
    // number:controllers:group, the controllers separated by commas, and none in version 2.
    const std::string_view line = membership.substr(0, membership.find('\n'));
    membership.remove_prefix(std::min(line.size() + 1, membership.size()));
    const std::size_t first = line.find(':');
    const std::size_t second = line.find(':', first == std::string_view::npos ? first : first + 1);
    if (second == std::string_view::npos) continue;
    const std::string controllers(line.substr(first + 1, second - first - 1));
    const std::string_view group = line.substr(second + 1);
    if (controllers.empty()) {
      quota = smaller(quota, quota_of_groups(mount, group));
    } else if (("," + controllers + ",").find(",cpu,") != std::string::npos) {
      quota = smaller(quota, quota_of_groups(mount / controllers, group));
    }
  }
  return quota;
}

int available_cores() {
  static const int cores = [] {
    std::ifstream file("/proc/self/cgroup");
    const std::string membership{std::istreambuf_iterator<char>(file), std::istreambuf_iterator<char>()};
    const auto quota = quota_of_cores("/sys/fs/cgroup", membership);
    const int allowed = std::max(cores_of_affinity(), 1);
    return quota && *quota < allowed ? std::max(static_cast<int>(std::ceil(*quota)), 1) : allowed;
  }();
  return cores;
}

int thread_limit() {
  const int limit = set_limit.load(std::memory_order_relaxed);
  return limit == 0 ? available_cores() : limit;
}

void set_thread_limit(int threads) {
  set_limit.store(threads, std::memory_order_relaxed);
}

}  // namespace carom

#include "world/option_difference.hpp"

#include <fmt/format.h>

#include "world/option_fields.hpp"

namespace carom {
namespace {

/// Option by its full name, as text.
struct NamedOption {
  std::string name;
  std::string value;
};

/// Visitor that writes down every option.
class OptionTexts {
 public:
  OptionTexts(std::string prefix, std::vector<NamedOption>& list) : prefix_(std::move(prefix)), list_(list) {}

  void number(const char* name, double value, Presence, const Sign&) { add(name, fmt::format("{}", value)); }
  void integer(const char* name, int value, Presence, const IntegerRange&) { add(name, fmt::format("{}", value)); }
  void flag(const char* name, bool value, Presence) { add(name, value ? "true" : "false"); }
  template <class Enum, class Names>
  void choice(const char* name, Enum value, const Names& names, Presence) {
    add(name, fmt::format("'{}'", names[static_cast<std::size_t>(value)]));
  }
  template <class Options>
  void object(const char* name, Options& options, Presence) {
    OptionTexts inner(fmt::format("{}{}.", prefix_, name), list_);
    describe(inner, options);
  }

 private:
  void add(const char* name, std::string value) { list_.push_back({prefix_ + name, std::move(value)}); }

  std::string prefix_;
  std::vector<NamedOption>& list_;
};

std::vector<NamedOption> option_texts(WorldOptions options) {
  std::vector<NamedOption> list;
  const Eigen::Vector3d& g = options.gravity;
  list.push_back({"gravity", fmt::format("({}, {}, {})", g.x(), g.y(), g.z())});
  list.push_back({"dt", fmt::format("{}", options.dt)});
  OptionTexts texts("", list);
  texts.object("contact", options.contact, Presence::shown);
  list.push_back({"detection", fmt::format("'{}'", to_string(options.detection))});
  list.push_back({"response", fmt::format("'{}'", options.response)});
  texts.object("solver", options.solver, Presence::shown);
  // Budgets that a clock measures give other results in every run anyway.
  const bool reads_clock = !(options.inner_step_cost > 0);
  list.push_back({"inner_step_cost", fmt::format("{}", options.inner_step_cost)});
  list.push_back({"time_budget", reads_clock ? "by the clock" : fmt::format("{}", options.time_budget)});
  return list;
}

}  // namespace

std::vector<OptionDifference> differences(const WorldOptions& a, const WorldOptions& b) {
  const std::vector<NamedOption> of_a = option_texts(a);
  const std::vector<NamedOption> of_b = option_texts(b);
  std::vector<OptionDifference> found;
  for (std::size_t i = 0; i < of_a.size(); ++i) {
    if (of_a[i].value != of_b[i].value) found.push_back({of_a[i].name, of_a[i].value, of_b[i].value});
  }
  return found;
}

}  // namespace carom

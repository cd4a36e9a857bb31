#include "arguments.hpp"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <string_view>

namespace carom::app {

namespace {

/// The command as it was called, such as "carom bench detect".
struct Called {
  const CLI::App* command;
  std::string name;
};

Called called(const CLI::App& app) {
  Called result{&app, app.get_name()};
  for (auto next = app.get_subcommands(); !next.empty(); next = result.command->get_subcommands()) {
    result.command = next.front();
    result.name += " " + next.front()->get_name();
  }
  return result;
}

std::vector<std::string> command_names(const CLI::App& app) {
  std::vector<std::string> names;
  for (const CLI::App* command : app.get_subcommands([](const CLI::App*) { return true; }))
    names.push_back(command->get_name());
  return names;
}

/// The text before and after a separator, if it is there.
struct Halves {
  bool found = false;
  std::string before;
  std::string after;
};

Halves split(const std::string& text, std::string_view separator) {
  const std::size_t at = text.find(separator);
  if (at == std::string::npos) return {};
  return {true, text.substr(0, at), text.substr(at + separator.size())};
}

std::string explain_required(const Called& called, const std::string& option) {
  for (const CLI::Option* candidate : called.command->get_options()) {
    if (candidate->get_name() != option) continue;
    if (!candidate->get_positional()) return fmt::format("{} is missing", option);
    return fmt::format("{} is missing: {}", option, candidate->get_description());
  }
  return fmt::format("{} is missing", option);
}

/// The messages of CLI11, told apart by their form, as its errors keep no fields.
std::string explain_value(const std::string& message) {
  if (const Halves excluded = split(message, " excludes "); excluded.found)
    return fmt::format("{} and {} cannot be used together", excluded.before, excluded.after);
  if (const Halves value = split(message, "Could not convert: "); value.found) {
    const Halves parts = split(value.after, " = ");
    return fmt::format("{} is '{}'; expected a number", parts.before, parts.after);
  }
  const Halves option = split(message, ": ");
  if (const Halves value = split(option.after, " not in {"); value.found) {
    std::string names = value.after.substr(0, value.after.find('}'));
    for (std::size_t at = 0; (at = names.find(',', at)) != std::string::npos; at += 2) names.replace(at, 1, ", ");
    return fmt::format("{} is '{}'; expected one of: {}", option.before, value.before, names);
  }
  if (const Halves received = split(option.after, " required but received "); received.found)
    return fmt::format("{} is given {} times; expected once", option.before, received.after);
  if (const Halves type = split(option.after, " required "); type.found && type.after.ends_with(" missing"))
    return fmt::format("{} needs a value: {}", option.before, split(type.after, " missing").before);
  return message;
}

}  // namespace

std::string explain(const CLI::ParseError& error, const CLI::App& app) {
  const Called command = called(app);
  const std::string help = fmt::format("see: {} --help", command.name);
  const std::vector<std::string> names = command_names(*command.command);
  const std::vector<std::string> left = app.remaining(true);
  const bool required = dynamic_cast<const CLI::RequiredError*>(&error) != nullptr;
  if (required || dynamic_cast<const CLI::ExtrasError*>(&error) != nullptr) {
    // An argument that nobody took is what is wrong, whatever is missing besides.
    const auto unknown = std::find_if(left.begin(), left.end(), [](const auto& word) { return word.starts_with('-'); });
    if (unknown != left.end()) return fmt::format("there is no option '{}'; {}", *unknown, help);
    if (!names.empty()) {
      return left.empty()
                 ? fmt::format("a subcommand is missing; expected one of: {}", fmt::join(names, ", "))
                 : fmt::format("there is no command '{}'; expected one of: {}", left.front(), fmt::join(names, ", "));
    }
    if (!left.empty()) return fmt::format("'{}' was not expected; {}", left.front(), help);
    return fmt::format("{}; {}", explain_required(command, split(error.what(), " is required").before), help);
  }
  return fmt::format("{}; {}", explain_value(error.what()), help);
}

CLI::Option* add_json(CLI::App* command, std::string& path, const std::string& what) {
  return command->add_option("--json", path, fmt::format("write {} as JSON to a file, or - for standard output", what))
      ->type_name("FILE");
}

}  // namespace carom::app

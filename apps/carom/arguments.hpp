#pragma once

#include <CLI/CLI.hpp>
#include <charconv>
#include <cmath>
#include <functional>
#include <optional>
#include <string>
#include <type_traits>

#include "core/check.hpp"

/// The command line in our own words: what is wrong with it is told as everything else is.
namespace carom::app {

/// `expected` completes the message, such as "a number of metres, such as 0.01".
template <class Number>
Number parse_number(const std::string& option, const std::string& text, const char* expected) {
  Number value{};
  const char* first = text.data() + (text.starts_with('+') ? 1 : 0);
  const char* last = text.data() + text.size();
  const auto [end, error] = std::from_chars(first, last, value);
  require(error == std::errc() && end == last, ErrorCode::invalid_argument, "{} is '{}'; expected {}", option, text,
          expected);
  return value;
}

/// An option that takes a number, a double or an int. CLI11 would refuse others in words of its own.
template <class Number>
CLI::Option* add_number(CLI::App* command, const std::string& name, Number& value, const std::string& description,
                        const char* expected) {
  return command->add_option_function<std::string>(
      name, [&value, name, expected](const std::string& text) { value = parse_number<Number>(name, text, expected); },
      description);
}

template <class Number>
CLI::Option* add_number(CLI::App* command, const std::string& name, std::optional<Number>& value,
                        const std::string& description, const char* expected) {
  return command->add_option_function<std::string>(
      name, [&value, name, expected](const std::string& text) { value = parse_number<Number>(name, text, expected); },
      description);
}

inline constexpr int largest_thread_count = 1024;  ///< as Workers takes them

/// --threads of every command. `Threads` is an int or an optional one.
template <class Threads>
CLI::Option* add_threads(CLI::App* command, Threads& value, const std::string& description) {
  const auto set = [&value](const std::string& text) {
    const int threads = parse_number<int>("--threads", text, "a whole number from 0 to 1024");
    require(threads >= 0 && threads <= largest_thread_count, ErrorCode::invalid_argument,
            "--threads is {}; expected a whole number from 0 to {}", threads, largest_thread_count);
    value = threads;
  };
  return command->add_option_function<std::string>("--threads", set, description)->type_name("N");
}

/// Function to call once the line has been parsed; returns the exit code.
using Action = std::function<int()>;

/// --json of every command.
CLI::Option* add_json(CLI::App* command, std::string& path, const std::string& what);

/// The command `check`, with its options and its help.
void add_check(CLI::App& app, Action& action);

/// What is wrong with a command line, and where to read how it should be.
std::string explain(const CLI::ParseError& error, const CLI::App& app);

}  // namespace carom::app

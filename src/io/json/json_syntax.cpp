#include "io/json/json_syntax.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cctype>
#include <optional>
#include <vector>

namespace carom {
namespace {

constexpr std::size_t nowhere = std::string_view::npos;

/// Tokens before a byte of a document, comments left out.
struct Before {
  std::size_t last = nowhere;     ///< the last byte that is neither space nor in a comment
  std::size_t text = nowhere;     ///< where the text begins that the byte is in or ends
  std::vector<std::size_t> open;  ///< brackets that are not closed
};

std::size_t end_of_comment(std::string_view text, std::size_t start) {
  const bool line = text.substr(start, 2) == "//";
  const std::size_t end = text.find(line ? "\n" : "*/", start + 2);
  return end == nowhere ? text.size() : end + (line ? 1 : 2);
}

std::size_t end_of_text(std::string_view text, std::size_t start) {
  for (std::size_t i = start + 1; i < text.size(); ++i) {
    if (text[i] == '\\')
      ++i;
    else if (text[i] == '"')
      return i + 1;
  }
  return text.size();
}

Before find_before(std::string_view text, std::size_t offset) {
  Before before;
  for (std::size_t i = 0; i < std::min(offset, text.size());) {
    const std::size_t start = i;
    const char c = text[i++];
    if (c == '/' && (text.substr(start, 2) == "//" || text.substr(start, 2) == "/*")) {
      i = end_of_comment(text, start);
      continue;
    }
    if (std::isspace(static_cast<unsigned char>(c)) != 0) continue;
    if (c == '"') {
      i = end_of_text(text, start);
      if (i > offset || i == text.size()) before.text = start;
    } else if (c == '{' || c == '[') {
      before.open.push_back(start);
    } else if ((c == '}' || c == ']') && !before.open.empty()) {
      before.open.pop_back();
    }
    if (i <= offset) before.last = i - 1;
  }
  return before;
}

bool is_of_word(char c) {
  return std::isalnum(static_cast<unsigned char>(c)) != 0 || c == '_' || c == '+' || c == '-' || c == '.';
}

/// The name or number that a byte is part of, and where it begins.
std::string_view word_at(std::string_view text, std::size_t& offset) {
  if (offset >= text.size() || !is_of_word(text[offset])) return {};
  while (offset > 0 && is_of_word(text[offset - 1])) --offset;
  constexpr std::size_t longest = 40;
  std::size_t size = 0;
  while (size < longest && offset + size < text.size() && is_of_word(text[offset + size])) ++size;
  return text.substr(offset, size);
}

/// Explanation of a word that is none of JSON, if there is one.
std::optional<std::string> explain_word(std::string_view word) {
  std::string lower(word);
  for (char& c : lower) c = static_cast<char>(std::tolower(static_cast<unsigned char>(c)));
  const std::string_view unsigned_word =
      std::string_view(lower).substr(lower.starts_with('-') || lower.starts_with('+'));
  if (unsigned_word == "nan" || unsigned_word == "inf" || unsigned_word == "infinity")
    return fmt::format("{} is not a number in JSON; expected a finite number", word);
  for (const std::string_view literal : {"true", "false", "null"})
    if (lower == literal) return fmt::format("{} is not JSON; expected {}", word, literal);
  if (lower == "none") return fmt::format("{} is not JSON; expected null", word);
  if (lower.starts_with('+') || lower.starts_with('.') || lower.starts_with("-."))
    return fmt::format("{} is not a number in JSON; expected a digit first, or a minus and a digit", word);
  return std::nullopt;
}

bool has(std::string_view text, std::string_view part) {
  return text.find(part) != nowhere;
}

/// The end of the parser's own message, without the text it quotes, which may be long and need not be UTF-8.
std::string tidy(std::string_view message) {
  const std::size_t dash = message.find(" - ");
  if (dash != nowhere) message.remove_prefix(dash + 3);
  const std::size_t quoted = std::min(message.find("; last read"), message.find(" parsing '"));
  if (quoted == nowhere) return std::string(message);
  const std::size_t expected = message.rfind("; expected ");
  const std::string_view tail =
      expected == nowhere || expected < quoted ? std::string_view() : message.substr(expected);
  return fmt::format("{}{}", message.substr(0, quoted), tail);
}

JsonSyntaxError explain_end(std::string_view text, const Before& before) {
  if (before.last == nowhere && before.open.empty()) return {text.size(), "there is nothing here; expected an object"};
  if (before.open.empty()) return {text.size(), "the text ends too early"};
  const std::size_t open = before.open.back();
  const bool object = text[open] == '{';
  return {text.size(), fmt::format("the text ends, but the {} that begins at {} is not closed; expected {}",
                                   object ? "object" : "list", line_and_column(text, open), object ? '}' : ']')};
}

}  // namespace

std::string line_and_column(std::string_view text, std::size_t offset) {
  const std::string_view before = text.substr(0, std::min(offset, text.size()));
  const auto line = 1 + std::count(before.begin(), before.end(), '\n');
  const std::size_t line_start = before.find_last_of('\n') + 1;  // npos + 1 == 0
  return fmt::format("{}:{}", line, before.size() - line_start + 1);
}

JsonSyntaxError explain_syntax(std::string_view text, std::size_t offset, std::string_view message) {
  const Before before = find_before(text, offset);
  const char here = offset < text.size() ? text[offset] : '\0';
  if (has(message, "missing closing quote"))
    return {before.text == nowhere ? offset : before.text, "a text that is not closed; expected \" at its end"};
  if (has(message, "invalid string")) return {offset, tidy(message)};
  if (has(message, "invalid comment")) return {offset, "a comment is // to the end of the line, or between /* and */"};
  if (has(message, "unexpected end of input")) return explain_end(text, before);

  if ((here == '}' || here == ']') && before.last != nowhere && text[before.last] == ',')
    return {before.last, fmt::format("a comma before the closing {}; expected none after the last item", here)};
  if (here == '\'') return {offset, "a text in single quotes; expected double quotes"};

  std::size_t start = offset;
  const std::string_view word = word_at(text, start);
  if (has(message, "number overflow")) return {start, fmt::format("{} is too large for a number", word)};
  if (has(message, "invalid literal") || has(message, "invalid number")) {
    if (const auto problem = explain_word(word)) return {start, *problem};
    if (has(message, "object key")) return {start, fmt::format("a name without quotes; expected \"{}\"", word)};
    if (!word.empty())
      return {start,
              fmt::format("{} is not JSON; expected a number, a text in double quotes, true, false, null, a list "
                          "or an object",
                          word)};
    return {offset, tidy(message)};
  }
  if (word.size() > 1 && word[0] == '0' && std::isdigit(static_cast<unsigned char>(word[1])) != 0)
    return {start, fmt::format("{} is not a number in JSON; expected no zero before other digits", word)};
  // The parser has read to the end of a text that is out of place.
  if (here == '"' && before.text != nowhere) start = before.text;
  if (has(message, "object separator")) return {start, "expected a colon after the name of a field"};
  if (has(message, "expected end of input")) return {start, "text after the end of the document; expected none"};
  if (has(message, "parsing object -")) return {start, "expected a comma or } after a field"};
  if (has(message, "parsing array -")) return {start, "expected a comma or ] after an item"};
  if (has(message, "object key")) return {start, "expected the name of a field in double quotes"};
  return {start, tidy(message)};
}

}  // namespace carom

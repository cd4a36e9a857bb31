#include "io/mesh/ply_header.hpp"

#include <algorithm>
#include <array>
#include <charconv>
#include <utility>

#include "core/check.hpp"
#include "io/mesh/text_scanner.hpp"

namespace carom::io {

namespace {

PlyType parse_type(TextScanner& scan) {
  constexpr std::array<std::pair<std::string_view, PlyType>, 16> names{{{"char", PlyType::i8},
                                                                        {"int8", PlyType::i8},
                                                                        {"uchar", PlyType::u8},
                                                                        {"uint8", PlyType::u8},
                                                                        {"short", PlyType::i16},
                                                                        {"int16", PlyType::i16},
                                                                        {"ushort", PlyType::u16},
                                                                        {"uint16", PlyType::u16},
                                                                        {"int", PlyType::i32},
                                                                        {"int32", PlyType::i32},
                                                                        {"uint", PlyType::u32},
                                                                        {"uint32", PlyType::u32},
                                                                        {"float", PlyType::f32},
                                                                        {"float32", PlyType::f32},
                                                                        {"double", PlyType::f64},
                                                                        {"float64", PlyType::f64}}};
  const std::string_view word = scan.peek_token();
  const auto at = std::find_if(names.begin(), names.end(), [&](const auto& entry) { return entry.first == word; });
  if (at == names.end()) scan.expected("a type, such as float or int32");
  scan.token();
  return at->second;
}

PlyFormat parse_format(TextScanner& scan) {
  const std::string_view word = scan.peek_token();
  PlyFormat format{};
  if (word == "ascii") {
    format = PlyFormat::ascii;
  } else if (word == "binary_little_endian") {
    format = PlyFormat::little;
  } else if (word == "binary_big_endian") {
    format = PlyFormat::big;
  } else {
    scan.expected("ascii, binary_little_endian or binary_big_endian");
  }
  scan.token();
  if (scan.peek_token() != "1.0") scan.expected("version 1.0");
  return format;
}

PlyProperty parse_property(TextScanner& scan) {
  PlyProperty property;
  if (scan.peek_token() == "list") {
    scan.token();
    if (scan.at_line_end()) scan.expected("the type of the length of a list");
    const std::string_view word = scan.peek_token();
    property.list_count = parse_type(scan);
    require(is_integer(*property.list_count), ErrorCode::bad_format, "{}: the length of a list cannot be a {}",
            scan.where(), word);
  }
  property.type = parse_type(scan);
  property.name = scan.token();
  if (property.name.empty()) scan.expected("the name of a property");
  return property;
}

/// Comments of other programs may begin with the same word: they are passed over.
void parse_comment(TextScanner& scan, PlyHeader& header) {
  if (scan.token() != "object") return;
  const std::string_view number = scan.token();
  std::int64_t object = 0;
  const auto [end, error] = std::from_chars(number.data(), number.data() + number.size(), object);
  if (error != std::errc() || end != number.data() + number.size() || scan.at_line_end()) return;
  header.object_names.try_emplace(object, scan.rest_of_line());
}

}  // namespace

std::size_t size_of(PlyType type) {
  constexpr std::array<std::size_t, 8> sizes{1, 1, 2, 2, 4, 4, 4, 8};
  return sizes[static_cast<std::size_t>(type)];
}

std::optional<std::size_t> PlyElement::find(std::string_view property) const {
  for (std::size_t i = 0; i < properties.size(); ++i) {
    if (properties[i].name == property) return i;
  }
  return std::nullopt;
}

std::optional<std::size_t> PlyElement::fixed_size() const {
  std::size_t size = 0;
  for (const PlyProperty& property : properties) {
    if (property.list_count) return std::nullopt;
    size += size_of(property.type);
  }
  return size;
}

std::size_t PlyElement::smallest_size(PlyFormat format) const {
  if (format == PlyFormat::ascii) return 2 * properties.size();
  std::size_t size = 0;
  for (const PlyProperty& property : properties) size += size_of(property.list_count.value_or(property.type));
  return size;
}

PlyHeader parse_ply_header(std::string_view text, const std::string& name) {
  TextScanner scan(text, name, '\0');
  if (scan.peek_token() != "ply") scan.expected("the keyword ply");
  scan.next_line();
  PlyHeader header;
  bool has_format = false;
  for (;; scan.next_line()) {
    if (!scan.skip_empty_lines()) scan.expected("end_header");
    const std::string_view keyword = scan.peek_token();
    if (keyword != "format" && keyword != "element" && keyword != "property" && keyword != "comment" &&
        keyword != "obj_info" && keyword != "end_header") {
      scan.expected("format, element, property, comment, obj_info or end_header");
    }
    if (keyword == "property" && header.elements.empty()) scan.expected("an element before its properties");
    scan.token();
    if (keyword == "end_header") break;
    if (keyword == "format") {
      header.format = parse_format(scan);
      has_format = true;
    } else if (keyword == "element") {
      PlyElement& element = header.elements.emplace_back();
      element.name = scan.token();
      element.count = scan.integer<std::uint64_t>("the number of elements");
    } else if (keyword == "comment") {
      parse_comment(scan, header);
    } else if (keyword == "property") {
      header.elements.back().properties.push_back(parse_property(scan));
    }
  }
  require(has_format, ErrorCode::bad_format, "{}: expected a format line before end_header", scan.where());
  scan.next_line();
  header.size = text.size() - scan.bytes_left();
  header.lines = scan.line() - 1;
  return header;
}

}  // namespace carom::io

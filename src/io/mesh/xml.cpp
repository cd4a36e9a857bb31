#include "io/mesh/xml.hpp"

#include <charconv>
#include <unordered_map>

#include "core/check.hpp"

namespace carom::io {

namespace {

bool is_space(char c) {
  return c == ' ' || c == '\t' || c == '\n' || c == '\r';
}

void append_utf8(std::uint32_t code, std::string& out) {
  const auto put = [&](std::uint32_t byte) { out.push_back(static_cast<char>(byte)); };
  if (code < 0x80) return put(code);
  if (code < 0x800) {
    put(0xc0 | code >> 6);
  } else {
    if (code < 0x10000) {
      put(0xe0 | code >> 12);
    } else {
      put(0xf0 | code >> 18);
      put(0x80 | (code >> 12 & 0x3f));
    }
    put(0x80 | (code >> 6 & 0x3f));
  }
  put(0x80 | (code & 0x3f));
}

}  // namespace

std::optional<std::string_view> XmlElement::attribute(std::string_view wanted) const {
  for (const auto& [key, value] : attributes) {
    if (key == wanted) return value;
  }
  return std::nullopt;
}

const XmlElement* XmlDocument::child(const XmlElement& element, std::string_view name) const {
  for (const std::size_t index : element.children) {
    if (elements_[index].name == name) return &elements_[index];
  }
  return nullptr;
}

class XmlParser {
 public:
  XmlParser(std::string_view text, const std::string& name, XmlDocument& document)
      : text_(text), name_(name), document_(document) {}

  void parse() {
    if (text_.starts_with("\xef\xbb\xbf")) at_ = 3;
    if (text_.starts_with("\xff\xfe") || text_.starts_with("\xfe\xff")) {
      carom::fail(ErrorCode::unsupported, "{}: is in UTF-16; expected UTF-8", name_);
    }
    while (at_ < text_.size()) {
      const std::size_t open = std::min(text_.find('<', at_), text_.size());
      add_text(text_.substr(at_, open - at_));
      at_ = open;
      if (at_ < text_.size()) markup();
    }
    if (!open_.empty()) {
      carom::fail(ErrorCode::truncated, "{}, line {}: the file ends within <{}>, which begins at line {}", name_,
                  line(), document_.elements_[open_.back()].name, document_.elements_[open_.back()].line);
    }
    if (document_.elements_.empty()) fail("has no element; expected XML");
  }

 private:
  void markup() {
    if (skip("<!--")) return to_after("-->", "a comment");
    if (skip("<?")) return to_after("?>", "a processing instruction");
    if (skip("<![CDATA[")) {
      const std::size_t begin = at_;
      to_after("]]>", "CDATA");
      return add_raw_text(text_.substr(begin, at_ - 3 - begin));
    }
    if (skip("<!")) return declaration();
    if (skip("</")) return close();
    ++at_;
    element();
  }

  /// <!DOCTYPE name [ ... ]>; its inner brackets are skipped as a whole.
  void declaration() {
    int depth = 0;
    for (; at_ < text_.size(); ++at_) {
      if (text_[at_] == '[') ++depth;
      if (text_[at_] == ']') --depth;
      if (text_[at_] == '>' && depth <= 0) {
        ++at_;
        return;
      }
    }
    fail("the file ends within a declaration");
  }

  void element() {
    constexpr std::size_t max_depth = 1000;
    if (open_.size() >= max_depth) fail(fmt::format("elements are nested more than {} deep", max_depth));
    if (open_.empty() && !document_.elements_.empty()) fail("a second element at the root");
    const std::size_t index = document_.elements_.size();
    XmlElement element;
    element.line = line();
    element.name = without_prefix(name());
    for (;;) {
      skip_space();
      if (skip("/>")) break;
      if (skip(">")) {
        open_.push_back(index);
        break;
      }
      const std::string_view attribute = name();
      skip_space();
      if (!skip("=")) fail(fmt::format("expected = after attribute {}", attribute));
      skip_space();
      const char quote = at_ < text_.size() ? text_[at_] : '\0';
      if (quote != '"' && quote != '\'') fail(fmt::format("expected a quoted value of attribute {}", attribute));
      const std::size_t end = text_.find(quote, at_ + 1);
      if (end == std::string_view::npos) fail(fmt::format("attribute {} has no end", attribute));
      element.attributes.emplace_back(attribute, unescape(text_.substr(at_ + 1, end - at_ - 1)));
      at_ = end + 1;
    }
    // The parent is the last one open that is not this element.
    const bool is_open = !open_.empty() && open_.back() == index;
    const std::size_t parents = open_.size() - (is_open ? 1 : 0);
    if (parents > 0) document_.elements_[open_[parents - 1]].children.push_back(index);
    document_.elements_.push_back(std::move(element));
  }

  void close() {
    const std::string_view closed = without_prefix(name());
    skip_space();
    if (open_.empty() || document_.elements_[open_.back()].name != closed || !skip(">")) {
      fail(open_.empty() ? fmt::format("</{}> closes nothing", closed)
                         : fmt::format("expected </{}>, found </{}>", document_.elements_[open_.back()].name, closed));
    }
    open_.pop_back();
  }

  void add_text(std::string_view piece) {
    const bool blank = piece.find_first_not_of(" \t\r\n") == std::string_view::npos;
    if (open_.empty()) {
      if (!blank) fail("text outside of all elements; expected XML");
    } else if (!blank) {
      add_raw_text(unescape(piece));
    }
  }

  void add_raw_text(std::string_view piece) {
    if (open_.empty()) fail("text outside of all elements; expected XML");
    std::string_view& text = document_.elements_[open_.back()].text;
    if (text.empty()) {
      text = piece;
      return;
    }
    // Text that a comment or a child interrupts is rare; only then it is copied, once.
    std::string*& copy = copies_[open_.back()];
    if (copy == nullptr) copy = &document_.unescaped_.emplace_back(text);
    *copy += ' ';
    *copy += piece;
    text = *copy;
  }

  std::string_view unescape(std::string_view raw) {
    if (raw.find('&') == std::string_view::npos) return raw;
    std::string& out = document_.unescaped_.emplace_back();
    while (!raw.empty()) {
      const std::size_t mark = std::min(raw.find('&'), raw.size());
      out += raw.substr(0, mark);
      raw.remove_prefix(mark);
      if (raw.empty()) break;
      const std::size_t end = raw.find(';');
      if (end == std::string_view::npos) fail("an entity has no end; expected a semicolon");
      append_entity(raw.substr(1, end - 1), out);
      raw.remove_prefix(end + 1);
    }
    return out;
  }

  void append_entity(std::string_view entity, std::string& out) {
    if (entity == "amp") return out.push_back('&');
    if (entity == "lt") return out.push_back('<');
    if (entity == "gt") return out.push_back('>');
    if (entity == "quot") return out.push_back('"');
    if (entity == "apos") return out.push_back('\'');
    const bool hexadecimal = entity.starts_with("#x");
    const std::string_view digits = entity.substr(std::min<std::size_t>(hexadecimal ? 2 : 1, entity.size()));
    std::uint32_t code = 0;
    const auto [end, error] =
        std::from_chars(digits.data(), digits.data() + digits.size(), code, hexadecimal ? 16 : 10);
    if (!entity.starts_with('#') || digits.empty() || error != std::errc() || end != digits.data() + digits.size() ||
        code > 0x10ffff) {
      fail(fmt::format("entity &{}; is not known", entity.substr(0, 40)));
    }
    append_utf8(code, out);
  }

  std::string_view name() {
    const std::size_t begin = at_;
    while (at_ < text_.size() && !is_space(text_[at_]) &&
           std::string_view("=/><\"'").find(text_[at_]) == std::string_view::npos) {
      ++at_;
    }
    if (at_ == begin) fail("expected a name");
    return text_.substr(begin, at_ - begin);
  }

  static std::string_view without_prefix(std::string_view name) {
    const std::size_t colon = name.find(':');
    return colon == std::string_view::npos ? name : name.substr(colon + 1);
  }

  void skip_space() {
    while (at_ < text_.size() && is_space(text_[at_])) ++at_;
  }

  bool skip(std::string_view mark) {
    if (!text_.substr(at_).starts_with(mark)) return false;
    at_ += mark.size();
    return true;
  }

  void to_after(std::string_view mark, std::string_view what) {
    const std::size_t end = text_.find(mark, at_);
    if (end == std::string_view::npos) fail(fmt::format("the file ends within {}", what));
    at_ = end + mark.size();
  }

  /// Lines up to where the parser is; counted on from where it was asked before.
  std::size_t line() {
    for (; counted_ < std::min(at_, text_.size()); ++counted_) {
      if (text_[counted_] == '\n') ++line_;
    }
    return line_;
  }

  [[noreturn]] void fail(const std::string& what) {
    carom::fail(ErrorCode::bad_format, "{}, line {}: {}", name_, line(), what);
  }

  std::string_view text_;
  const std::string& name_;
  XmlDocument& document_;
  std::size_t at_ = 0;
  std::size_t counted_ = 0;
  std::size_t line_ = 1;
  std::vector<std::size_t> open_;
  std::unordered_map<std::size_t, std::string*> copies_;  ///< text of an element that is in pieces
};

XmlDocument::XmlDocument(std::string_view text, const std::string& name) {
  XmlParser(text, name, *this).parse();
}

}  // namespace carom::io

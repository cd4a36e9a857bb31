#pragma once

#include <cstddef>
#include <deque>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace carom::io {

/// An element of an XML document. Views point into the text that was parsed, or into the document.
struct XmlElement {
  std::string_view name;  ///< without the prefix of a namespace
  std::vector<std::pair<std::string_view, std::string_view>> attributes;
  std::string_view text;              ///< all of it, without that of children
  std::vector<std::size_t> children;  ///< index into XmlDocument::elements
  std::size_t line = 0;               ///< counted from 1

  std::optional<std::string_view> attribute(std::string_view wanted) const;
};

/// Document with as much of XML as data files use: elements, attributes, text, comments, CDATA, the five entities and
/// character references. Declarations of types are skipped, so that no entity can unfold. UTF-8.
class XmlDocument {
 public:
  /// `text` must outlive the document. Throws Error that names the file and the line.
  XmlDocument(std::string_view text, const std::string& name);

  const XmlElement& root() const { return elements_.front(); }
  const XmlElement& operator[](std::size_t index) const { return elements_[index]; }
  std::size_t size() const { return elements_.size(); }
  /// The first child of that name, or null.
  const XmlElement* child(const XmlElement& element, std::string_view name) const;

 private:
  friend class XmlParser;
  std::vector<XmlElement> elements_;   ///< in the order of the file
  std::deque<std::string> unescaped_;  ///< text that is not in the file as it is
};

}  // namespace carom::io

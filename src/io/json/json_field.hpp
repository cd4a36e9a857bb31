#pragma once

#include <Eigen/Core>
#include <cstddef>
#include <cstdint>
#include <initializer_list>
#include <limits>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "carom/core/error.hpp"
#include "core/field.hpp"
#include "io/json/json_value.hpp"

namespace carom {

/// A value of a document that knows where it is, so that whatever is wrong with it can be said as
/// `my.json: bodies[2].mesh.tube_radius: expected a positive number, got -0.5`.
/// Refers to the document, to the file's name and to its parent: it lives on the stack.
class JsonField {
 public:
  JsonField(const JsonValue& root, const std::string& file_name) : value_(root), file_name_(file_name) {}

  const JsonValue& value() const { return value_; }
  const std::string& file_name() const { return file_name_; }
  std::string path() const;  ///< empty at the root

  [[noreturn]] void fail(ErrorCode code, std::string_view what) const;
  [[noreturn]] void expected(std::string_view what, ErrorCode code = ErrorCode::bad_format) const;

  double number(const Sign& sign = Sign::any) const;
  /// 40 and 40.0 are the same integer, as they are for JSON Schema.
  int integer(const IntegerRange& range = {}) const;
  /// An integer of 32 bits without a sign.
  std::uint32_t bits() const;
  bool flag() const;
  const std::string& text() const;
  /// Which of the choices the text is.
  std::size_t choice(std::span<const std::string_view> choices) const;
  Eigen::Vector3d vector(const Sign& sign = Sign::any) const;
  Eigen::Vector2d pair() const;
  /// A list of w x y z, not all zero.
  Eigen::Vector4d quaternion() const;
  /// A list of its rows.
  Eigen::Matrix3d matrix() const;
  /// A vector with a direction; its length is free and is kept.
  Eigen::Vector3d direction() const;

  const JsonValue::Array& array(std::string_view what) const;
  JsonField item(const JsonValue::Array& array, std::size_t index) const;

 private:
  friend class JsonObject;
  JsonField(const JsonField& parent, const JsonValue& value, std::string_view name)
      : value_(value), file_name_(parent.file_name_), parent_(&parent), name_(name) {}
  JsonField(const JsonField& parent, const JsonValue& value, std::size_t index)
      : value_(value), file_name_(parent.file_name_), parent_(&parent), index_(index) {}

  const JsonValue& value_;
  const std::string& file_name_;
  const JsonField* parent_ = nullptr;
  std::string_view name_;             ///< if the parent is an object
  std::optional<std::size_t> index_;  ///< if the parent is an array
};

/// Reads the members of an object and remembers which were asked for: what is left over at the
/// end is a mistake of the one who wrote the file.
class JsonObject {
 public:
  /// Throws Error if the field is not an object.
  explicit JsonObject(const JsonField& field);

  const JsonField& field() const { return field_; }
  std::optional<JsonField> find(std::string_view name);
  JsonField get(std::string_view name);
  bool has(std::string_view name) const;
  /// For when one of these names should have been there and none is.
  [[noreturn]] void missing(std::initializer_list<std::string_view> names) const;
  /// Throws Error that names the first member nobody asked for.
  void finish() const;

 private:
  [[noreturn]] void unknown(const JsonMember& member, std::string_view nearest) const;

  const JsonField& field_;
  const JsonValue::Object* members_;
  std::vector<std::string_view> known_;
};

/// How many letters must be put in, taken out, changed or swapped with the next.
std::size_t edit_distance(std::string_view left, std::string_view right);

}  // namespace carom

#pragma once

#include <cassert>
#include <compare>
#include <concepts>
#include <cstddef>
#include <cstdint>
#include <iterator>
#include <span>
#include <vector>

namespace carom {

/// Index into the tables of one kind of things, which Tag names. Four bytes, and at run time a plain number; at compile
/// time another type for each Tag, so that the index of one kind of things finds nothing in the tables of another.
template <class Tag>
class StrongIndex {
 public:
  static const StrongIndex none;  ///< no thing at all; also the default

  constexpr StrongIndex() = default;
  template <std::integral Number>
  requires(!std::same_as<Number, bool>) constexpr explicit StrongIndex(Number value)
      : value_(static_cast<std::int32_t>(value)) {}

  constexpr std::int32_t value() const { return value_; }
  /// Place in an array. Not for `none`.
  constexpr std::size_t offset() const { return static_cast<std::size_t>(value_); }
  constexpr bool valid() const { return value_ >= 0; }

  constexpr StrongIndex& operator++() {
    ++value_;
    return *this;
  }
  friend constexpr auto operator<=>(const StrongIndex&, const StrongIndex&) = default;
  /// How many things `b` is before `a`.
  friend constexpr std::int32_t operator-(StrongIndex a, StrongIndex b) { return a.value_ - b.value_; }

 private:
  std::int32_t value_ = -1;
};

template <class Tag>
inline constexpr StrongIndex<Tag> StrongIndex<Tag>::none{};

/// Indices one after the other, for range loops.
template <class Index>
class IndexRange {
 public:
  class Iterator {
   public:
    using difference_type = std::ptrdiff_t;
    using value_type = Index;
    using iterator_category = std::input_iterator_tag;
    using pointer = const Index*;
    using reference = Index;

    constexpr Iterator() = default;
    constexpr explicit Iterator(Index index) : index_(index) {}
    constexpr Index operator*() const { return index_; }
    constexpr Iterator& operator++() {
      ++index_;
      return *this;
    }
    constexpr Iterator operator++(int) {
      const Iterator before = *this;
      ++index_;
      return before;
    }
    friend constexpr bool operator==(const Iterator&, const Iterator&) = default;

   private:
    Index index_;
  };

  /// From `begin` on, without `end`.
  constexpr IndexRange(std::size_t begin, std::size_t end) : begin_(begin), end_(end) {}
  constexpr IndexRange(Index first, std::int32_t count) : begin_(first), end_(first.value() + count) {}
  constexpr Iterator begin() const { return Iterator(begin_); }
  constexpr Iterator end() const { return Iterator(end_); }

 private:
  Index begin_;
  Index end_;
};

/// Values of the things of one kind, by their index and by nothing else. Owns nothing.
template <class Index, class T>
class IndexedSpan {
 public:
  constexpr IndexedSpan() = default;
  constexpr explicit IndexedSpan(std::span<T> values) : values_(values) {}
  /// A span that may change values is also one that may not.
  template <class Other>
  requires std::same_as<const Other, T>
  constexpr IndexedSpan(const IndexedSpan<Index, Other>& other) : values_(other.values()) {}

  constexpr T& operator[](Index index) const {
    assert(index.valid() && index.offset() < values_.size());
    return values_[index.offset()];
  }
  constexpr std::size_t size() const { return values_.size(); }
  constexpr bool empty() const { return values_.empty(); }
  constexpr auto begin() const { return values_.begin(); }
  constexpr auto end() const { return values_.end(); }
  constexpr IndexRange<Index> indices() const { return {0, size()}; }
  /// The values without their index, for what goes over all of them.
  constexpr std::span<T> values() const { return values_; }

 private:
  std::span<T> values_;
};

/// A vector whose elements are found by their own kind of index and by nothing else.
template <class Index, class T>
class IndexedVector {
 public:
  using value_type = T;

  T& operator[](Index index) {
    assert(index.valid() && index.offset() < values_.size());
    return values_[index.offset()];
  }
  const T& operator[](Index index) const {
    assert(index.valid() && index.offset() < values_.size());
    return values_[index.offset()];
  }

  std::size_t size() const { return values_.size(); }
  bool empty() const { return values_.empty(); }
  void clear() { values_.clear(); }
  void resize(std::size_t size) { values_.resize(size); }
  void resize(std::size_t size, const T& value) { values_.resize(size, value); }
  void assign(std::size_t size, const T& value) { values_.assign(size, value); }

  /// Adds a value at the end. Returns its index.
  Index push_back(const T& value) {
    values_.push_back(value);
    return Index(values_.size() - 1);
  }
  Index emplace_back() {
    values_.emplace_back();
    return Index(values_.size() - 1);
  }

  auto begin() { return values_.begin(); }
  auto end() { return values_.end(); }
  auto begin() const { return values_.begin(); }
  auto end() const { return values_.end(); }
  IndexRange<Index> indices() const { return {0, size()}; }

  operator IndexedSpan<Index, T>() { return IndexedSpan<Index, T>(std::span<T>(values_)); }
  operator IndexedSpan<Index, const T>() const { return IndexedSpan<Index, const T>(std::span<const T>(values_)); }
  /// The values without their index, for what goes over all of them.
  std::span<T> values() { return values_; }
  std::span<const T> values() const { return values_; }

 private:
  std::vector<T> values_;
};

}  // namespace carom

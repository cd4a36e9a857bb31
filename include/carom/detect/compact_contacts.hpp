#pragma once

#include <array>
#include <cstddef>
#include <memory>
#include <span>
#include <vector>

#include "carom/detect/contact.hpp"
#include "carom/detect/detect.hpp"

namespace carom {

/// Contact as detection finds it, in 32 bytes: which features, where on them, how far apart. All else that a Contact
/// says follows from these and the positions, see make_contact().
struct CompactContact {
  Index a;  ///< vertex_face: the vertex. edge_edge: the edge with the lower number, a place in Surface::edges().
  Index b;  ///< vertex_face: the triangle. edge_edge: the edge with the higher number.
  /// vertex_face: weights of the second and the third corner. edge_edge: of the second end of a, of the second end of
  /// b.
  std::array<double, 2> weights;
  double distance;  ///< m, not negative
};

/// Contacts in canonical order, vertex_face first. Memory is kept from call to call and never initialised.
class CompactContacts {
 public:
  std::size_t size() const { return size_; }
  bool empty() const { return size_ == 0; }
  std::span<const CompactContact> vertex_face() const { return {memory_.get(), faces_}; }
  std::span<const CompactContact> edge_edge() const { return {memory_.get() + faces_, size_ - faces_}; }
  const CompactContact& operator[](std::size_t i) const { return memory_[i]; }
  ContactKind kind(std::size_t i) const { return i < faces_ ? ContactKind::vertex_face : ContactKind::edge_edge; }

  /// Room for so many, with what they hold undefined.
  void resize(std::size_t vertex_face, std::size_t edge_edge);
  CompactContact* data() { return memory_.get(); }

 private:
  struct Free {
    void operator()(CompactContact* memory) const;
  };
  std::unique_ptr<CompactContact[], Free> memory_;
  std::size_t capacity_ = 0;
  std::size_t faces_ = 0;
  std::size_t size_ = 0;
};

/// As the other detect(), with contacts in the compact form: a fifth of the memory, and faster by what writing the rest
/// would take.
void detect(const Surface& surface, std::span<const Eigen::Vector3d> positions, const DetectOptions& options,
            DetectScratch& scratch, CompactContacts& contacts, PipelineStats& stats);

/// Contact i in full, for the surface and the positions that it was found for: the same bits as detect() gives.
Contact make_contact(const Surface& surface, std::span<const Eigen::Vector3d> positions,
                     const CompactContacts& contacts, std::size_t i);

/// The same of all contacts.
void make_contacts(const Surface& surface, std::span<const Eigen::Vector3d> positions, const CompactContacts& compact,
                   std::vector<Contact>& contacts);

}  // namespace carom

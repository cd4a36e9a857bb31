#pragma once

#include <span>
#include <vector>

#include "core/parallel.hpp"
#include "core/phased_loop.hpp"
#include "kernels/vertex_contacts.hpp"
#include "response/anchor_solver.hpp"

/// Contacts with anchors in colors: no two of a color move the same vertex, so those of a color are solved in vectors
/// and by several threads, with one result. Contacts of bodies that impulses can move are left to anchor_solver.hpp:
/// one body may have thousands, which would be as many colors.
namespace carom::response {

class VertexContacts {
 public:
  /// Takes up contacts that were prepared; the others are in `left()`.
  void build(std::span<const AnchorContact> contacts, const AnchorState& state);
  /// Contacts that are solved one after the other, by copies.
  std::span<AnchorContact> left() { return left_; }
  bool empty() const { return batches_.empty(); }
  std::size_t color_count() const { return runs_.size(); }

  /// Applies the impulses of the last inner step once more; push() does not then.
  void continue_impulses(const AnchorState& state);
  /// Sweeps before vertices move by h (s), from the impulses of the last inner step.
  void push(Workers& workers, const AnchorState& state, const AnchorOptions& options, double h, int sweeps);
  /// Sweeps after they have moved, `elapsed` (s) after the start of the step.
  void relax(Workers& workers, const AnchorState& state, const AnchorOptions& options, double h, double elapsed,
             int sweeps);

  /// Impulses go back to the contacts that `build` was given.
  void finish(std::span<AnchorContact> contacts);

 private:
  /// Batches of one color.
  struct Run {
    std::uint32_t begin = 0;
    std::uint32_t end = 0;
    int slots = 4;
  };
  struct Sorted {
    std::uint32_t contact = 0;
    std::uint32_t color = 0;
  };

  void note_vertices(const Anchor& anchor, const AnchorState& state);
  void color(std::span<const AnchorContact> contacts, const AnchorState& state, bool single);
  void fill(const AnchorContact& contact, std::uint32_t number, const AnchorState& state,
            kernels::VertexContactBatch& batch, std::size_t lane);
  void warm_start();
  template <class Sweep>
  void run(Workers& workers, int sweeps, const Sweep& sweep);

  std::vector<kernels::VertexContactBatch> batches_;
  std::vector<std::uint32_t> contact_of_lane_;  ///< none where a lane is empty
  std::vector<Run> runs_;
  std::vector<AnchorContact> left_;
  std::vector<std::uint32_t> left_contacts_;

  std::vector<std::int32_t> place_;              ///< of each vertex among `vertices_`, or -1
  std::vector<Index> vertices_;                  ///< that contacts move
  std::vector<kernels::ClothPoint> velocities_;  ///< of these, and of one more for lanes without a vertex
  std::vector<kernels::ClothPoint> displacements_;
  std::vector<kernels::ClothPoint> effect_;  ///< m/s, what contacts did to these in the last inner step
  bool continued_ = false;                   ///< `effect_` is in the velocities already
  std::vector<std::uint64_t> used_;          ///< colors of each
  std::vector<Sorted> sorted_;
  std::vector<std::uint32_t> counts_;
  std::vector<std::uint32_t> blocks_;
  PhasedLoop loop_;
};

}  // namespace carom::response

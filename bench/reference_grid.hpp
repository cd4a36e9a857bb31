#pragma once

#include <cstdint>
#include <memory>
#include <span>
#include <vector>

#include "carom/detect/contact.hpp"
#include "carom/detect/detect.hpp"

/// The yardstick of the benchmarks: the grid pipeline of F. Léonard's thesis (chapter 3,
/// algorithm 1) as its author would write it. Plain loops, std::vector, std::sort, textbook
/// formulas, one grid for each pair of objects. It shares no code with what it is compared with.
///
/// Two of the published rules lose contacts and are made exact here: a pair of triangles is handled
/// in the cell of the lowest corner of the overlap of their boxes, and adjacency is decided for each
/// pair of features. The third, normal cones, stays as published and is off unless asked for.
namespace carom::reference {

/// What is put around triangles, and around edges and vertices if these get volumes at all.
enum class Volume { boxes, spheres };

struct Options {
  double distance = 0;  ///< m; pairs closer than this are reported; must be positive
  PairScope pairs = PairScope::all;
  Volume volume = Volume::boxes;
  bool primitive_volumes = false;  ///< test volumes of features before their distance (section 3.10.1)
  bool normal_cones = false;       ///< as published (section 3.6.1): loses contacts; for the tables only
  int threads = 1;                 ///< for the four stages that the thesis runs in parallel; 0 = all cores
};

/// Seconds in each stage, numbered as in the thesis.
struct Times {
  double objects = 0;    ///< 1: boxes of objects, regions of interest
  double triangles = 0;  ///< 2: volumes of triangles, those in the region
  double grid = 0;       ///< 3
  double list = 0;       ///< 4: (cell, triangle) list
  double sort = 0;       ///< 5
  double cones = 0;      ///< 6a
  double pairs = 0;      ///< 6b: pairs of triangles
  double tests = 0;      ///< 7: elementary tests
  double total = 0;      ///< the whole call

  void add(const Times& other);
};

struct Counts {
  std::uint64_t triangles = 0;         ///< in the regions of interest, summed over regions
  std::uint64_t entries = 0;           ///< of the (cell, triangle) lists
  std::uint64_t cells = 0;             ///< that hold a triangle
  std::uint64_t cone_cells = 0;        ///< cells left out by their cone
  std::uint64_t cone_entries = 0;      ///< entries in those cells
  std::uint64_t triangle_pairs = 0;    ///< that reach the elementary tests
  std::uint64_t primitive_pairs = 0;   ///< of features that share no vertex
  std::uint64_t primitive_culled = 0;  ///< of these, by their volumes
  std::uint64_t contacts = 0;

  void add(const Counts& other);
};

struct Stats {
  Times times;
  Counts counts;

  void add(const Stats& other);
};

/// Keeps its vectors from frame to frame. What depends on the triangles alone is made once.
class Grid {
 public:
  /// The surface must outlive the grid.
  explicit Grid(const Surface& surface);
  ~Grid();
  Grid(Grid&&) noexcept;
  Grid& operator=(Grid&&) noexcept;

  /// The contacts that carom::detect finds, in an order of its own. Triangles of zero area are not
  /// cared for: textbook formulas divide by their area. Throws Error(invalid_argument).
  void detect(std::span<const Eigen::Vector3d> positions, const Options& options, std::vector<Contact>& contacts,
              Stats& stats);

  struct Impl;

 private:
  std::unique_ptr<Impl> impl_;
};

}  // namespace carom::reference

#include "bench/reference_grid.hpp"

#include "bench/reference_pipeline.hpp"
#include "core/check.hpp"

namespace carom::reference {

void Times::add(const Times& other) {
  objects += other.objects;
  triangles += other.triangles;
  grid += other.grid;
  list += other.list;
  sort += other.sort;
  cones += other.cones;
  pairs += other.pairs;
  tests += other.tests;
  total += other.total;
}

void Counts::add(const Counts& other) {
  triangles += other.triangles;
  entries += other.entries;
  cells += other.cells;
  cone_cells += other.cone_cells;
  cone_entries += other.cone_entries;
  triangle_pairs += other.triangle_pairs;
  primitive_pairs += other.primitive_pairs;
  primitive_culled += other.primitive_culled;
  contacts += other.contacts;
}

void Stats::add(const Stats& other) {
  times.add(other.times);
  counts.add(other.counts);
}

struct Grid::Impl {
  explicit Impl(const Surface& surface) : boxes(surface), spheres(surface) {}
  Pipeline<Box> boxes;
  Pipeline<Sphere> spheres;
};

Grid::Grid(const Surface& surface) : impl_(std::make_unique<Impl>(surface)) {}
Grid::~Grid() = default;
Grid::Grid(Grid&&) noexcept = default;
Grid& Grid::operator=(Grid&&) noexcept = default;

void Grid::detect(std::span<const Eigen::Vector3d> positions, const Options& options, std::vector<Contact>& contacts,
                  Stats& stats) {
  require(std::isfinite(options.distance) && options.distance > 0, ErrorCode::invalid_argument,
          "distance is {}; expected a positive number of metres", options.distance);
  if (options.volume == Volume::boxes) {
    impl_->boxes.run(positions, options, contacts, stats);
  } else {
    impl_->spheres.run(positions, options, contacts, stats);
  }
}

}  // namespace carom::reference

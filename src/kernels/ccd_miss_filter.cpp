#include "kernels/ccd_miss_filter.hpp"

#undef HWY_TARGET_INCLUDE
#define HWY_TARGET_INCLUDE "kernels/ccd_miss_filter.cpp"
#include "hwy/foreach_target.h"
#include "hwy/highway.h"
#include "kernels/ccd_miss_filter-inl.hpp"

HWY_BEFORE_NAMESPACE();
namespace carom::kernels::HWY_NAMESPACE {

void vertex_triangle(const MissBatch& batch, std::size_t count, double separation, std::uint8_t* out) {
  using Filter = MissFilter<hn::CappedTag<double, 8>, 3>;
  for (std::size_t at = 0; at < count; at += Filter::lanes()) Filter(batch, at, separation).run(out + at);
}

void edge_edge(const MissBatch& batch, std::size_t count, double separation, std::uint8_t* out) {
  using Filter = MissFilter<hn::CappedTag<double, 8>, 4>;
  for (std::size_t at = 0; at < count; at += Filter::lanes()) Filter(batch, at, separation).run(out + at);
}

}  // namespace carom::kernels::HWY_NAMESPACE
HWY_AFTER_NAMESPACE();

#if HWY_ONCE
namespace carom::kernels {

HWY_EXPORT(vertex_triangle);
HWY_EXPORT(edge_edge);

void ccd_misses_vertex_triangle(const MissBatch& batch, std::size_t count, double separation, std::uint8_t* out) {
  HWY_DYNAMIC_DISPATCH(vertex_triangle)(batch, count, separation, out);
}
void ccd_misses_edge_edge(const MissBatch& batch, std::size_t count, double separation, std::uint8_t* out) {
  HWY_DYNAMIC_DISPATCH(edge_edge)(batch, count, separation, out);
}

}  // namespace carom::kernels
#endif

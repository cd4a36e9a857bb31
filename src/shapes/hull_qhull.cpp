#include "shapes/hull_qhull.hpp"

#include <libqhull_r/qhull_ra.h>

#include <cstdio>
#include <cstdlib>
#include <memory>

namespace carom::shapes {
namespace {

/// Messages of qhull, written to memory instead of to the caller's terminal.
class Messages {
 public:
  Messages() : file_(open_memstream(&text_, &size_)) {}
  ~Messages() {
    if (file_ != nullptr) std::fclose(file_);
    std::free(text_);
  }
  Messages(const Messages&) = delete;
  Messages& operator=(const Messages&) = delete;

  std::FILE* file() { return file_; }
  std::string first_line() {
    if (file_ == nullptr) return {};
    std::fflush(file_);
    const std::string all(text_, size_);
    return all.substr(0, all.find('\n'));
  }

 private:
  char* text_ = nullptr;
  std::size_t size_ = 0;
  std::FILE* file_;
};

}  // namespace

std::optional<std::vector<std::vector<Index>>> qhull_faces(std::span<const Eigen::Vector3d> points, std::string& why) {
  std::vector<coordT> coordinates;
  coordinates.reserve(3 * points.size());
  for (const Eigen::Vector3d& p : points) coordinates.insert(coordinates.end(), {p.x(), p.y(), p.z()});

  Messages messages;
  const auto memory = std::make_unique<qhT>();
  qhT* qh = memory.get();
  qh_zero(qh, messages.file());
  char options[] = "qhull Pp";
  const int failed = qh_new_qhull(qh, 3, static_cast<int>(points.size()), coordinates.data(), False, options, nullptr,
                                  messages.file());
  std::optional<std::vector<std::vector<Index>>> faces;
  if (failed == 0) {
    faces.emplace();
    facetT* facet = nullptr;
    vertexT* vertex = nullptr;
    vertexT** vertexp = nullptr;
    FORALLfacets {
      std::vector<Index>& face = faces->emplace_back();
      FOREACHvertex_(facet->vertices) face.push_back(static_cast<Index>((vertex->point - coordinates.data()) / 3));
    }
  } else {
    why = messages.first_line();
  }
  int left = 0;
  int total = 0;
  qh_freeqhull(qh, !qh_ALL);
  qh_memfreeshort(qh, &left, &total);
  return faces;
}

}  // namespace carom::shapes

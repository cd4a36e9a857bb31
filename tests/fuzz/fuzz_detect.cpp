#include <array>
#include <cmath>
#include <cstdio>
#include <cstdlib>
#include <string>

#include "carom/core/error.hpp"
#include "oracle/surface_filter.hpp"

/// Bytes tell a story: a small surface, then positions that move, triangles that come and go, methods,
/// scopes and filters that change, with one scratch from beginning to end. After each step detection
/// must find what brute force finds. Edits may be wrong; then they must throw and change nothing.
namespace {

using namespace carom;

constexpr std::size_t max_vertices = 30;
constexpr std::size_t max_triangles = 40;
constexpr int max_steps = 24;

/// The bytes as numbers; zeros when they have run out.
class Bytes {
 public:
  Bytes(const std::uint8_t* data, std::size_t size) : at_(data), end_(data + size) {}
  bool done() const { return at_ == end_; }
  int next() { return done() ? 0 : *at_++; }
  std::size_t below(std::size_t n) { return static_cast<std::size_t>(next()) % n; }
  /// In [-4, 4), on a grid, so that features coincide and distances are met exactly.
  double coordinate() { return static_cast<double>(static_cast<std::int8_t>(next())) / 32; }

 private:
  const std::uint8_t* at_;
  const std::uint8_t* end_;
};

class Story {
 public:
  Story(const std::uint8_t* data, std::size_t size) : bytes_(data, size) {
    objects_ = static_cast<Index>(1 + bytes_.below(3));
    const std::size_t vertices = 6 + bytes_.below(12);
    positions_.resize(vertices);
    for (Eigen::Vector3d& p : positions_) p = point();
    surface_.update(vertices, {});
    add_triangles(bytes_.below(20), 0);
  }

  void run() {
    check();
    for (int step = 0; step < max_steps && !bytes_.done(); ++step) {
      switch (bytes_.below(8)) {
        case 0:
          positions_[bytes_.below(positions_.size())] = point();
          break;
        case 1:
          for (Eigen::Vector3d& p : positions_) p.y() += scale_ * bytes_.coordinate() * pace_;
          break;
        case 2:
          add_triangles(bytes_.below(6), bytes_.below(3));
          break;
        case 3:
          remove_triangles();
          break;
        case 4:
          update();
          break;
        case 5:
          choose();
          break;
        case 6:
          wrong_edit();
          break;
        default:
          filter();
          break;
      }
      check();
    }
  }

 private:
  [[noreturn]] static void stop(const char* what) {
    std::fprintf(stderr, "fuzz_detect: %s\n", what);
    std::abort();
  }

  Eigen::Vector3d point() {
    const double x = bytes_.coordinate();
    const double y = bytes_.coordinate();
    return scale_ * Eigen::Vector3d(x, y, bytes_.coordinate());
  }

  /// Vertices with the same remainder are of one object, so that objects share none.
  Triangle triangle(Index object, std::size_t vertex_count) {
    const std::size_t objects = static_cast<std::size_t>(objects_);
    const std::size_t choices = (vertex_count - static_cast<std::size_t>(object) + objects - 1) / objects;
    Triangle t;
    for (Index& corner : t) corner = object + objects_ * static_cast<Index>(bytes_.below(choices));
    return t;
  }

  void add_triangles(std::size_t count, std::size_t new_vertices) {
    if (surface_.vertex_count() + new_vertices > max_vertices) new_vertices = 0;
    SurfaceEdit edit{.new_vertices = new_vertices};
    for (std::size_t i = 0; i < count && surface_.live_triangle_count() + i < max_triangles; ++i) {
      const auto object = static_cast<Index>(bytes_.below(static_cast<std::size_t>(objects_)));
      edit.added.push_back(triangle(object, surface_.vertex_count() + new_vertices));
      edit.added_object.push_back(number(object));
    }
    surface_.edit(edit);
    while (positions_.size() < surface_.vertex_count()) positions_.push_back(point());
  }

  void remove_triangles() {
    const oracle::Live live = oracle::live(surface_);
    SurfaceEdit edit;
    const std::size_t each = 1 + bytes_.below(8);
    for (std::size_t i = bytes_.below(4); i < live.number.size(); i += each) edit.removed.push_back(live.number[i]);
    surface_.edit(edit);
  }

  /// The live triangles in a row, a few of them others, fewer or more.
  void update() {
    oracle::Live live = oracle::live(surface_);
    for (std::size_t changes = bytes_.below(6); changes > 0; --changes) {
      const auto object = static_cast<Index>(bytes_.below(static_cast<std::size_t>(objects_)));
      const Triangle t = triangle(object, surface_.vertex_count());
      const std::size_t at = bytes_.below(live.triangles.size() + 1);
      if (at < live.triangles.size()) {
        live.triangles[at] = t;
        live.object_of_triangle[at] = number(object);
      } else if (at < max_triangles) {
        live.triangles.push_back(t);
        live.object_of_triangle.push_back(number(object));
      }
    }
    if (bytes_.below(4) == 0) {
      live.triangles.resize(live.triangles.size() / 2);
      live.object_of_triangle.resize(live.triangles.size());
    }
    surface_.update(surface_.vertex_count(), live.triangles, live.object_of_triangle);
    if (surface_.live_triangle_count() != live.triangles.size()) stop("update has lost a triangle");
  }

  void choose() {
    pace_ = std::array{1.0, 0.05, 0.005, 0.0}[bytes_.below(4)];
    const auto methods = detect_methods();
    options_.method = std::string(methods[bytes_.below(methods.size())]);
    options_.sphere_depth = 1 + static_cast<int>(bytes_.below(16));
    options_.pairs = static_cast<PairScope>(bytes_.below(3));
    options_.threads = bytes_.below(16) == 15 ? 2 : 1;  // new threads take longer than all the rest
    options_.distance = scale_ * (1 + static_cast<double>(bytes_.below(64))) / 32;
    if (bytes_.below(8) == 0) {  // everything at another scale
      constexpr std::array scales{1.0, 1e-6, 1e9, 0.125};
      const double scale = scales[bytes_.below(scales.size())];
      for (Eigen::Vector3d& p : positions_) p *= scale / scale_;
      options_.distance *= scale / scale_;
      scale_ = scale;
    }
  }

  /// Corners, numbers and objects as they come: most are wrong in some way.
  void wrong_edit() {
    SurfaceEdit edit;
    for (std::size_t i = bytes_.below(3); i > 0; --i) edit.removed.push_back(static_cast<Index>(bytes_.next()) - 1);
    for (std::size_t i = bytes_.below(3); i > 0; --i) {
      Triangle t;
      for (Index& corner : t) corner = static_cast<Index>(bytes_.below(max_vertices)) - 1;
      edit.added.push_back(t);
      edit.added_object.push_back(number(static_cast<Index>(bytes_.below(3))));
    }
    const std::uint64_t before = surface_.revision();
    const std::size_t triangles = surface_.live_triangle_count();
    try {
      Surface copy = surface_;
      copy.edit(edit);
      // It was right. Objects may have other vertices now than the story counts on, so it stays a copy.
      std::vector<Contact> contacts;
      PipelineStats stats;
      detect(copy, positions_, options_, scratch_, contacts, stats);
      compare(copy, contacts);
      if (edit.removed.empty() && edit.added.empty()) return;
      if (copy.revision() == before) stop("an edit without a new revision");
    } catch (const Error&) {
      try {
        surface_.edit(edit);
      } catch (const Error&) {
      }
      if (surface_.revision() != before || surface_.live_triangle_count() != triangles)
        stop("a wrong edit changed something");
    }
  }

  void filter() {
    excluded_vertices_.clear();
    excluded_objects_.clear();
    groups_.clear();
    enabled_.clear();
    const std::size_t what = bytes_.below(16);
    for (int i = 0; (what & 1U) != 0 && i < 4; ++i) {
      excluded_vertices_.push_back({static_cast<Index>(bytes_.below(surface_.vertex_count())),
                                    static_cast<Index>(bytes_.below(surface_.vertex_count()))});
    }
    const auto objects = surface_.objects();
    if ((what & 2U) != 0 && !objects.empty())
      excluded_objects_.push_back({objects[bytes_.below(objects.size())], objects[bytes_.below(objects.size())]});
    if ((what & 4U) != 0 && !objects.empty()) {
      const auto group = static_cast<std::uint32_t>(1 + bytes_.below(3));
      groups_.push_back({objects[bytes_.below(objects.size())], {group, static_cast<std::uint32_t>(bytes_.below(4))}});
    }
    if ((what & 8U) != 0) {
      for (std::size_t v = 0; v < max_vertices; ++v) enabled_.push_back(v % 5 == 2 ? 0 : 1);
    }
  }

  void check() {
    options_.filters = {.excluded_vertices = excluded_vertices_,
                        .excluded_objects = excluded_objects_,
                        .groups = groups_,
                        .vertex_enabled = std::span(enabled_).first(enabled_.empty() ? 0 : surface_.vertex_count())};
    std::vector<Contact> contacts;
    PipelineStats stats;
    detect(surface_, positions_, options_, scratch_, contacts, stats);
    compare(surface_, contacts);
    for (const Stage stage : {Stage::broad, Stage::mid, Stage::narrow}) {
      if (stats[stage].in - stats[stage].culled_total() != stats[stage].out) stop("the statistics do not add up");
    }
  }

  void compare(const Surface& surface, const std::vector<Contact>& contacts) const {
    const auto expected = oracle::filtered(oracle::brute_force(surface, positions_, options_.distance, options_.pairs),
                                           surface, positions_, options_.distance, options_.filters);
    if (contacts.size() != expected.size()) stop("not as many contacts as brute force finds");
    for (std::size_t i = 0; i < expected.size(); ++i) {
      if (contacts[i].kind != expected[i].kind || contacts[i].a != expected[i].a || contacts[i].b != expected[i].b)
        stop("another contact than brute force finds");
    }
  }

  /// Numbers of objects that are neither in order nor in a row.
  static Index number(Index object) { return std::array<Index, 3>{7, -2, 100}[static_cast<std::size_t>(object)]; }

  Bytes bytes_;
  Index objects_ = 1;
  double scale_ = 1;
  double pace_ = 1;  ///< below 1, things creep and pairs are watched
  Surface surface_{0, {}};
  std::vector<Eigen::Vector3d> positions_;
  DetectOptions options_{.distance = 0.5, .threads = 1};
  DetectScratch scratch_;
  std::vector<std::array<Index, 2>> excluded_vertices_;
  std::vector<std::array<Index, 2>> excluded_objects_;
  std::vector<ObjectGroup> groups_;
  std::vector<std::uint8_t> enabled_;
};

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  Story(data, size).run();
  return 0;
}

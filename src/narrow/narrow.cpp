#include "narrow/narrow.hpp"

#include <algorithm>

#include "core/stage_timer.hpp"
#include "narrow/proximity.hpp"

namespace carom::narrow {

namespace {

constexpr std::size_t grain = 512;

/// A box in double precision: these are made on the fly, so their size costs nothing.
struct Extent {
  Eigen::Array3d min;
  Eigen::Array3d max;
};

bool apart(const Extent& a, const Extent& b, double reach) {
  return (a.min > b.max + reach).any() || (b.min > a.max + reach).any();
}

/// What one triangle brings into a pair: itself, and the vertices and edges it owns.
struct Side {
  Index triangle;
  Triangle corners;
  Extent extent;
  int vertex_count = 0;
  int edge_count = 0;
  std::array<Index, 3> vertices;
  std::array<Edge, 3> edges;
  std::array<Extent, 3> edge_extents;
};

class PairTester {
 public:
  PairTester(const In& in, const Options& options, std::vector<Contact>& contacts, Scratch::Counts& counts)
      : in_(in), topology_(in.surface.topology()), options_(options), contacts_(contacts), counts_(counts) {}

  void test(const mid::TrianglePair& pair) {
    const Side a = side(pair.a);
    const Side b = side(pair.b);
    vertices_against_face(a, b);
    vertices_against_face(b, a);
    edges_against_edges(a, b);
  }

 private:
  const Eigen::Vector3d& at(Index vertex) const { return in_.positions[static_cast<std::size_t>(vertex)]; }

  Side side(Index triangle) const {
    Side s;
    const auto t = static_cast<std::size_t>(triangle);
    s.triangle = triangle;
    s.corners = in_.surface.triangles()[t];
    const auto& [a, b, c] = s.corners;
    s.extent.min = at(a).array().min(at(b).array()).min(at(c).array());
    s.extent.max = at(a).array().max(at(b).array()).max(at(c).array());
    for (std::size_t k = 0; k < 3; ++k) {
      const Index vertex = s.corners[k];
      // A triangle with a repeated corner owns that vertex once.
      const bool repeated = (k > 0 && vertex == s.corners[0]) || (k > 1 && vertex == s.corners[1]);
      if (!repeated && topology_.vertex_owner[static_cast<std::size_t>(vertex)] == triangle) {
        s.vertices[static_cast<std::size_t>(s.vertex_count++)] = vertex;
      }
      const Index edge = topology_.triangle_edges[t][k];
      const bool repeated_edge =
          (k > 0 && edge == topology_.triangle_edges[t][0]) || (k > 1 && edge == topology_.triangle_edges[t][1]);
      if (edge != none && !repeated_edge && topology_.edge_owner[static_cast<std::size_t>(edge)] == triangle) {
        const Edge& ends = topology_.edges[static_cast<std::size_t>(edge)];
        const auto n = static_cast<std::size_t>(s.edge_count++);
        s.edges[n] = ends;
        s.edge_extents[n].min = at(ends[0]).array().min(at(ends[1]).array());
        s.edge_extents[n].max = at(ends[0]).array().max(at(ends[1]).array());
      }
    }
    return s;
  }

  void vertices_against_face(const Side& from, const Side& face) {
    const double reach = options_.distance + options_.slack;
    for (int i = 0; i < from.vertex_count; ++i) {
      const Index vertex = from.vertices[static_cast<std::size_t>(i)];
      ++counts_.tests;
      if (vertex == face.corners[0] || vertex == face.corners[1] || vertex == face.corners[2]) {
        ++counts_.adjacent;
      } else if (apart({at(vertex).array(), at(vertex).array()}, face.extent, reach)) {
        ++counts_.box;
      } else {
        keep(vertex_face(in_.positions, vertex, face.triangle, face.corners));
      }
    }
  }

  void edges_against_edges(const Side& a, const Side& b) {
    const double reach = options_.distance + options_.slack;
    for (int i = 0; i < a.edge_count; ++i) {
      const auto ea = static_cast<std::size_t>(i);
      for (int j = 0; j < b.edge_count; ++j) {
        const auto eb = static_cast<std::size_t>(j);
        const Edge& first = std::min(a.edges[ea], b.edges[eb]);
        const Edge& second = std::max(a.edges[ea], b.edges[eb]);
        ++counts_.tests;
        if (first[0] == second[0] || first[0] == second[1] || first[1] == second[0] || first[1] == second[1]) {
          ++counts_.adjacent;
        } else if (apart(a.edge_extents[ea], b.edge_extents[eb], reach)) {
          ++counts_.box;
        } else {
          keep(edge_edge(in_.positions, first, second));
        }
      }
    }
  }

  void keep(const Contact& contact) {
    if (contact.distance < options_.distance) {
      contacts_.push_back(contact);
    } else {
      ++counts_.distance;
    }
  }

  const In& in_;
  const Topology& topology_;
  const Options& options_;
  std::vector<Contact>& contacts_;
  Scratch::Counts& counts_;
};

/// Contacts are large; sort their keys and move each once.
void sort_canonically(Context& context, std::span<const Contact> found, std::vector<Contact>& sorted) {
  struct Key {
    std::uint64_t a, b;
    std::uint32_t from;
    bool operator<(const Key& other) const { return a != other.a ? a < other.a : b < other.b; }
  };
  const auto pack = [](const std::array<Index, 2>& feature) {
    return static_cast<std::uint64_t>(static_cast<std::uint32_t>(feature[0])) << 32U |
           static_cast<std::uint32_t>(feature[1]);
  };
  constexpr std::uint64_t edge_edge_last = 1ULL << 63U;  // indices are below 2^31, so the bit is free
  const std::span<Key> keys = context.arena.make<Key>(found.size());
  for (std::size_t i = 0; i < found.size(); ++i) {
    const std::uint64_t kind = found[i].kind == ContactKind::edge_edge ? edge_edge_last : 0;
    keys[i] = {kind | pack(found[i].a), pack(found[i].b), static_cast<std::uint32_t>(i)};
  }
  std::sort(keys.begin(), keys.end());
  sorted.resize(found.size());
  parallel_for(context.workers, found.size(), grain, [&](std::size_t i) { sorted[i] = found[keys[i].from]; });
}

}  // namespace

void run(Context& context, const In& in, const Options& options, Scratch& scratch, std::vector<Contact>& contacts,
         StageStats& stats) {
  const StageTimer timer(stats);
  scratch.counts.assign(chunk_count(in.pairs.size(), grain), {});
  scratch.append.run(context.workers, in.pairs.size(), grain, scratch.found,
                     [&](std::size_t begin, std::size_t end, std::vector<Contact>& out, std::size_t chunk) {
                       PairTester tester(in, options, out, scratch.counts[chunk]);
                       for (std::size_t i = begin; i < end; ++i) tester.test(in.pairs[i]);
                     });
  sort_canonically(context, scratch.found, contacts);

  for (const Scratch::Counts& counts : scratch.counts) {
    stats.in += counts.tests;
    stats.add_culled("adjacent", counts.adjacent);
    stats.add_culled("box", counts.box);
    stats.add_culled("distance", counts.distance);
  }
  stats.out += contacts.size();
}

}  // namespace carom::narrow

namespace carom {

bool canonical_less(const Contact& left, const Contact& right) {
  if (left.kind != right.kind) return left.kind < right.kind;
  return left.a != right.a ? left.a < right.a : left.b < right.b;
}

}  // namespace carom

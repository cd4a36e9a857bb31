#include <gtest/gtest.h>
#include <rapidcheck.h>

#include <random>
#include <set>

#include "bodies/make_body.hpp"
#include "bodies/sheet_cut.hpp"
#include "carom/mesh/generate.hpp"
#include "core/disjoint_sets.hpp"

// Constraints that follow cuts against those made again.
namespace carom::cloth {
namespace {

using Eigen::Vector3d;

/// Parts of a sheet by a plain union of the corners of its triangles.
std::size_t count_parts(const Body& body) {
  DisjointSets sets(body.positions.size());
  for (const Triangle& t : body.triangles) {
    sets.merge(t[0], t[1]);
    sets.merge(t[0], t[2]);
  }
  std::set<Index> parts;
  for (const Triangle& t : body.triangles) parts.insert(sets.find(t[0]));
  return parts.size();
}

TEST(ClothEdit, ModelThatFollowsCutsIsThatMadeAnew) {
  EXPECT_TRUE(rc::check("edges cut at random, a few at a time", [] {
    std::mt19937_64 random(*rc::gen::arbitrary<std::uint64_t>());
    std::uniform_real_distribution<double> uniform(0, 1);
    ClothBody sheet;
    sheet.name = "sheet";
    // Of the larger ones, some blocks of constraints are not touched: neighbors are in any of them.
    const bool large = random() % 2 == 0;
    sheet.mesh = large ? make_sheet(5, 5, 40, 40) : make_sheet(1, 1, 9, 8);
    std::shuffle(sheet.mesh.triangles.begin(), sheet.mesh.triangles.end(), random);
    sheet.fabric = fabric_by_name("cotton");
    if (random() % 4 == 0) sheet.fabric.bend_stiffness = 0;
    const bool patches = random() % 2 == 0;
    if (patches) {
      FabricRegion region{.triangles = {}, .fabric = fabric_by_name("denim")};
      for (Index t = 30; t < 70; ++t) region.triangles.push_back(t);
      sheet.regions.push_back(region);
    }
    Body body = make_body(sheet);
    sheet::CutMarks marks;
    int followed = 0;
    for (int round = 0; round < 6; ++round) {
      const Topology topology = build_topology(body.positions.size(), body.triangles);
      std::vector<sheet::EdgeCrossing> crossings;
      // Edges near a place, so that cuts open.
      const Vector3d middle(uniform(random) - 0.5, 0, uniform(random) - 0.5);
      for (const Edge& edge : topology.edges) {
        const Vector3d place = 0.5 * (body.positions[static_cast<std::size_t>(edge[0])] +
                                      body.positions[static_cast<std::size_t>(edge[1])]);
        if ((place - middle).norm() > (large ? 0.15 : 0.3) || uniform(random) > 0.5) continue;
        crossings.push_back({.edge = edge, .fraction = uniform(random), .time = uniform(random), .blade = 0});
      }
      // The same with the lists of a joined surface, in which something comes before the body.
      Body other = body;
      sheet::CutMarks other_marks = marks;
      std::vector<Triangle> joined_triangles{{0, 1, 2}};
      for (const Triangle& t : body.triangles) joined_triangles.push_back({t[0] + 3, t[1] + 3, t[2] + 3});
      const Surface joined(body.positions.size() + 3, joined_triangles);
      const sheet::JoinedTriangles lists{joined, 3, 1};
      const std::vector<double> mass_before = masses("sheet", rest_shape(body), body.cloth_rest->fabrics);
      const sheet::CutOutcome outcome = sheet::cut(body, crossings, marks, &lists);
      const sheet::CutOutcome same = sheet::cut(other, crossings, other_marks);
      RC_ASSERT(other.triangles == body.triangles);
      RC_ASSERT(other_marks.edges == marks.edges);
      RC_ASSERT(other_marks.tips == marks.tips);
      RC_ASSERT(same.triangles == outcome.triangles);
      RC_ASSERT(same.around == outcome.around);
      RC_ASSERT(same.at_vertices == outcome.at_vertices);
      RC_ASSERT(same.separates == outcome.separates);
      RC_ASSERT(outcome.separates == (count_parts(body) > 1));
      if (!outcome.changed) continue;
      const std::vector<double> mass = masses("sheet", rest_shape(body), body.cloth_rest->fabrics);
      for (std::size_t v = 0; v < mass_before.size(); ++v) {
        const bool listed = std::binary_search(outcome.vertices.begin(), outcome.vertices.end(), static_cast<Index>(v));
        RC_ASSERT(listed || mass[v] == mass_before[v]);
      }
      // Masses near the cut are others, sometimes those elsewhere, too.
      for (const Index v : outcome.vertices)
        body.inverse_mass[static_cast<std::size_t>(v)] = std::exp(12 * uniform(random));
      if (random() % 4 == 0) body.inverse_mass[random() % mass.size()] = std::exp(12 * uniform(random));
      const std::shared_ptr<const Model> before = body.cloth;
      const std::size_t hinges = before->hinge_count();
      change_model(outcome, body);
      RC_ASSERT(before->hinge_count() == hinges);  // somebody else has it
      const Model made(rest_shape(body), body.cloth_rest->fabrics);
      RC_ASSERT(made.is_sound());
      RC_ASSERT(body.cloth->is_sound());
      RC_ASSERT(body.cloth->vertex_count() == made.vertex_count());
      RC_ASSERT(body.cloth->triangle_count() == made.triangle_count());
      RC_ASSERT(body.cloth->hinge_count() == made.hinge_count());
      RC_ASSERT(body.cloth->inner_step(body.inverse_mass) == made.inner_step(body.inverse_mass));
      RC_ASSERT(body.cloth->bend_step(body.inverse_mass) == made.bend_step(body.inverse_mass));
      RC_ASSERT(body.max_step == made.inner_step(body.inverse_mass));
      RC_ASSERT(body.bend_step == made.bend_step(body.inverse_mass));
      std::vector<Vector3d> positions = body.positions;
      for (Vector3d& p : positions) p += 0.01 * Vector3d(uniform(random), uniform(random), uniform(random));
      RC_ASSERT(body.cloth->strains(positions) == made.strains(positions));
      const double energy = made.energy(positions);
      RC_ASSERT(std::abs(body.cloth->energy(positions) - energy) <= 1e-12 * energy);
      RC_ASSERT(body.cloth->color_count() <= 2 * made.color_count());
      ++followed;
      if (outcome.separates) break;  // parts become bodies of their own
    }
    RC_TAG(followed);
  }));
}

}  // namespace
}  // namespace carom::cloth

#pragma once

#include <optional>
#include <span>
#include <vector>

#include "bodies/soft_places.hpp"
#include "bodies/vertices.hpp"
#include "broad/object_filter.hpp"
#include "carom/detect/contact.hpp"
#include "carom/shape/shape.hpp"
#include "core/context.hpp"

/// Contacts of deep overlaps: vertices that are inside of a soft body with a distance field get depth and direction
/// from the field as it is deformed (Fisher and Lin 2001). A contact of features is about the nearest triangle, which
/// pushes a vertex that is inside farther in; contours of intersection (contact/tangles.hpp) do not see what is wholly
/// inside, and take the smaller part for the one that has to go back.
namespace carom::contact {

struct DeepIn {
  const BodyMap& bodies;
  const rigid::Bodies& table;
  const bodies::Vertices& vertices;
  const ContactFilters& filters;
  PairScope scope = PairScope::all;
};

class DeepContacts {
 public:
  /// Finds vertices inside of soft bodies with fields, and lets their features through these in `tangled`.
  void find(Context& context, const DeepIn& in, broad::Tangled& tangled);
  /// A contact of each of these vertices with the triangle that was nearest to it at rest.
  void append(const bodies::Vertices& vertices, std::vector<Contact>& contacts) const;
  /// Whether vertices of one of two objects are inside of the other.
  bool between(Index object_a, Index object_b) const;
  std::size_t size() const { return found_.size(); }

 private:
  struct FieldBody {
    std::uint32_t serial = 0;
    std::shared_ptr<const solid::BodyModel> model;
    std::optional<Shape> rest;  ///< surface at rest
    solid::ElementCells cells;
  };
  struct Inside {
    Index vertex = none;
    Index triangle = none;   ///< of the joined surface
    std::uint32_t pair = 0;  ///< in `objects_`
    double sign = 1;         ///< -1 if the vertex is of the second object of the pair
    double depth = 0;        ///< m
    Eigen::Vector3d normal = Eigen::Vector3d::Zero();
    Eigen::Vector3d weights = Eigen::Vector3d::Zero();
  };
  FieldBody& field_of(const Body& body);
  void find_inside(Context& context, const DeepIn& in, const bodies::SurfacePart& soft, const FieldBody& field,
                   const bodies::SurfacePart& other);

  void agree(const DeepIn& in);

  std::vector<FieldBody> fields_;
  std::vector<Inside> found_;
  std::vector<std::array<Index, 2>> objects_;  ///< with vertices in each other, the smaller first
  broad::ObjectFilter filter_;
  OrderedAppend<Inside> append_;
  std::vector<Inside> of_pair_;
};

}  // namespace carom::contact

#include "carom/detect/contact.hpp"

namespace carom {

std::string_view to_string(ContactMotion motion) {
  switch (motion) {
    case ContactMotion::colliding:
      return "colliding";
    case ContactMotion::resting:
      return "resting";
    case ContactMotion::separating:
      return "separating";
  }
  return "unknown";
}

std::string_view to_string(FeatureKind feature) {
  switch (feature) {
    case FeatureKind::point:
      return "point";
    case FeatureKind::vertex:
      return "vertex";
    case FeatureKind::edge:
      return "edge";
    case FeatureKind::face:
      return "face";
  }
  return "unknown";
}

}  // namespace carom

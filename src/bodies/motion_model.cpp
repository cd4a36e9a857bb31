#include "carom/body/motion_model.hpp"

namespace carom {

std::string_view to_string(MotionModel motion) {
  switch (motion) {
    case MotionModel::fixed:
      return "fixed";
    case MotionModel::scripted:
      return "scripted";
    case MotionModel::particles:
      return "particles";
    case MotionModel::rigid:
      return "rigid";
  }
  return "unknown";
}

}  // namespace carom

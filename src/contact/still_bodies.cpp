#include "contact/still_bodies.hpp"

#include "broad/object_filter.hpp"

namespace carom::contact {

void mark_still(const rigid::Bodies& table, const BodyMap& bodies, const bodies::Vertices& vertices, bool immovable,
                StillBodies& out) {
  out.still.resize(table.size());
  out.scripted.assign(table.size(), 0);
  for (const BodySlot i : table.slots()) {
    const rigid::Info& info = table.info[i];
    const rigid::Motion& m = table.motion[i];
    const bool moves = info.motion != MotionModel::fixed && dot(m.v, m.v) + dot(m.w, m.w) > 0;
    if (info.motion == MotionModel::scripted && moves) out.scripted[i] = 1;
    const bool awake = table.asleep[i] == 0 && (table.mass[i].inverse > 0 || info.deforms);
    out.still[i] = awake || out.scripted[i] != 0 ? 0 : 1;
  }
  out.marks.clear();
  for (const bodies::SurfacePart& part : vertices.parts) {
    const BodySlot i = part.body;
    if (bodies[part.id].motion == MotionModel::scripted && bodies::fastest_vertex(vertices, part) > 0) {
      out.scripted[i] = 1;
      out.still[i] = 0;
    }
    if (immovable) continue;
    const bool deforms = table.info[i].deforms;
    const int mark = deforms && table.asleep[i] == 0 ? broad::ObjectChoice::every_mark
                     : deforms                       ? 1
                     : out.scripted[i] != 0          ? 2
                                                     : 0;
    out.marks.push_back(static_cast<std::uint8_t>(mark));
  }
}

}  // namespace carom::contact

#include "bodies/sleeping.hpp"

#include <cassert>
#include <utility>

namespace carom::rigid {

void wake(Bodies& bodies, BodySlot body) {
  bodies.time_at_rest[body] = 0;
  while (bodies.sleeping_neighbor[body].valid()) {
    const BodySlot next = std::exchange(bodies.sleeping_neighbor[body], BodySlot::none);
    bodies.asleep[body] = 0;
    bodies.time_at_rest[body] = 0;
    body = next;
  }
}

void fall_asleep(Bodies& bodies, BodySlot body, BodySlot with) {
  assert(body == with || bodies.asleep[with] != 0);
  bodies.asleep[body] = 1;
  bodies.sleeping_neighbor[body] = body == with ? body : bodies.sleeping_neighbor[with];
  bodies.sleeping_neighbor[with] = body;
  bodies.motion[body].v = {};
  bodies.motion[body].w = {};
}

}  // namespace carom::rigid

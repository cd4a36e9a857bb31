#include "bodies/sleeping.hpp"

#include <cassert>
#include <utility>

#include "core/at.hpp"

namespace carom::rigid {

void wake(Bodies& bodies, std::int32_t body) {
  bodies.time_at_rest[at(body)] = 0;
  while (bodies.sleeping_neighbor[at(body)] >= 0) {
    const std::int32_t next = std::exchange(bodies.sleeping_neighbor[at(body)], -1);
    bodies.asleep[at(body)] = 0;
    bodies.time_at_rest[at(body)] = 0;
    body = next;
  }
}

void fall_asleep(Bodies& bodies, std::int32_t body, std::int32_t with) {
  assert(body == with || bodies.asleep[at(with)] != 0);
  bodies.asleep[at(body)] = 1;
  bodies.sleeping_neighbor[at(body)] = body == with ? body : bodies.sleeping_neighbor[at(with)];
  bodies.sleeping_neighbor[at(with)] = body;
  bodies.motion[at(body)].v = {};
  bodies.motion[at(body)].w = {};
}

}  // namespace carom::rigid

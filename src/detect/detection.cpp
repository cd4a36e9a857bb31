#include "detect/detection.hpp"

namespace carom::detection {

void run(Context& context, const bounds::In& in, const Options& options, Scratch& scratch,
         std::vector<Contact>& contacts, PipelineStats& stats) {
  bounds::run(context, in, {.distance = options.distance}, scratch.bounds, stats[Stage::bounds]);

  broad::run(context, {.objects = scratch.bounds.objects}, {.pairs = options.pairs}, scratch.broad,
             stats[Stage::broad]);

  mid::run(context,
           {.surface = in.surface,
            .triangles = scratch.bounds.triangles,
            .objects = scratch.bounds.objects,
            .object_pairs = scratch.broad.pairs},
           {.method = options.method, .pairs = options.pairs}, scratch.mid, stats[Stage::mid]);

  narrow::run(context, {.surface = in.surface, .positions = in.positions, .pairs = scratch.mid.pairs},
              {.distance = options.distance}, scratch.narrow, contacts, stats[Stage::narrow]);
}

}  // namespace carom::detection

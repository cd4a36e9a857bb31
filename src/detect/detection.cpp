#include "detect/detection.hpp"

#include "core/stage_timer.hpp"

namespace carom::detection {

namespace {

/// Contacts within objects need all of them; contacts between objects those that have a partner.
void want_objects(PairScope pairs, std::span<const broad::ObjectPair> object_pairs, std::size_t objects,
                  std::vector<std::uint8_t>& wanted) {
  wanted.assign(objects, pairs == PairScope::between ? 0 : 1);
  for (const broad::ObjectPair& pair : object_pairs) {
    wanted[static_cast<std::size_t>(pair.a)] = 1;
    wanted[static_cast<std::size_t>(pair.b)] = 1;
  }
}

}  // namespace

void run(Context& context, const bounds::In& in, const Options& options, Scratch& scratch,
         std::vector<Contact>& contacts, PipelineStats& stats) {
  scratch.excludes.set(options.filters, in.surface, options.distance);
  const broad::ObjectFilter* filter = scratch.excludes.objects();
  const bool tree = mid::is_tree(options.method);

  bounds::run(context, in, {.distance = options.distance, .triangles = !tree}, scratch.bounds, stats[Stage::bounds]);

  broad::run(context, {.objects = scratch.bounds.objects}, {.pairs = options.pairs, .filter = filter}, scratch.broad,
             stats[Stage::broad]);

  if (tree) {
    want_objects(options.pairs, scratch.broad.pairs, scratch.bounds.objects.size(), scratch.object_wanted);
    scratch.bvh.run(context,
                    {.surface = in.surface,
                     .positions = in.positions,
                     .objects = scratch.bounds.objects,
                     .object_wanted = scratch.object_wanted},
                    {.distance = options.distance, .pairs = options.pairs, .volume = mid::volume_of(options.method)},
                    stats[Stage::mid]);
  } else {
    mid::run(context,
             {.surface = in.surface,
              .triangles = scratch.bounds.triangles,
              .objects = scratch.bounds.objects,
              .object_pairs = scratch.broad.pairs},
             {.method = options.method, .pairs = options.pairs, .filter = filter}, scratch.mid, stats[Stage::mid]);
  }

  narrow::run(context,
              {.surface = in.surface,
               .positions = in.positions,
               .pairs = scratch.mid.pairs,
               .bvh = tree ? &scratch.bvh : nullptr},
              {.distance = options.distance, .excludes = &scratch.excludes}, scratch.narrow, contacts,
              stats[Stage::narrow]);
}

}  // namespace carom::detection

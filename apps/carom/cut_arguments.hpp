#pragma once

#include <functional>

namespace CLI {
class App;
}

namespace carom::app {

/// Command `cut`; sets the function to call once the line has been parsed.
void add_cut(CLI::App& app, std::function<int()>& action);

}  // namespace carom::app

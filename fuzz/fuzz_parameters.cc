// Each line of the input is a setting NAME=VALUE: every learner of every task is configured with all of them.
#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "espalier/model/registry.h"

extern "C" int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size) {
  using namespace espalier::model;
  std::string_view text(reinterpret_cast<const char*>(data), size);
  std::vector<std::string> settings;
  while (!text.empty() && settings.size() < 20) {
    const size_t end = text.find('\n');
    settings.emplace_back(text.substr(0, end));
    text.remove_prefix(end == std::string_view::npos ? text.size() : end + 1);
  }
  for (const Task& task : all_tasks())
    for (const std::string_view name : task.learners) {
      const auto learner = find_learner(name);
      if (!learner.ok()) continue;
      const Situation situation{.task = task, .dev = size % 2 == 0};
      (void)(*learner)->check_settings(settings).ok();
      if (const auto made = (*learner)->configure(settings, situation); made.ok()) (void)(*made)->texts();
      for (const std::string& setting : settings) (void)(*learner)->check_settings({&setting, 1}).ok();
    }
  return 0;
}

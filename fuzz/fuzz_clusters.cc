// Reads the input as JSON lines of the task summary, writes summaries of all words and makes search spaces.
#include "espalier/tasks/summary/summary_space.h"
#include "fuzz/read_json_task.h"

extern "C" int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size) {
  using namespace espalier;
  fuzzing::read_json_task(data, size, tasks::JsonTask::kSummary);
  const std::string_view text(reinterpret_cast<const char*>(data), size);
  auto cluster = tasks::parse_cluster(text.substr(0, text.find('\n')), "input");
  if (!cluster.ok()) return 0;
  const auto unit = cluster->parsed() ? tasks::SummaryUnit::kWord : tasks::SummaryUnit::kSentence;
  auto input = tasks::make_summary_input(*cluster, {unit, 5, "english"}, {}, nullptr);
  if (!input.ok()) return 0;
  const tasks::SummaryInstance instance(std::move(*cluster), std::move(*input));
  const tasks::SummarySpace space(instance);
  search::FeatureSink sink;
  for (auto state = space.initial(); !space.is_goal(state);) {
    std::vector<search::Action> actions;
    space.actions(state, actions);
    space.features(state, actions.front().candidate, sink);
    space.advance(state, actions.front());
  }
  return 0;
}

// Opens the input as a summariser, which then summarises two clusters: one of plain sentences, one with
// trees.
#include <string_view>

#include "espalier/tasks/structures/json_tasks.h"
#include "fuzz/try_model.h"

namespace {

constexpr std::string_view kClusters =
    R"({"id":"t","limit":9,"docs":[{"sents":["Ann said go.","Bob, too."]},{"sents":["No one left."]}]})"
    "\n"
    R"({"docs":[{"sents":[{"tokens":["the","man","ate"],"tags":["DET","NOUN","VERB"],"heads":[2,3,0]}]}]})"
    "\n";

void summarise(const std::vector<std::byte>& bytes) {
  using namespace espalier;
  const auto model = model::Model::from_bytes(bytes, "input");
  if (!model.ok()) return;
  data::ReadOptions reading;
  reading.format = data::Format::kJsonLines;
  reading.labels_required = false;
  auto reader = tasks::read_json_task(kClusters, "clusters", tasks::JsonTask::kSummary, reading);
  if (!reader.ok()) return;
  const data::Predictor& predictor = model->predictor();
  const auto scratch = predictor.make_scratch();
  data::Sequence sequence;
  data::Prediction prediction;
  while ((*reader)->next(sequence).value()) {
    (void)predictor.predict(sequence, {}, {}, *scratch, prediction).ok();
    (void)predictor.explain(sequence, *scratch).ok();
  }
  (void)predictor.strongest(5, {}).ok();
  (void)predictor.details();
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size) {
  espalier::fuzzing::with_doctored(data, size, summarise);
  return 0;
}

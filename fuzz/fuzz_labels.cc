// Reads the input as the answers of an expert: labels alone in every layout, and as an n-best list.
#include <cstdint>

#include "espalier/ensemble/experts/expert_stream.h"
#include "espalier/ensemble/experts/label_reader.h"
#include "fuzz/scratch_file.h"

extern "C" int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size) {
  using namespace espalier;
  const std::string path = fuzzing::scratch_file(data, size);
  data::ReadOptions reading;
  (void)ensemble::find_label_layout(path, reading).ok();
  for (const auto layout :
       {ensemble::LabelLayout::kRows, ensemble::LabelLayout::kLines, ensemble::LabelLayout::kJson}) {
    auto reader = ensemble::open_label_reader(path, layout, "utf-8");
    if (!reader.ok()) continue;
    data::Sequence sequence;
    while (true) {
      const auto more = (*reader)->next(sequence);
      if (!more.ok() || !*more) break;
      (void)ensemble::sequence_name(sequence);
    }
  }
  auto expert = ensemble::open_nbest_expert(path, reading, 3);
  if (!expert.ok() || !(*expert)->rewind().ok()) return 0;
  while (true) {
    const auto more = (*expert)->advance();
    if (!more.ok() || !*more) break;
    size_t touched = 0;
    for (size_t w = 0; w < (*expert)->width(); ++w)
      if ((*expert)->speaks(w))
        for (size_t row = 0; row < (*expert)->sequence().length(); ++row)
          touched += (*expert)->label(w, row).size();
    (void)touched;
  }
  return 0;
}

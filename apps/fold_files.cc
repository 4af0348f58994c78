#include "apps/fold_files.h"

#include "espalier/base/atomic_file.h"
#include "espalier/data/folds.h"
#include "espalier/data/formats/writer.h"
#include "espalier/model/registry.h"
#include "espalier/model/task_data.h"

namespace espalier::apps {
namespace {

constexpr int kDefaultFolds = 10;
// Each fold keeps a file open while the data is cut.
constexpr size_t kMostFolds = 200;

}  // namespace

Result<FoldFiles> write_fold_files(const std::vector<std::string>& inputs, std::string_view task,
                                   const data::ReadOptions& reading, std::optional<int> count, uint64_t seed,
                                   const TemporaryDirectory& directory) {
  FoldFiles result;
  result.reading = reading;
  result.reading.folds.clear();
  // What was read is UTF-8 now, unless its bytes were to be left alone.
  if (reading.encoding != "bytes") result.reading.encoding = "utf-8";
  ESPALIER_ASSIGN(const data::Writer writer, data::Writer::make(reading, reading.format));
  ESPALIER_ASSIGN(const model::Task* const about, model::find_task(task));

  std::map<int, AtomicFile> open;
  data::Sequence sequence;
  std::string text;
  size_t index = 0;
  for (const std::string& input : inputs) {
    ESPALIER_ASSIGN(const auto reader, model::open_task_reader(input, task, reading));
    while (true) {
      ESPALIER_ASSIGN(const bool more, reader->next(sequence));
      if (!more) break;
      if (index == 0 && !count) {
        result.own = sequence.fold().has_value();
        if (!result.own) count = kDefaultFolds;
      }
      if (result.own && !sequence.fold())
        return fail("{}:{}: the sequence has no fold, but others have; --k draws new folds for all", input,
                    sequence.line(0));
      const int fold = result.own ? *sequence.fold() : data::fold_of(index, *count, seed);
      ++index;
      auto place = open.find(fold);
      if (place == open.end()) {
        if (open.size() == kMostFolds) return fail("{}: the data has more than {} folds", input, kMostFolds);
        result.files[fold] = directory.path(fmt::format("fold-{}", fold));
        ESPALIER_ASSIGN(AtomicFile file, AtomicFile::open(result.files[fold]));
        place = open.emplace(fold, std::move(file)).first;
      }
      text.clear();
      if (about->json) {
        text.append(tasks::json_line(sequence)).push_back('\n');
      } else {
        ESPALIER_TRY(writer.append_gold(sequence, text));
      }
      ESPALIER_TRY(place->second.write(text));
    }
  }
  for (auto& [fold, file] : open) ESPALIER_TRY(file.commit());
  if (result.files.size() < 2)
    return fail("{}: cross-validation needs sequences in two folds at least, found {} in {}", inputs.front(),
                index, result.files.size());
  return result;
}

}  // namespace espalier::apps

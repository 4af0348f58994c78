#include "espalier/model/pipeline.h"

#include <algorithm>
#include <memory>
#include <mutex>

namespace espalier::model {

namespace {

/// A block is cut by tokens, so that long sequences do not make it large, and holds enough work for every
/// thread.
constexpr size_t kBlockTokens = 1 << 14;
/// Pieces of a block: a piece's sequences are worked on by one thread, one after the other.
constexpr size_t kBlockPieces = 32;

struct Item {
  data::Sequence sequence;
  data::Prediction prediction;
  std::string text;
  Status status;
};

/// Scratch objects are made as threads turn up and kept for the next piece.
class ScratchPool {
 public:
  explicit ScratchPool(const data::Predictor& predictor) : predictor_(predictor) {}
  std::unique_ptr<data::Predictor::Scratch> take() {
    const std::lock_guard lock(mutex_);
    if (free_.empty()) return predictor_.make_scratch();
    auto scratch = std::move(free_.back());
    free_.pop_back();
    return scratch;
  }
  void give_back(std::unique_ptr<data::Predictor::Scratch> scratch) {
    const std::lock_guard lock(mutex_);
    free_.push_back(std::move(scratch));
  }

 private:
  const data::Predictor& predictor_;
  std::mutex mutex_;
  std::vector<std::unique_ptr<data::Predictor::Scratch>> free_;
};

void forced_labels(const data::Sequence& sequence, int column, const data::LabelSet& labels,
                   std::vector<data::Label>& forced) {
  forced.assign(sequence.length(), data::kNoLabel);
  for (size_t row = 0; row < sequence.length(); ++row)
    forced[row] = labels.find(sequence.cell(row, static_cast<size_t>(column))).value_or(data::kNoLabel);
}

/// Predictors and writers know the line of a sequence but not its file: "line 7: …" becomes "new.txt:7: …".
Status with_file(const data::Reader& reader, const Status& status) {
  constexpr std::string_view kLine = "line ";
  if (status.ok() || !status.error().message.starts_with(kLine)) return status;
  return fail("{}:{}", reader.name(), status.error().message.substr(kLine.size()));
}

}  // namespace

Status run_pipeline(data::Reader& reader, const data::Predictor& predictor, const PipelineOptions& options,
                    const Workers& workers, const Monitor& monitor, const PipelineWork& work,
                    const PipelineDone& done) {
  ScratchPool pool(predictor);
  std::vector<std::unique_ptr<Item>> items;  // kept from block to block: their buffers have grown to size
  Progress progress;
  progress.phase = "tagging";
  bool more = true;
  while (more && !monitor.stop_requested()) {
    size_t count = 0, tokens = 0;
    while (tokens < kBlockTokens) {
      if (count == items.size()) items.push_back(std::make_unique<Item>());
      ESPALIER_ASSIGN(more, reader.next(items[count]->sequence));
      if (!more) break;
      const data::Sequence& sequence = items[count]->sequence;
      if (options.forced_column >= 0 && static_cast<size_t>(options.forced_column) >= sequence.columns())
        return fail("{}:{}: there is no column {} to take forced labels from", reader.name(),
                    sequence.line(0), options.forced_column + 1);
      tokens += sequence.length();
      ++count;
    }
    const size_t pieces = std::min(kBlockPieces, count);
    workers.for_each(pieces, [&](size_t piece) {
      auto scratch = pool.take();
      std::vector<data::Label> forced;
      const Range range = piece_of(count, pieces, piece);
      for (size_t i = range.first; i < range.last; ++i) {
        Item& item = *items[i];
        if (options.forced_column >= 0)
          forced_labels(item.sequence, options.forced_column, predictor.labels(), forced);
        item.text.clear();
        if (item.sequence.empty()) {  // a predicate without candidates: nothing to label
          item.prediction = {};
          item.prediction.best.resize(1);
          item.status = {};
        } else {
          item.status = predictor.predict(item.sequence, forced, options.predict, *scratch, item.prediction);
        }
        if (item.status.ok()) work(item.sequence, item.prediction, item.text);
      }
      pool.give_back(std::move(scratch));
    });
    for (size_t i = 0; i < count; ++i) {
      ESPALIER_TRY(with_file(reader, items[i]->status));
      ESPALIER_TRY(with_file(reader, done(items[i]->sequence, items[i]->prediction, items[i]->text)));
    }
    progress.done += static_cast<double>(count);
    monitor.report(progress);
  }
  return {};
}

}  // namespace espalier::model

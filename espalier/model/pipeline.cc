#include "espalier/model/pipeline.h"

#include <algorithm>
#include <memory>
#include <optional>
#include <vector>

#include "espalier/data/formats/lines.h"
#include "espalier/model/scratch_pool.h"

namespace espalier::model {

Status with_file(const data::Reader& reader, const Status& status) {
  constexpr std::string_view kLine = "line ";
  if (status.ok() || !status.error().message.starts_with(kLine)) return status;
  return fail("{}:{}", reader.name(), status.error().message.substr(kLine.size()));
}

namespace {

/// A block is cut by tokens, so that long sequences do not make it large, and holds enough work for every
/// thread.
constexpr size_t kBlockTokens = 1 << 14;
/// Pieces of a block: one thread processes the sequences of a piece in order.
constexpr size_t kBlockPieces = 32;

struct Item {
  data::Sequence sequence;
  data::Prediction prediction;
  std::string text;
  Status status;
};

/// Reads blocks; calls step(item, scratch) for each sequence on any thread, then take(item) in order.
template <typename Step, typename Take>
Status run_blocks(data::Reader& reader, const data::Predictor& predictor, const Workers& workers,
                  const Monitor& monitor, const Step& step, const Take& take,
                  const PipelineOptions& options) {
  ScratchPool pool(predictor);
  std::vector<std::unique_ptr<Item>> items;  // kept from block to block: their buffers have grown to size
  Progress progress;
  progress.phase = "tagging";
  bool more = true;
  Status reading;
  while (more && reading.ok() && !monitor.stop_requested()) {
    std::optional<Error> bad;  // why the sequence after this block cannot be read
    size_t count = 0, tokens = 0;
    while (tokens < kBlockTokens) {
      if (count == items.size()) items.push_back(std::make_unique<Item>());
      const auto next = reader.next(items[count]->sequence);
      if (!next.ok()) {
        // It is reported after what was read before it.
        if (options.on_bad_sequence && reader.recover().ok()) {
          bad = next.error();
        } else {
          reading = next.error();
        }
        break;
      }
      more = *next;
      if (!more) break;
      tokens += items[count]->sequence.length();
      ++count;
      if (reader.would_wait()) break;
    }
    const size_t pieces = std::min(kBlockPieces, count);
    workers.for_each(pieces, [&](size_t piece) {
      auto scratch = pool.take();
      const Range range = piece_of(count, pieces, piece);
      for (size_t i = range.first; i < range.last; ++i) {
        items[i]->text.clear();
        items[i]->status = step(*items[i], *scratch);
      }
      pool.give_back(std::move(scratch));
    });
    for (size_t i = 0; i < count; ++i) {
      if (const Status status = with_file(reader, items[i]->status); !status.ok()) {
        if (!options.on_bad_sequence) return status;
        options.on_bad_sequence(status.error());
        continue;
      }
      ESPALIER_TRY(with_file(reader, take(*items[i])));
    }
    if (bad) options.on_bad_sequence(*bad);
    if (options.block_ended) ESPALIER_TRY(options.block_ended());
    progress.done += static_cast<double>(count);
    monitor.report(progress);
  }
  return reading;
}

/// The labels that a column forces on the rows.
Status forced_labels(const data::Sequence& sequence, size_t column, const data::LabelSet& labels,
                     std::vector<data::Label>& forced) {
  if (sequence.empty()) return {};
  if (column >= sequence.columns())
    return fail("line {}: there is no column {} to take forced labels from", sequence.line(0), column + 1);
  forced.assign(sequence.length(), data::kNoLabel);
  for (size_t row = 0; row < sequence.length(); ++row) {
    const std::string_view cell = sequence.cell(row, column);
    const auto label = labels.find(cell);
    if (!label && !cell.empty() && cell != data::kUnknownLabelText)
      return fail("line {}: the model has no label {} to force; _ lets the model decide", sequence.line(row),
                  data::in_quotes(cell));
    forced[row] = label.value_or(data::kNoLabel);
  }
  return {};
}

}  // namespace

Status run_pipeline(data::Reader& reader, const data::Predictor& predictor, const PipelineOptions& options,
                    const Workers& workers, const Monitor& monitor, const PipelineWork& work,
                    const PipelineDone& done) {
  const auto step = [&](Item& item, data::Predictor::Scratch& scratch) -> Status {
    thread_local std::vector<data::Label> forced;
    forced.clear();
    if (options.forced_column >= 0)
      ESPALIER_TRY(forced_labels(item.sequence, static_cast<size_t>(options.forced_column),
                                 predictor.labels(), forced));
    if (item.sequence.empty()) {  // a predicate without candidates: nothing to label
      item.prediction = {};
      item.prediction.best.resize(1);
    } else {
      if (options.file != nullptr) ESPALIER_TRY(options.file->unchanged());
      thread_local data::Sequence mapped;
      if (options.map != nullptr) ESPALIER_TRY(options.map->apply(item.sequence, mapped));
      ESPALIER_TRY(predictor.predict(options.map != nullptr ? mapped : item.sequence, forced, options.predict,
                                     scratch, item.prediction));
      if (options.file != nullptr) ESPALIER_TRY(options.file->unchanged());
    }
    work(item.sequence, item.prediction, item.text);
    return {};
  };
  const auto take = [&](const Item& item) { return done(item.sequence, item.prediction, item.text); };
  return run_blocks(reader, predictor, workers, monitor, step, take, options);
}

Status run_steps(data::Reader& reader, const data::Predictor& predictor, const Workers& workers,
                 const Monitor& monitor, const PipelineStep& step, const PipelineTake& take) {
  return run_blocks(
      reader, predictor, workers, monitor,
      [&](Item& item, data::Predictor::Scratch& scratch) { return step(item.sequence, scratch, item.text); },
      [&](const Item& item) { return take(item.sequence, item.text); }, PipelineOptions{});
}

}  // namespace espalier::model

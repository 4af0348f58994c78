#include "espalier/model/pipeline.h"

#include <algorithm>
#include <memory>
#include <optional>
#include <thread>
#include <vector>

#include "espalier/base/stop_scope.h"
#include "espalier/data/formats/lines.h"
#include "espalier/model/scratch_pool.h"

namespace espalier::model {

Status with_file(const data::Reader& reader, const Status& status) {
  constexpr std::string_view kLine = "line ";
  if (status.ok() || !status.error().message.starts_with(kLine)) return status;
  return fail("{}:{}", reader.name(), status.error().message.substr(kLine.size()));
}

namespace {

/// A block is cut by tokens, so that long sequences do not make it large. For several threads it holds enough
/// work for each; for one, as little as leaves what was read, its labels and its text in the core's own
/// cache.
constexpr size_t kBlockTokens = 1 << 14, kBlockTokensAlone = 1 << 12;
/// Pieces of a block: one thread processes the sequences of a piece in order.
constexpr size_t kBlockPieces = 32;

struct Item {
  data::Sequence sequence;
  data::Prediction prediction;
  std::string text;
  Status status;
  bool processed = false;  ///< false: the run was stopped before its turn came or ended
};

/// Sequences that are read, processed and passed on together.
struct Block {
  std::vector<std::unique_ptr<Item>> items;  ///< reused: their buffers have grown to size
  size_t count = 0;
  std::optional<Error> bad;  ///< why the sequence after this block cannot be read
  Status reading;            ///< an error after which nothing can be read
  bool more = true;          ///< perhaps; false at the end of the input
  bool full = false;

  bool goes_on() const { return more && reading.ok(); }
};

/// Reads blocks; calls step(item, scratch) for each sequence on any thread, then take(item) in order. Reading
/// and take() are for the calling thread alone: while the others process a block, it passes on the block
/// before and reads the next, then helps.
template <typename Step, typename Take>
class BlockRun {
 public:
  BlockRun(data::Reader& reader, const data::Predictor& predictor, const Workers& workers,
           const Monitor& monitor, const Step& step, const Take& take, const PipelineOptions& options)
      : reader_(reader),
        workers_(workers),
        monitor_(monitor),
        step_(step),
        take_(take),
        options_(options),
        pool_(predictor) {
    progress_.phase = "tagging";
  }

  Status run() {
    Block first, second;
    Block *now = &first, *other = &second;
    bool processed = false;  // the other block, which then waits to be passed on
    if (monitor_.stop_requested()) return {};
    read(*now);
    while (true) {
      bool ahead = false;  // the other block holds what comes next
      Status passed;
      process(*now, [&] {
        if (processed) passed = pass_on(*other);
        ahead = passed.ok() && now->full && now->goes_on() && !reader_.would_wait();
        if (ahead) read(*other);
      });
      ESPALIER_TRY(passed);
      processed = ahead;
      if (ahead && !monitor_.stop_requested()) {
        std::swap(now, other);
        continue;
      }
      ESPALIER_TRY(pass_on(*now));
      if (!now->goes_on()) return now->reading;
      if (ahead || monitor_.stop_requested()) return {};
      read(*now);
    }
  }

 private:
  void read(Block& block) {
    block.count = 0;
    block.bad.reset();
    size_t tokens = 0;
    const size_t wanted = workers_.threads() > 1 ? kBlockTokens : kBlockTokensAlone;
    while (tokens < wanted) {
      if (block.count == block.items.size()) block.items.push_back(std::make_unique<Item>());
      data::Sequence& sequence = block.items[block.count]->sequence;
      const auto next = reader_.next(sequence);
      if (!next.ok()) {
        // It is reported after what was read before it.
        if (options_.on_bad_sequence && reader_.recover().ok()) {
          block.bad = next.error();
        } else {
          block.reading = next.error();
        }
        break;
      }
      block.more = *next;
      if (!block.more) break;
      tokens += sequence.length();
      ++block.count;
      if (reader_.would_wait()) break;
    }
    block.full = tokens >= wanted;
  }

  /// Runs the steps of a block, and once `aside` on the calling thread.
  template <typename Aside>
  void process(Block& block, const Aside& aside) {
    const std::thread::id caller = std::this_thread::get_id();
    bool done = false;
    const auto do_aside = [&] {
      if (done) return;
      done = true;
      aside();
    };
    for (size_t i = 0; i < block.count; ++i) block.items[i]->processed = false;
    const size_t pieces = std::min(kBlockPieces, block.count);
    workers_.for_each(pieces, [&](size_t piece) {
      if (std::this_thread::get_id() == caller) do_aside();
      auto scratch = pool_.take();
      const Range range = piece_of(block.count, pieces, piece);
      for (size_t i = range.first; i < range.last; ++i) {
        Item& item = *block.items[i];
        item.processed = !monitor_.stop_requested();
        if (!item.processed) break;
        item.text.clear();
        const StopScope stop(monitor_);
        item.status = step_(item, *scratch);
        item.processed = !stop.told();
      }
      pool_.give_back(std::move(scratch));
    });
    do_aside();
  }

  /// Hands on what was processed; after a stop, only what comes before the first sequence that was not.
  Status pass_on(const Block& block) {
    size_t passed = 0;
    for (; passed < block.count && block.items[passed]->processed; ++passed) {
      const size_t i = passed;
      if (const Status status = with_file(reader_, block.items[i]->status); !status.ok()) {
        if (!options_.on_bad_sequence) return status;
        options_.on_bad_sequence(status.error());
        continue;
      }
      ESPALIER_TRY(with_file(reader_, take_(*block.items[i])));
    }
    if (block.bad && passed == block.count) options_.on_bad_sequence(*block.bad);
    if (options_.block_ended) ESPALIER_TRY(options_.block_ended());
    progress_.done += static_cast<double>(passed);
    monitor_.report(progress_);
    return {};
  }

  data::Reader& reader_;
  const Workers& workers_;
  const Monitor& monitor_;
  const Step& step_;
  const Take& take_;
  const PipelineOptions& options_;
  ScratchPool pool_;
  Progress progress_;
};

/// The error with the line where the sequence begins, unless it says a line itself.
Error at_line(const data::Sequence& sequence, const Error& error) {
  if (error.message.starts_with("line ")) return error;
  return {fmt::format("line {}: {}", sequence.line(0), error.message)};
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
      const Status found = predictor.predict(options.map != nullptr ? mapped : item.sequence, forced,
                                             options.predict, scratch, item.prediction);
      if (!found.ok()) return at_line(item.sequence, found.error());
      if (options.file != nullptr) ESPALIER_TRY(options.file->unchanged());
    }
    work(item.sequence, item.prediction, item.text);
    return {};
  };
  const auto take = [&](const Item& item) { return done(item.sequence, item.prediction, item.text); };
  return BlockRun(reader, predictor, workers, monitor, step, take, options).run();
}

Status run_steps(data::Reader& reader, const data::Predictor& predictor, const Workers& workers,
                 const Monitor& monitor, const PipelineStep& step, const PipelineTake& take) {
  const auto step_of = [&](Item& item, data::Predictor::Scratch& scratch) {
    return step(item.sequence, scratch, item.text);
  };
  const auto take_of = [&](const Item& item) { return take(item.sequence, item.text); };
  const PipelineOptions none;
  return BlockRun(reader, predictor, workers, monitor, step_of, take_of, none).run();
}

}  // namespace espalier::model

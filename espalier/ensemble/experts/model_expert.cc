#include "espalier/ensemble/experts/model_expert.h"

#include "espalier/model/pipeline.h"

namespace espalier::ensemble {
namespace {

/// Tokens that are labelled at once: as many as the pipeline takes in one block.
constexpr size_t kModelBlockTokens = 1 << 14;

/// What labels as the model does when it is used by itself: under the constraints of its training.
const data::Predictor& labeller(const model::Model& model) { return model.predictor(); }

/// The next sequences of a reader, as if the text ended behind them.
class Portion : public data::Reader {
 public:
  Portion(data::Reader& reader, size_t columns) : reader_(reader), columns_(columns) {}
  Result<bool> next(data::Sequence& sequence) override {
    if (tokens_ >= kModelBlockTokens) return false;
    ESPALIER_ASSIGN(const bool more, reader_.next(sequence));
    if (!more) {
      at_end_ = true;
      return false;
    }
    if (columns_ > 0 && sequence.columns() != columns_ && sequence.columns() + 1 != columns_)
      return fail("{}: rows of {} cells, but the model was trained on rows of {}, label included",
                  reader_.name(), sequence.columns(), columns_);
    tokens_ += sequence.length();
    return true;
  }
  std::string_view name() const override { return reader_.name(); }
  bool at_end() const { return at_end_; }

 private:
  data::Reader& reader_;
  size_t columns_;  ///< that rows must have; 0: any
  size_t tokens_ = 0;
  bool at_end_ = false;
};

class ModelExpert : public ExpertStream {
 public:
  ModelExpert(std::string name, std::shared_ptr<const model::Model> model, data::Source text,
              const data::ReadOptions& reading, size_t n, const Workers& workers)
      : ExpertStream(std::move(name), reading),
        model_(std::move(model)),
        text_(std::move(text)),
        workers_(workers) {
    options_.predict.nbest = n;
    options_.file = &model_->file();
  }
  std::vector<std::string> expert_names() const override {
    return width() == 1 ? std::vector<std::string>{name()} : rank_names(name(), width());
  }
  size_t width() const override { return options_.predict.nbest; }
  Status rewind() override {
    ESPALIER_ASSIGN(reader_, data::open_source(text_, reading()));
    at_ = count_ = 0;
    at_end_ = false;
    return {};
  }
  Result<bool> advance() override {
    if (at_ + 1 < count_) {
      ++at_;
      return true;
    }
    at_ = count_ = 0;
    if (!at_end_) ESPALIER_TRY(label_block());
    return count_ > 0;
  }
  const data::Sequence& sequence() const override { return block_[at_].sequence; }
  std::string_view label(size_t w, size_t row) const override {
    const Labelled& here = block_[at_];
    if (w >= here.labels.size()) return data::kUnknownLabelText;
    return labeller(*model_).labels().name(here.labels[w][row]);
  }
  bool speaks(size_t w) const override { return w < block_[at_].labels.size(); }
  Status ask_probabilities(const std::string&) override {
    if (width() > 1) return fail("{}: probabilities of labels are not supported with n-best lists", name());
    options_.predict.confidence = true;
    return {};
  }
  Result<float> probability(size_t row) const override {
    const Labelled& here = block_[at_];
    if (row >= here.confidence.size())
      return fail("{}: the model gives no probabilities of its labels", name());
    return here.confidence[row];
  }

 private:
  struct Labelled {
    data::Sequence sequence;
    std::vector<std::vector<data::Label>> labels;  ///< by rank
    std::vector<float> confidence;
  };

  Status label_block() {
    const bool memory = text_.in_memory();
    Portion portion(*reader_, memory ? reading().columns : 0);
    const Status status = model::run_pipeline(
        portion, labeller(*model_), options_, workers_, {},
        [](const data::Sequence&, const data::Prediction&, std::string&) {},
        [this](const data::Sequence& sequence, const data::Prediction& prediction,
               std::string_view) -> Status {
          if (count_ == block_.size()) block_.emplace_back();
          Labelled& item = block_[count_++];
          item.sequence = sequence;
          item.labels.clear();
          for (const data::Labelling& labelling : prediction.best) item.labels.push_back(labelling.labels);
          item.confidence = prediction.confidence;
          return {};
        });
    if (!status.ok()) return fail("{}: {}", name(), status.error().message);
    at_end_ = portion.at_end();
    return {};
  }

  std::shared_ptr<const model::Model> model_;
  data::Source text_;
  const Workers& workers_;
  model::PipelineOptions options_;
  std::unique_ptr<data::Reader> reader_;
  std::vector<Labelled> block_;  ///< kept from block to block: their buffers have grown to size
  size_t at_ = 0, count_ = 0;    ///< the sequence it is at, and sequences of the block
  bool at_end_ = false;
};

}  // namespace

Result<std::unique_ptr<ExpertStream>> open_model_expert(const std::string& name,
                                                        std::shared_ptr<const model::Model> model,
                                                        const data::Source& text,
                                                        const std::vector<int>& folds, size_t n,
                                                        const Workers& workers) {
  ESPALIER_CHECK(n > 0 && model != nullptr);
  data::ReadOptions reading = model->about().reading_for_use();
  reading.folds = folds;
  auto stream = std::make_unique<ModelExpert>(name, std::move(model), text, reading, n, workers);
  ESPALIER_TRY(stream->rewind());
  return std::unique_ptr<ExpertStream>(std::move(stream));
}

}  // namespace espalier::ensemble

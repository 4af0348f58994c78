#include "espalier/ensemble/experts/open_experts.h"

#include <filesystem>
#include <fstream>

#include "espalier/ensemble/experts/model_expert.h"

namespace espalier::ensemble {
namespace {

/// Model files begin with these bytes. A pipe is not tested: that would consume its bytes.
bool is_model_file(const std::string& path) {
  std::error_code ignored;
  if (!std::filesystem::is_regular_file(path, ignored)) return false;
  std::ifstream in(path, std::ios::binary);
  std::string magic(8, '\0');
  in.read(magic.data(), 8);
  return in && magic == "ESPALIER";
}

bool is_model(const ExpertSource& expert) {
  return expert.model != nullptr || (expert.memory == nullptr && is_model_file(expert.path));
}

/// How a file of labels alone is laid out, by the option or by its first line.
Result<LabelLayout> layout_of(const std::string& path, const ExpertReading& options,
                              const data::ReadOptions& reading) {
  if (!options.labels_only || reading.format != data::Format::kColumns)
    return find_label_layout(path, reading);
  return *options.labels_only;
}

class ExpertOpener {
 public:
  ExpertOpener(const ExpertReference& reference, const std::vector<ExpertSource>& experts,
               const ExpertReading& reading)
      : reference_(reference), experts_(experts), reading_(reading) {}

  Result<OpenExperts> open(data::LabelSet& labels) {
    out_.workers = std::make_unique<Workers>(reading_.threads);
    ESPALIER_TRY(find_reference());
    std::vector<std::unique_ptr<ExpertStream>> streams;
    for (const ExpertSource& expert : experts_) {
      ESPALIER_ASSIGN(auto stream, open_one(expert));
      streams.push_back(std::move(stream));
    }
    if (!reference_.source) {
      out_.aligned = std::make_unique<AlignedExperts>(std::move(streams), lead_, reading_.missing, labels);
      return std::move(out_);
    }
    ESPALIER_ASSIGN(auto stream,
                    open_expert(*reference_.source, out_.reference_reading, out_.reference_layout));
    out_.aligned = std::make_unique<AlignedExperts>(std::move(stream), std::move(streams), reference_.gold,
                                                    reading_.missing, labels);
    return std::move(out_);
  }

 private:
  data::ReadOptions expert_reading(const std::string& path) const {
    data::ReadOptions reading = reading_.files;
    reading.format = data::format_of_name(path).value_or(reading.format);
    reading.folds.clear();
    if (reading.format != data::Format::kColumns) {
      reading.separator.clear();  // of the other files, which are columns
      reading.comment.clear();
    }
    return reading;
  }

  /// Which stream has the tokens, and how it is read.
  Status find_reference() {
    if (reference_.source) {
      out_.reference_reading = reference_.reading;
      if (!reference_.gold) out_.reference_reading.labels_required = false;
      if (reference_.source->in_memory()) return {};
      const std::string& path = reference_.source->name();
      out_.reference_reading.format = data::format_of_name(path).value_or(out_.reference_reading.format);
      if (out_.reference_reading.format != data::Format::kColumns) {
        out_.reference_reading.separator.clear();
        out_.reference_reading.comment.clear();
      }
      ESPALIER_ASSIGN(out_.reference_layout, layout_of(path, reading_, out_.reference_reading));
      // Text to be labelled may well be a single column: of words.
      if (!reference_.gold && !reading_.labels_only) out_.reference_layout = LabelLayout::kWithTokens;
      return {};
    }
    while (lead_ < experts_.size() && is_model(experts_[lead_])) ++lead_;
    if (lead_ == experts_.size())
      return fail("all experts are models: the text they are to label is missing (--input FILE)");
    if (experts_[lead_].memory != nullptr) {
      out_.reference_layout = LabelLayout::kRows;
      return {};
    }
    out_.reference_reading = expert_reading(experts_[lead_].path);
    ESPALIER_ASSIGN(out_.reference_layout, layout_of(experts_[lead_].path, reading_, out_.reference_reading));
    return {};
  }

  Result<std::unique_ptr<ExpertStream>> open_one(const ExpertSource& expert) {
    if (expert.memory != nullptr) return memory_expert(expert.name, expert.memory);
    if (is_model(expert)) {
      std::shared_ptr<const model::Model> model = expert.model;
      if (model == nullptr) {
        ESPALIER_ASSIGN(model::Model opened, model::Model::open(expert.path));
        model = std::make_shared<const model::Model>(std::move(opened));
      }
      const std::string& name = expert.model != nullptr ? expert.name : expert.path;
      if (!reference_.source && experts_[lead_].memory != nullptr)
        return fail("{}: a model needs the text that it is to label; answers in memory have none", name);
      const data::Source text = reference_.source ? *reference_.source : data::Source(experts_[lead_].path);
      return open_model_expert(name, std::move(model), text, out_.reference_reading.folds, reading_.nbest,
                               *out_.workers);
    }
    const data::ReadOptions reading = expert_reading(expert.path);
    ESPALIER_ASSIGN(const LabelLayout layout, layout_of(expert.path, reading_, reading));
    return reading_.nbest > 1 ? open_nbest_expert(expert.path, reading, reading_.nbest, layout)
                              : open_expert(expert.path, reading, layout);
  }

  const ExpertReference& reference_;
  const std::vector<ExpertSource>& experts_;
  const ExpertReading& reading_;
  OpenExperts out_;
  size_t lead_ = 0;  ///< the expert that is the reference, where there is no other
};

}  // namespace

Result<OpenExperts> open_experts(const ExpertReference& reference, const std::vector<ExpertSource>& experts,
                                 const ExpertReading& reading, data::LabelSet& labels) {
  if (experts.empty()) return fail("there are no experts to combine");
  return ExpertOpener(reference, experts, reading).open(labels);
}

}  // namespace espalier::ensemble

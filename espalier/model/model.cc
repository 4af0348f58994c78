#include "espalier/model/model.h"

#include "espalier/cascade/model/model.h"
#include "espalier/chain/model/model.h"
#include "espalier/constrain/constrained_cascade.h"
#include "espalier/data/refined_predictor.h"
#include "espalier/model/committee/committee.h"
#include "espalier/model/registry.h"
#include "espalier/model/sentence_models.h"
#include "espalier/model/task_data.h"
#include "espalier/tasks/constrained_search.h"
#include "espalier/tasks/search_model.h"
#include "espalier/tasks/structures/bracket_model.h"
#include "espalier/tasks/summary/summary_model.h"
#include "espalier/tasks/trees/constrained_parser.h"
#include "espalier/tasks/trees/tree_model.h"

namespace espalier::model {
namespace {

using Made = std::unique_ptr<data::Predictor>;
using constrain::ConstrainedOptions;
using constrain::Constraints;

}  // namespace

template <typename P>
Result<const P*> Model::load_as() {
  ESPALIER_ASSIGN(data::FeatureExtractor extractor, data::FeatureExtractor::make(about_.features));
  ESPALIER_ASSIGN(auto loaded, P::load(*file_, std::move(extractor)));
  const P* const typed = loaded.get();
  bare_ = std::move(loaded);
  return typed;
}

Status Model::load_predictor() {
  const auto task = find_task(about_.task);
  if (!task.ok()) return fail("{}: section 'about': {}", file_->name(), task.error().message);
  task_ = *task;
  const auto learner = find_learner(about_.learner);
  if (!learner.ok()) return fail("{}: section 'about': {}", file_->name(), learner.error().message);
  switch ((*learner)->traits().kind) {
    case ModelKind::kChain: {
      ESPALIER_ASSIGN(const chain::ChainPredictor* const chain, load_as<chain::ChainPredictor>());
      constrain_ = [chain, instances = instances_of_task(about_.task)](
                       Constraints rules, const ConstrainedOptions& options) -> Result<Made> {
        return Made(
            std::make_unique<constrain::ConstrainedPredictor>(*chain, std::move(rules), options, instances));
      };
      return {};
    }
    case ModelKind::kCascade: {
      ESPALIER_ASSIGN(const cascade::CascadePredictor* const cascade, load_as<cascade::CascadePredictor>());
      constrain_ = [cascade](Constraints rules, const ConstrainedOptions& options) -> Result<Made> {
        if (options.decode.method != constrain::Method::kAuto &&
            options.decode.method != constrain::Method::kLattice)
          return fail(
              "a cascade is decoded on the lattice that its filters leave, not by a beam or an integer "
              "program");
        ESPALIER_ASSIGN(auto made,
                        constrain::ConstrainedCascade::make(*cascade, std::move(rules), options.why,
                                                            options.strict, options.decode.seconds));
        return Made(std::move(made));
      };
      return {};
    }
    case ModelKind::kSearch: {
      if (task_->kind == TaskKind::kParse) {
        ESPALIER_ASSIGN(parser_, load_as<tasks::TreePredictor>());
        return {};
      }
      if (task_->kind == TaskKind::kSummary) {
        ESPALIER_ASSIGN(auto summary, tasks::SummaryPredictor::load(*file_));
        ESPALIER_ASSIGN(const auto sentences, SentenceModels::load(*file_));
        if (sentences)
          summary->set_annotator(
              [sentences](tasks::Cluster& cluster) { return sentences->annotate(cluster); });
        bare_ = std::move(summary);
        return {};
      }
      ESPALIER_ASSIGN(const tasks::SearchPredictor* const search, load_as<tasks::SearchPredictor>());
      constrain_ = [search](Constraints rules, const ConstrainedOptions& options) -> Result<Made> {
        ESPALIER_ASSIGN(auto made, tasks::ConstrainedSearch::make(*search, std::move(rules), options.why,
                                                                  options.strict, options.decode.seconds));
        return Made(std::move(made));
      };
      return {};
    }
    case ModelKind::kBrackets: {
      ESPALIER_ASSIGN(const tasks::BracketPredictor* const brackets, load_as<tasks::BracketPredictor>());
      ESPALIER_CHECK(brackets != nullptr);
      return {};
    }
    case ModelKind::kCommittee: {
      ESPALIER_ASSIGN(auto loaded, CommitteePredictor::load(*file_));
      constrain_ = [committee = loaded.get(), instances = instances_of_task(about_.task)](
                       Constraints rules, const ConstrainedOptions& options) -> Result<Made> {
        return committee->under(std::move(rules), options, instances);
      };
      bare_ = std::move(loaded);
      return {};
    }
  }
  return fail("{}: this kind of model is not supported", file_->name());
}

data::Scheme Model::scheme() const {
  if (const auto* chain = as<chain::ChainPredictor>()) return chain->scheme();
  if (const auto* cascade = as<cascade::CascadePredictor>()) return cascade->scheme();
  if (const auto* search = as<tasks::SearchPredictor>()) return search->plan().scheme;
  if (const auto* committee = as<CommitteePredictor>()) return committee->scheme();
  return data::Scheme::kNone;
}

namespace {

/// An error if the constraints forbid how segments begin, or end, in the data that a model learned from:
/// under `valid iob1`, B- is legal only after a segment of the same type, and a model of iob2 would answer
/// nonsense; under `valid iob2`, so would a model of iob1, in which I- begins most segments.
Status check_scheme(const Constraints& constraints, const std::string& file, data::Scheme own) {
  using enum data::Scheme;
  const auto same_letters = [](data::Scheme a, data::Scheme b, data::Scheme asked, data::Scheme learned) {
    return (asked == a && learned == b) || (asked == b && learned == a);
  };
  for (const constrain::Statement& s : constraints.statements())
    if (s.verb == constrain::Verb::kValid &&
        (same_letters(kIob1, kIob2, s.scheme, own) || same_letters(kIoe1, kIoe2, s.scheme, own)))
      return fail("{}:{}: 'valid {}', but the labels that the model learned are {}: say 'valid {}'", file,
                  s.place.line, data::scheme_name(s.scheme), data::scheme_name(own), data::scheme_name(own));
  return {};
}

}  // namespace

Result<Made> Model::under(const ConstraintFile& constraints, const ConstrainedOptions& options) const {
  if (parser_ != nullptr) return tree_rules(constraints, options);
  if (task_->kind == TaskKind::kSummary) return fail("a summariser does not support constraints");
  if (!constrain_)
    return fail("task {} prevents overlaps itself and does not support constraints", about_.task);
  ESPALIER_ASSIGN(Constraints resolved, constraints.resolve(about_, inner_labels()));
  ESPALIER_TRY(check_scheme(resolved, constraints.name, scheme()));
  ESPALIER_ASSIGN(Made made, constrain_(std::move(resolved), options));
  if (!inner_labels().refined()) return made;
  return Made(std::make_unique<data::RefinedPredictor>(std::move(made)));
}

Result<Made> Model::tree_rules(const ConstraintFile& constraints, const ConstrainedOptions& options) const {
  if (options.why) return fail("why a constraint changed a tree is not known; leave out --why");
  const tasks::TreeSettings& settings = parser_->settings();
  ESPALIER_ASSIGN(
      tasks::TreeRules rules,
      tasks::TreeRules::resolve(constraints.text, constraints.name, labels(), settings.root,
                                settings.columns.cell[static_cast<size_t>(tasks::TreeField::kTag)],
                                about_.reading.columns));
  ESPALIER_ASSIGN(auto made, tasks::ConstrainedParser::make(*parser_, std::move(rules), options.strict));
  return Made(std::move(made));
}

Result<Model> Model::open(const std::string& path) { return open(path, path); }

Result<Model> Model::open(const std::string& path, std::string name) {
  ESPALIER_ASSIGN(SectionFile file, SectionFile::open(path, std::move(name)));
  return make(std::move(file));
}

Result<Model> Model::from_bytes(const std::vector<std::byte>& bytes, std::string name) {
  ESPALIER_ASSIGN(SectionFile file, SectionFile::from_bytes(bytes, std::move(name)));
  return make(std::move(file));
}

Result<Model> Model::from_view(std::span<const std::byte> bytes, std::string name) {
  ESPALIER_ASSIGN(SectionFile file, SectionFile::from_view(bytes, std::move(name)));
  return make(std::move(file));
}

Result<Model> Model::make(SectionFile file) {
  Model model;
  model.file_ = std::make_unique<SectionFile>(std::move(file));
  if (!model.file_->has("about") && model.file_->has("ensemble"))
    return fail("{}: this is an ensemble, which combines the labels of others: use `espalier ensemble apply`",
                model.file_->name());
  if (model.file_->has("search-policy"))
    return fail(
        "{}: this is the policy of a search task, not a model that labels sequences; Policy::open reads it",
        model.file_->name());
  ESPALIER_ASSIGN(const std::string_view text, model.file_->text("about"));
  ESPALIER_ASSIGN(model.about_, header_from_json(text, model.file_->name()));
  ESPALIER_TRY(model.load_predictor());
  if (model.bare_->labels().refined()) model.plain_ = std::make_unique<data::RefinedPredictor>(*model.bare_);
  if (model.file_->has(kConstraintSection)) {
    ESPALIER_ASSIGN(const std::string_view rules, model.file_->text(kConstraintSection));
    ESPALIER_ASSIGN(model.constraints_, ConstraintFile::from_json(rules, model.file_->name()));
    ESPALIER_ASSIGN(model.constrained_, model.under(*model.constraints_, {}));
  }
  return model;
}

SectionWriter without_names(const SectionFile& file) {
  SectionWriter out;
  for (const SectionFile::Entry& entry : file.entries())
    if (!entry.name.ends_with(".names") && !entry.name.ends_with(".hashes")) out.add(entry.name, entry.bytes);
  return out;
}

}  // namespace espalier::model

// Committees: several learners, whose probabilities are averaged. Tested in
// espalier/model/committee/committee_test.cc and learner_test.cc.
#include "espalier/model/committee/committee.h"
#include "espalier/base/text/format.h"

#include <map>

#include "espalier/base/text/counted.h"
#include "espalier/data/folds.h"
#include "espalier/model/committee/member_choice.h"
#include "espalier/model/learners/learners.h"
#include "espalier/model/training/training_job.h"

namespace espalier::model {

namespace {

struct CommitteeOptions : CommonOptions {
  std::optional<std::vector<MemberChoice>> members;
  std::string members_text = "auto";
  CommitteeSize size = CommitteeSize::kFull;
  int folds = 10;
  double time_budget = 0;
};

using Sequences = std::vector<data::Sequence>;

class CommitteeTraining {
 public:
  CommitteeTraining(TrainingJob& job, const CommitteeOptions& options)
      : job_(job),
        options_(options),
        all_(std::make_shared<const Sequences>(std::move(job.sequences))),
        dev_(std::make_shared<const Sequences>(std::move(job.dev.sequences))),
        members_(options.members ? *options.members
                                 : default_members(options.size,
                                                   committee_data(*all_, has_words(job), has_segments(job)))),
        names_(names_of(members_)) {
    job.dev.sequences.clear();  // for the members; the committee itself has no rounds to score
  }

  Status run() {
    if (all_->size() < 2 * static_cast<size_t>(options_.folds))
      return fail("{}: {}, too few for a committee, of which one of {} parts is held out",
                  job_.request.train.front().name(), counted(all_->size(), "sequence"), options_.folds);
    ESPALIER_ASSIGN(resumed_, job_.checkpoint_to_resume());
    ESPALIER_TRY(train_members());
    std::vector<double> weights;
    auto means = std::make_shared<Sequences>();
    ESPALIER_TRY(learn_from_held_out(weights, *means));
    ESPALIER_ASSIGN(const std::vector<std::byte> chain, train_decider(std::move(means)));
    leave_out_unheard(weights);
    SectionWriter out;
    save_committee(finished_, weights, job_.scheme.scheme(), chain, out);
    ESPALIER_TRY(job_.save(out));
    job_.report.features = job_.saved->bare().size().features;
    job_.report.weights = job_.saved->bare().size().weights;
    job_.report.details = job_.saved->bare().details();
    job_.drop_checkpoint();
    return {};
  }

 private:
  size_t most_parts() const { return 2 * members_.size(); }

  static bool has_words(const TrainingJob& job) { return !job.about.features.attributes; }
  static bool has_segments(const TrainingJob& job) { return job.scheme.scheme() != data::Scheme::kNone; }

  /// A request like that of the user, on other data.
  TrainRequest request_for(std::shared_ptr<const Sequences> data) const {
    TrainRequest request;
    request.train.emplace_back(std::move(data), job_.request.train.front().name());
    request.reading = job_.request.reading;
    request.reading.folds.clear();
    request.seed = job_.request.seed;
    request.threads = job_.request.threads;
    return request;
  }

  Status check_not_stopped() const {
    if (!job_.monitor.stop_requested()) return {};
    return fail(
        "stopped before the committee was complete, and there is no model; with --checkpoint-every 1, "
        "--resume "
        "continues with the members that are finished");
  }

  /// A model to be trained. The request is made by whoever trains it.
  struct Part {
    std::string what;
    std::function<Result<TrainRequest>()> request;
  };

  /// Trains models, each rank some of them, and remembers them if there are checkpoints, or takes them from
  /// one. Every rank gets all of them.
  Result<std::vector<std::vector<std::byte>>> train_parts(const std::vector<Part>& parts) {
    std::vector<std::vector<std::byte>> models;
    while (models.size() < parts.size()) {
      std::vector<size_t> missing;  // of those that come next, as many as there are ranks
      size_t next = models.size();
      for (; next < parts.size() && missing.size() < job_.team.size(); ++next)
        if (!resumed_part(part_ + next - models.size() + 1)) missing.push_back(next);
      std::vector<std::byte> mine;
      Status status;
      if (job_.team.rank() < missing.size()) {
        const size_t one = missing[job_.team.rank()];
        auto trained = train_part(parts[one], part_ + one - models.size() + 1);
        if (trained.ok()) mine = std::move(trained).value();
        if (!trained.ok()) status = trained.error();
      }
      ESPALIER_TRY(job_.team.agree(status, job_.team.rank()));
      const Gathered<std::byte> made = job_.team.gather(mine);
      size_t rank = 0;
      while (models.size() < next) {
        const auto found = resumed_part(part_ + 1);
        const std::span<const std::byte> bytes = found ? *found : made[rank++];
        models.emplace_back(bytes.begin(), bytes.end());
        ESPALIER_TRY(part_ended(models.back(), !found));
      }
    }
    return models;
  }

  /// A part, counted from 1, that the checkpoint has.
  std::optional<std::span<const std::byte>> resumed_part(size_t number) const {
    const std::string section = fmt::format("part{}", number);
    if (!resumed_ || !resumed_->has(section)) return std::nullopt;
    return resumed_->section(section).value();
  }

  Result<std::vector<std::byte>> train_part(const Part& part, size_t number) {
    Monitor monitor = job_.monitor;
    monitor.on_progress = [&](const Progress& theirs) {
      Progress own = theirs;
      own.phase = fmt::format("{} ({} of {}): {}", part.what, number, most_parts() + 1, theirs.phase);
      own.round_ended = false;  // a round of the committee is a member
      job_.monitor.report(own);
    };
    ESPALIER_ASSIGN(const TrainRequest request, part.request());
    const auto trained = train(request, monitor);
    ESPALIER_TRY(check_not_stopped());
    if (!trained.ok()) return fail("{}: {}", part.what, trained.error().message);
    return bytes_of(trained->model);
  }

  Status part_ended(const std::vector<std::byte>& model, bool fresh) {
    ++part_;
    if (!fresh || job_.request.checkpoint_every > 0) done_.push_back(model);
    if (!fresh) return {};
    RoundEnd round;
    round.number = static_cast<int>(part_);
    round.most = static_cast<int>(most_parts()) + 1;
    round.save = [&](SectionWriter& out) {
      for (size_t p = 0; p < done_.size(); ++p) out.add(fmt::format("part{}", p + 1), done_[p]);
    };
    job_.round_ended(round, round.most, [] { return Result<double>(0.0); });
    ESPALIER_TRY(job_.ended(Result<bool>(true)));
    return {};
  }

  Part member_part(size_t member, const std::shared_ptr<const Sequences>& data, std::string what) {
    return {std::move(what), [this, member, data] { return member_request(member, data); }};
  }

  Result<TrainRequest> member_request(size_t member, const std::shared_ptr<const Sequences>& data) {
    TrainRequest request = request_for(data);
    if (!dev_->empty()) {
      request.dev.emplace_back(dev_, job_.request.dev.front().name());
      request.dev_reading = request.reading;
    }
    request.seed += member;  // learners that occur twice are to differ
    request.word_labels = true;
    request.task = members_[member].task;
    request.learner = members_[member].learner;
    request.settings = members_[member].settings;
    if (!options_.names) request.settings.emplace_back("names=no");
    request.feature_text = job_.request.feature_text;
    request.feature_columns = job_.request.feature_columns;
    request.word_lists = job_.request.word_lists;
    ESPALIER_TRY(add_classes(member, *data, request));
    return request;
  }

  /// Word classes for the features of a member, from the text that it learns from.
  Status add_classes(size_t member, const Sequences& data, TrainRequest& request) {
    const size_t classes = members_[member].classes;
    if (classes == 0) return {};
    if (!has_words(job_))
      return fail("parameter members: classes={}: the data has attributes instead of words", classes);
    const auto [at, is_new] = classes_.try_emplace({&data, classes});
    if (is_new) {
      at->second = classes_from_text(data, job_.about.features.feature_columns.front(), classes, job_.workers,
                                     job_.monitor);
      ESPALIER_TRY(check_not_stopped());
    }
    if (at->second) request.word_lists.push_back(*at->second);
    return {};
  }

  /// Members on all the data. With a time budget, only those that leave enough time for the second training.
  Status train_members() {
    if (options_.time_budget == 0) {
      std::vector<Part> parts;
      for (size_t m = 0; m < members_.size(); ++m) parts.push_back(member_part(m, all_, names_[m]));
      ESPALIER_ASSIGN(std::vector<std::vector<std::byte>> models, train_parts(parts));
      for (size_t m = 0; m < models.size(); ++m) finished_.push_back({names_[m], std::move(models[m])});
      return {};
    }
    for (size_t m = 0; m < members_.size(); ++m) {
      ESPALIER_ASSIGN(auto models, train_parts({member_part(m, all_, names_[m])}));
      finished_.push_back({names_[m], std::move(models.front())});
      // The second training has (folds − 1)/folds of the data.
      const double expected = job_.seconds() * (2 - 1.0 / options_.folds) * static_cast<double>(m + 2) /
                              static_cast<double>(m + 1);
      if (m < 1 || m + 1 == members_.size() || expected <= options_.time_budget) continue;
      job_.warn(fmt::format("the time budget of {:g} s is enough for {} of {} members: {}",
                            options_.time_budget, m + 1, members_.size(),
                            joined(std::span(names_).first(m + 1), ", ")));
      members_.resize(m + 1);
      names_.resize(m + 1);
    }
    return {};
  }

  /// Members that nobody listens to are not stored.
  void leave_out_unheard(std::vector<double>& weights) {
    size_t kept = 0;
    for (size_t m = 0; m < weights.size(); ++m) {
      if (weights[m] == 0) continue;
      weights[kept] = weights[m];
      if (kept != m) finished_[kept] = std::move(finished_[m]);
      ++kept;
    }
    weights.resize(kept);
    finished_.resize(kept);
  }

  /// All labels of the training data, by first appearance.
  data::LabelSet all_labels() const {
    data::LabelSet labels;
    for (const data::Sequence& sequence : *all_)
      for (size_t t = 0; t < sequence.length(); ++t)
        if (sequence.label(t) != data::kUnknownLabelText) labels.add(sequence.label(t));
    return labels;
  }

  /// Adds a sequence with a label that those before lack. The chain has to know every label.
  static bool has_new_label(const data::Sequence& sequence, data::LabelSet& known) {
    const size_t before = known.size();
    for (size_t t = 0; t < sequence.length(); ++t)
      if (sequence.label(t) != data::kUnknownLabelText) known.add(sequence.label(t));
    return known.size() > before;
  }

  /// Trains members without a part of the data and asks them about it: how far to trust each of them, and the
  /// mean probabilities, from which the chain learns. Sequences with labels that this part lacks are added to
  /// it after that.
  Status learn_from_held_out(std::vector<double>& weights, Sequences& means) {
    auto rest = std::make_shared<Sequences>();
    std::vector<const data::Sequence*> asked;
    data::LabelSet known;
    for (size_t s = 0; s < all_->size(); ++s) {
      if (data::fold_of(s, options_.folds, job_.request.seed) == 0) {
        asked.push_back(&(*all_)[s]);
        has_new_label((*all_)[s], known);
      } else {
        rest->push_back((*all_)[s]);
      }
    }
    const size_t held_out = asked.size();
    for (size_t s = 0; s < all_->size(); ++s)
      if (data::fold_of(s, options_.folds, job_.request.seed) != 0 && has_new_label((*all_)[s], known))
        asked.push_back(&(*all_)[s]);
    std::vector<Part> parts;
    for (size_t m = 0; m < members_.size(); ++m)
      parts.push_back(member_part(m, rest, fmt::format("{}, without the part held out", names_[m])));
    ESPALIER_ASSIGN(std::vector<std::vector<std::byte>> trained, train_parts(parts));
    std::vector<Model> models;
    for (size_t m = 0; m < members_.size(); ++m) {
      ESPALIER_ASSIGN(Model model, Model::from_bytes(trained[m], names_[m]));
      trained[m] = {};
      models.push_back(std::move(model));
    }
    std::vector<Members::Member> members;
    for (size_t m = 0; m < models.size(); ++m) members.push_back({names_[m], &models[m]});
    const Members committee(std::move(members), all_labels(), job_.scheme.scheme());
    std::vector<std::vector<Opinion>> said(asked.size());
    ESPALIER_TRY(in_pieces(asked.size(), [&] {
      return [&, scratch = std::make_shared<Members::Scratch>(committee.make_scratch())](size_t s) {
        return committee.ask(*asked[s], *scratch, said[s]);
      };
    }));
    weights = learn_weights(committee, std::span(asked).first(held_out), std::span(said).first(held_out),
                            job_.workers);
    means.resize(asked.size());
    return in_pieces(asked.size(), [&] {
      return [&, pooled = std::make_shared<Pooled>()](size_t s) {
        committee.pool(said[s], weights, asked[s]->length(), *pooled);
        committee.describe(*asked[s], *pooled, false, means[s]);
        return Status();
      };
    });
  }

  /// Does something for each of n things, on all threads. `make` makes what does it for one thread.
  template <typename Make>
  Status in_pieces(size_t n, Make make) {
    constexpr size_t kPieces = 16;
    std::vector<Status> troubles(kPieces);
    job_.workers.for_each(kPieces, [&](size_t piece) {
      const auto act = make();
      const Range range = piece_of(n, kPieces, piece);
      for (size_t i = range.first; i < range.last && troubles[piece].ok(); ++i) troubles[piece] = act(i);
    });
    for (const Status& trouble : troubles) ESPALIER_TRY(trouble);
    return {};
  }

  Result<std::vector<std::byte>> train_decider(std::shared_ptr<const Sequences> means) {
    TrainRequest request = request_for(std::move(means));
    request.reading = {};
    request.reading.format = data::Format::kCrfsuite;
    request.learner = "crf";
    request.settings = {"scheme=data"};
    ESPALIER_ASSIGN(
        auto models,
        train_parts({{"a chain over their probabilities", [&] { return Result<TrainRequest>(request); }}}));
    return std::move(models.front());
  }

  TrainingJob& job_;
  const CommitteeOptions& options_;
  std::shared_ptr<const Sequences> all_, dev_;
  std::vector<MemberChoice> members_;
  std::vector<std::string> names_;
  std::optional<SectionFile> resumed_;
  std::vector<CommitteeMember> finished_;
  /// Of the data and the number of classes: the classes of its words, if there are any.
  std::map<std::pair<const Sequences*, size_t>, std::optional<data::WordList>> classes_;
  size_t part_ = 0;
  std::vector<std::vector<std::byte>> done_;
};

}  // namespace

std::unique_ptr<const LearnerSpec> committee_learner() {
  using O = CommitteeOptions;
  ParameterTable<O> table;
  table.add(
      "members", "text",
      "the learners, as LEARNER:NAME=VALUE:…,LEARNER,… with their parameters, task=segment among them, and "
      "classes=N (features from N classes of words, made from the training text); auto: as size says",
      Audience::kBasic,
      [](O& options, std::string_view text) -> Status {
        options.members.reset();
        options.members_text = text;
        if (text == "auto") return {};
        ESPALIER_ASSIGN(options.members, parse_members(text));
        return {};
      },
      [](const O& options) { return options.members_text; });
  table.choice(
      "size", &O::size, {{"small", CommitteeSize::kSmall}, {"full", CommitteeSize::kFull}},
      "small: cascade and svm; full: also a crf and two more cascades, of which names (segments, where most "
      "tokens are O) have laso-br for one");
  table.whole("folds", &O::folds, {2, 100},
              "each member is also trained without one of so many parts of the data, to learn whom to trust");
  table.number("time-budget", &O::time_budget, {0, 1e9},
               "seconds: leave out the last members if training would take longer; 0: no limit");
  table.flag("names", &O::names, "keep feature names in the members, for inspect and explain");
  table.clash(
      [](const O& o, const Situation& situation) { return o.members && situation.given.contains("size"); },
      "members and size: size chooses the members that are not named");
  table.clash([](const O& o, const Situation& situation) { return o.time_budget > 0 && situation.ranks; },
              "time-budget is for one machine: ranks would come to different ends");
  table.require([](const O& o, const Situation& situation) -> Status {
    return o.members ? check_members(*o.members, o.names, situation.dev) : Status();
  });
  return make_learner<O>(
      {.name = "committee",
       .summary =
           "several learners, whose probabilities are averaged; on data held out it learns whom to trust",
       .kind = ModelKind::kCommittee,
       .starts_from_models = false,
       .shares_parts = true},
      std::move(table),
      {.train = [](TrainingJob& job, const O& options) { return CommitteeTraining(job, options).run(); },
       .needs = [](const O&, const Situation&) { return DataNeeds{.features = false, .text = true}; }});
}

}  // namespace espalier::model

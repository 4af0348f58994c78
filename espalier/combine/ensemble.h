// The inside of a public Ensemble: the learned model, its description, and a pool of scratch objects so that
// many threads can use it.
//
// open_public_experts turns public experts and options into streams (ensemble/experts/open_experts.h).
#pragma once

#include <memory>
#include <mutex>
#include <string>
#include <vector>

#include "espalier/ensemble/apply.h"
#include "espalier/ensemble/experts/open_experts.h"
#include "espalier/ensemble/learn_from_experts.h"
#include "espalier/ensemble/report.h"
#include "espalier/public/ensemble.h"

namespace espalier {

/// Exactly one of the three is set.
struct Expert::State {
  std::string path;
  std::shared_ptr<const ensemble::MemoryAnswers> memory;
  std::vector<std::byte> model;
  std::string name;  ///< of a model, or of answers; empty: numbered
};

struct Ensemble::State {
  ensemble::EnsembleModel model;
  EnsembleInfo info;
  EnsembleLearning learning;
  std::string name = "ensemble";  ///< for errors: the file it came from

  /// An Applier for combine(), from the pool or a new one. One that has learned labels unknown to the model
  /// is not put back, so that a result never depends on earlier calls.
  std::unique_ptr<ensemble::Applier> take() const;
  void put_back(std::unique_ptr<ensemble::Applier> applier) const;

 private:
  mutable std::mutex mutex_;
  mutable std::vector<std::unique_ptr<ensemble::Applier>> pool_;
};

struct EnsembleBuilder {
  static Ensemble make(ensemble::EnsembleModel model, EnsembleLearning learning, std::string name);
};

namespace api {

/// Public options as options of the library; an error if they are wrong for any data.
Result<ensemble::ExpertLearning> learning_of(const EnsembleOptions& options);

/// How experts are read, for learning, applying and reporting.
struct PublicExpertReading {
  const ExpertFiles& files;
  const std::string& missing;
  int threads = 0;
};
/// `reference` null: the tokens are those of the first expert that is not a model. `labels` must outlive the
/// streams.
Result<ensemble::OpenExperts> open_public_experts(const Data* reference, bool gold,
                                                  const std::vector<Expert>& experts,
                                                  const PublicExpertReading& reading, data::LabelSet& labels);

EnsembleReport public_report(const ensemble::EnsembleReport& report,
                             const std::vector<ensemble::BoundLine>& bounds, const data::LabelSet& labels);

}  // namespace api
}  // namespace espalier

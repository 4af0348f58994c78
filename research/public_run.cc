#include "research/public_run.h"

#include <algorithm>
#include <numeric>

#include "espalier/base/files/input.h"

namespace espalier::research {

Learner learner_with(const std::string& name, const std::vector<std::string>& settings) {
  Learner learner(name);
  for (const std::string& setting : settings) {
    const size_t equals = setting.find('=');
    ESPALIER_CHECK(equals != std::string::npos);
    learner.settings.emplace_back(setting.substr(0, equals), setting.substr(equals + 1));
  }
  return learner;
}

Result<TrainOptions> train_options(const Request& request, Learner learner,
                                   const std::string& template_file) {
  TrainOptions options;
  options.learner = std::move(learner);
  options.seed = request.seed;
  options.threads = request.threads;
  options.stop = request.monitor.stop;
  if (!template_file.empty()) {
    ESPALIER_ASSIGN(options.feature_template, read_text_file(template_file));
    options.template_name = template_file;
  }
  return options;
}

Result<Data> first_of(const std::string& file, const ReadOptions& reading, size_t most) {
  if (most == 0) return Data(Files{{file}, reading});
  ESPALIER_ASSIGN(const Corpus all, Corpus::read(file, reading));
  std::vector<size_t> numbers(std::min(most, all.size()));
  std::iota(numbers.begin(), numbers.end(), size_t{0});
  return Data(all.subset(numbers));
}

Result<Training> train_on(const Data& data, const TrainOptions& options) {
  ESPALIER_ASSIGN(Training training, train_with_report(data, options));
  if (training.interrupted) return fail("stopped");
  return training;
}

std::string fold_list(const std::vector<int>& folds) { return fmt::format("{}", fmt::join(folds, ",")); }

}  // namespace espalier::research

#include "espalier/cascade/training/checkpoint.h"

#include <array>

namespace espalier::cascade {

namespace {
constexpr size_t kSmallNumbers = kQuantiles + QuantileCuts().size() + 2;
constexpr size_t kReportNumbers = 11;
}  // namespace

void save_weights(const LevelWeights& weights, std::string_view prefix, SectionWriter& out) {
  out.add_array(fmt::format("{}.state", prefix), weights.state);
  out.add_array(fmt::format("{}.gram", prefix), weights.gram);
  out.add_array(fmt::format("{}.edge", prefix), weights.edge);
  std::vector<double> small(weights.quantile.begin(), weights.quantile.end());
  small.insert(small.end(), weights.cuts.begin(), weights.cuts.end());
  small.push_back(weights.prior.regret);
  small.push_back(weights.prior.positions);
  out.add_array(fmt::format("{}.small", prefix), small);
}

Status load_weights(const SectionFile& file, std::string_view prefix, LevelWeights& weights) {
  ESPALIER_TRY(load_into(file, fmt::format("{}.state", prefix), weights.state));
  ESPALIER_TRY(load_into(file, fmt::format("{}.gram", prefix), weights.gram));
  ESPALIER_TRY(load_into(file, fmt::format("{}.edge", prefix), weights.edge));
  std::array<double, kSmallNumbers> small{};
  ESPALIER_TRY(load_into(file, fmt::format("{}.small", prefix), small));
  size_t next = 0;
  for (float& x : weights.quantile) x = static_cast<float>(small[next++]);
  for (float& x : weights.cuts) x = static_cast<float>(small[next++]);
  weights.prior.regret = small[next++];
  weights.prior.positions = small[next];
  return {};
}

void save_report(const LevelReport& report, std::string_view prefix, SectionWriter& out) {
  const std::array<double, kReportNumbers> numbers = {static_cast<double>(report.order),
                                                      report.states,
                                                      report.arcs,
                                                      report.alive,
                                                      report.alpha,
                                                      report.train_alpha,
                                                      report.lattice_alpha,
                                                      report.filter_loss,
                                                      report.efficiency,
                                                      static_cast<double>(report.passes),
                                                      report.seconds};
  out.add_array(fmt::format("{}.report", prefix), numbers);
}

Result<LevelReport> load_report(const SectionFile& file, std::string_view prefix) {
  std::array<double, kReportNumbers> n{};
  ESPALIER_TRY(load_into(file, fmt::format("{}.report", prefix), n));
  LevelReport report;
  report.order = static_cast<size_t>(n[0]);
  report.states = n[1];
  report.arcs = n[2];
  report.alive = n[3];
  report.alpha = n[4];
  report.train_alpha = n[5];
  report.lattice_alpha = n[6];
  report.filter_loss = n[7];
  report.efficiency = n[8];
  report.passes = static_cast<int>(n[9]);
  report.seconds = n[10];
  return report;
}

}  // namespace espalier::cascade

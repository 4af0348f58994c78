// Saving and opening parsers. Tested in tree_training_test.cc.
#include "espalier/tasks/trees/tree_model.h"

#include <nlohmann/json.hpp>
#include <set>

#include "espalier/base/text/json_as.h"

namespace espalier::tasks {

void save_tree_model(const TreeSettings& settings, const TreeTables& tables, SectionWriter& out) {
  Json about = {{"swap", settings.swap},
                {"relations", settings.relations},
                {"allowed", settings.allowed},
                {"root", settings.root},
                {"template_name", settings.template_name},
                {"skip_missing", settings.skip_missing},
                {"beam", settings.beam},
                {"best_first", settings.best_first},
                {"levels", settings.levels},
                {"sharpness", settings.sharpness}};
  auto& knots = about["calibration"] = Json::array();
  for (const auto& knot : settings.calibration.knots()) knots.push_back({knot.score, knot.right});
  auto& fields = about["columns"] = Json::object();
  for (size_t f = 0; f < kTreeFields; ++f)
    if (settings.columns.cell[f])
      fields[std::string(tree_field_name(static_cast<TreeField>(f)))] = *settings.columns.cell[f];
  out.add_text("tree", json_text(about));
  out.add_text("tree.templates", settings.templates);
  tables.save(out);
}

namespace {

/// The settings of a file, every field checked.
Result<TreeSettings> read_settings(const SectionFile& file) {
  ESPALIER_ASSIGN(const std::string_view text, file.text("tree"));
  ESPALIER_ASSIGN(const std::string_view templates, file.text("tree.templates"));
  const auto damaged = [&](std::string_view what) {
    return fail("{}: section 'tree': {}", file.name(), what);
  };
  const Json about = try_parse_json(text);
  TreeSettings out;
  out.templates = templates;
  try {
    out.swap = about.at("swap").get<bool>();
    out.relations = about.at("relations").get<std::vector<std::string>>();
    out.allowed = about.at("allowed").get<std::vector<data::Label>>();
    out.root = json_as<data::Label>(about.at("root"));
    out.template_name = about.at("template_name").get<std::string>();
    out.skip_missing = about.at("skip_missing").get<bool>();
    out.beam = json_as<size_t>(about.at("beam"));
    out.best_first = about.at("best_first").get<bool>();
    out.levels = about.at("levels").get<bool>();
    out.sharpness = about.at("sharpness").get<float>();
    std::vector<eval::MonotoneMap::Knot> knots;
    for (const auto& knot : about.at("calibration"))
      knots.push_back({knot.at(0).get<double>(), knot.at(1).get<double>()});
    if (!eval::MonotoneMap::valid(knots)) return damaged("the calibration is out of range");
    out.calibration = eval::MonotoneMap(std::move(knots));
    for (size_t f = 0; f < kTreeFields; ++f) {
      const std::string name(tree_field_name(static_cast<TreeField>(f)));
      if (about.at("columns").contains(name)) out.columns.cell[f] = json_as<size_t>(about["columns"][name]);
    }
  } catch (const Json::exception& e) {
    return damaged(e.what());
  }
  const size_t n = out.relations.size();
  if (n == 0 || n >= data::kNoLabel) return damaged("there are no relations, or too many");
  if (std::set<std::string>(out.relations.begin(), out.relations.end()).size() != n)
    return damaged("a relation is listed twice");
  if (out.root >= n) return damaged("the relation of the root does not exist");
  if (std::any_of(out.allowed.begin(), out.allowed.end(), [&](data::Label r) { return r >= n; }))
    return damaged("a relation does not exist");
  constexpr size_t kMostColumns = 1 << 20, kMostBeam = 100'000;
  for (const auto& cell : out.columns.cell)
    if (cell && *cell > kMostColumns) return damaged("a column is out of range");
  if (!(out.sharpness >= 0 && out.sharpness < 1e6f)) return damaged("the sharpness is out of range");
  if (out.beam < 1 || out.beam > kMostBeam) return damaged("the beam is out of range");
  return out;
}

}  // namespace

Result<std::unique_ptr<TreePredictor>> TreePredictor::load(const SectionFile& file, data::FeatureExtractor) {
  ESPALIER_ASSIGN(TreeSettings settings, read_settings(file));
  auto system = settings.system();
  if (!system.ok()) return fail("{}: section 'tree.templates': {}", file.name(), system.error().message);
  ESPALIER_ASSIGN(TreeTables tables, TreeTables::load(file, settings.relations.size()));
  return std::unique_ptr<TreePredictor>(
      new TreePredictor(std::move(settings), std::move(*system), std::move(tables)));
}

std::string TreePredictor::details() const {
  return json_text(Json{{"system", settings_.swap ? "swap" : "projective"},
                        {"beam", settings_.beam},
                        {"move_features", system_.moves.size()},
                        {"relation_features", system_.labels.size()},
                        {"root", settings_.relations[settings_.root]}});
}

}  // namespace espalier::tasks

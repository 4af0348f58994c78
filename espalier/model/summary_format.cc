#include "espalier/model/summary_format.h"

#include <nlohmann/json.hpp>

#include "espalier/base/text/json.h"
#include "espalier/model/tag_format.h"
#include "espalier/tasks/summary/cluster.h"

namespace espalier::model {

void append_summary_json(const data::Sequence& sequence, const data::Prediction& prediction,
                         std::span<const std::string_view> labels, bool nbest, std::string& out) {
  const tasks::Cluster cluster = tasks::cluster_of(sequence);
  const auto shown = [&](const data::Labelling& labelling) {
    std::vector<bool> chosen;
    for (const data::Label label : labelling.labels) chosen.push_back(labels[label] == tasks::kInSummary);
    Json object = tasks::summary_json(cluster, chosen);
    object["score"] = labelling.score;
    return object;
  };
  Json object = shown(prediction.best.front());
  if (prediction.search_end) object["search"] = search_end_name(*prediction.search_end);
  if (nbest)
    for (const data::Labelling& labelling : prediction.best) object["nbest"].push_back(shown(labelling));
  out += json_text(object);
}

}  // namespace espalier::model

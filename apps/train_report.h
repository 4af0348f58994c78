// What training tells when it is done.
#pragma once

#include <nlohmann/json_fwd.hpp>
#include <string>

#include "espalier/model/train.h"

namespace espalier::apps {

nlohmann::ordered_json train_report_json(const model::TrainReport& report,
                                         const model::TrainRequest& request);

/// For people; ends with the command to type next.
std::string train_report_text(const model::TrainReport& report, const model::TrainRequest& request);

/// A word as a shell takes it back: in quotes where it needs them.
std::string shell_word(std::string_view text);

}  // namespace espalier::apps

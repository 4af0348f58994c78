// Models of CRFsuite, CRF++ (text and binary) and Wapiti, converted to ours. import_model() recognises the
// program by the contents of the file and gives the sections of a chain with 32-bit weights that labels as
// the original does.
//
// Takes time and memory in proportion to the file. What a chain cannot express is refused with a message:
// Wapiti's models without patterns, labels called "_", more than 4,096 labels.
#pragma once

#include <string>
#include <string_view>

#include "espalier/base/files/section_file.h"
#include "espalier/base/result.h"

namespace espalier::model {

struct ImportedModel {
  SectionWriter sections;
  std::string program;  ///< "CRFsuite", "CRF++" or "Wapiti"
  size_t left_out = 0;  ///< features that no line of the template gives, so that they had no effect
};

/// `bytes` are those of the file that error messages call `name`.
Result<ImportedModel> import_model(std::string_view bytes, const std::string& name);

}  // namespace espalier::model

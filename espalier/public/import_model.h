// Models of other programs: CRFsuite, CRF++ (the text that crf_learn -t writes, and the binary file) and
// Wapiti, read into a Tagger that gives the same labels and probabilities.
//
//   es::Tagger tagger = es::import_model("chunker.crfsuite").value().tagger;
//   tagger.save("chunker.model");
//
// The program is recognised by the contents of the file. Weights become 32-bit numbers. The tagger is an
// ordinary chain; a CRFsuite model reads attributes, the others columns by their own templates. Not
// supported: Wapiti's models without patterns, a label called "_", more than 4,096 labels.
#pragma once

#include <cstddef>
#include <string>
#include <string_view>
#include <utility>

#include "espalier/public/tagger.h"

#pragma GCC visibility push(default)
namespace espalier {

struct Imported {
  explicit Imported(Tagger made) : tagger(std::move(made)) {}
  Tagger tagger;
  std::string program;       ///< that trained the model: "CRFsuite", "CRF++" or "Wapiti"
  std::size_t left_out = 0;  ///< features that its own template never gives, so that they had no effect
};

/// Reads the model of another program. A file that is damaged or of no known kind is an error.
Result<Imported> import_model(const std::string& path);
/// The same from memory; error messages call the model `name`.
Result<Imported> import_model(std::string_view bytes, const std::string& name);

}  // namespace espalier
#pragma GCC visibility pop

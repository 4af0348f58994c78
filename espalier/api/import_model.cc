// The public side of model/foreign/import_model.h. Tested in apps/tests/import_test.sh.
#include "espalier/model/foreign/import_model.h"

#include "espalier/api/tagger.h"
#include "espalier/base/files/mapped_file.h"
#include "espalier/public/import_model.h"

namespace espalier {

Result<Imported> import_model(std::string_view bytes, const std::string& name) {
  ESPALIER_ASSIGN(const model::ImportedModel made, model::import_model(bytes, name));
  ESPALIER_ASSIGN(Tagger tagger, Tagger::from_bytes(made.sections.to_bytes(), name));
  Imported out(std::move(tagger));
  out.program = made.program;
  out.left_out = made.left_out;
  return out;
}

Result<Imported> import_model(const std::string& path) {
  ESPALIER_ASSIGN(const MappedFile file, MappedFile::open(path));
  const auto bytes = file.bytes();
  auto made = import_model(std::string_view(reinterpret_cast<const char*>(bytes.data()), bytes.size()), path);
  ESPALIER_TRY(file.unchanged());
  return made;
}

}  // namespace espalier

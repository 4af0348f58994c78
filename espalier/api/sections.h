// The sections of an open file as a writer, to save it again as it is: models and policies.
//
// Copies the bytes. Tested in tagger_test.cc and task_test.cc.
#pragma once

#include "espalier/base/section_file.h"

namespace espalier::api {

inline SectionWriter sections_of(const SectionFile& file) {
  SectionWriter out;
  for (const SectionFile::Entry& entry : file.entries()) out.add(entry.name, entry.bytes);
  return out;
}

}  // namespace espalier::api

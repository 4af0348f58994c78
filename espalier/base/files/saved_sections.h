// The sections of an open file, to be written again: what saving an open model or policy does. Costs a copy
// when written. Tested in tagger_test.cc and task_test.cc.
#pragma once

#include "espalier/base/files/section_file.h"

namespace espalier {

inline SectionWriter sections_of(const SectionFile& file) {
  SectionWriter out;
  for (const SectionFile::Entry& entry : file.entries()) out.add(entry.name, entry.bytes);
  return out;
}

}  // namespace espalier

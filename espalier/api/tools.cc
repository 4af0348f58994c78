// What espalier/public/tools.h declares.
#include "espalier/public/tools.h"

#include "espalier/base/atomic_file.h"

namespace espalier {

Status check_writable(const std::string& path) { return AtomicFile::check_writable(path); }

}  // namespace espalier

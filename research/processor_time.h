// Processor time of this process, which is not affected by other work on the machine.
#pragma once

#include <ctime>

namespace espalier::research {

inline double processor_seconds() { return static_cast<double>(std::clock()) / CLOCKS_PER_SEC; }

}  // namespace espalier::research

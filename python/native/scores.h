// Scores as plain Python values. Used by training.cc and evaluation.cc.
#pragma once

#include "python/native/bindings.h"

namespace espalier::python {

py::dict to_dict(const Scores& scores);

}  // namespace espalier::python

// Freed memory goes back to the system while models are trained.
//
// Every verb that trains passes a callback here on to the library; LongWork::watch_training() does it.
#pragma once

#include <functional>

#include "espalier/espalier.h"

namespace espalier::apps {

/// Gives the system memory that has been freed between pieces still in use, which the allocator of glibc
/// would keep: a fifth of what training joint labels takes at its peak.
/// At most once per second, so any report of progress may call it. Other C libraries: nothing.
void return_free_memory();

/// A callback for training: returns free memory, and passes the report on. Without one to pass it to, the
/// work goes on. From now on, pieces of a megabyte or more go back when they are freed.
std::function<bool(const Progress&)> returning_free_memory(std::function<bool(const Progress&)> next = {});

}  // namespace espalier::apps

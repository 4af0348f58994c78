// Runs long work of the library from Python: without the interpreter lock, with progress, stopped by Ctrl-C.
//
// watch(on_progress, work) runs work(report, stop) on a thread of its own and waits for it. Progress reports
// are handed to the calling thread, which calls the Python function; between reports it looks for signals
// every twentieth of a second. An exception of the function, or Ctrl-C, stops the work; Watched::error is
// then set. The interpreter lock must be held. Tested in python/tests/test_training.py.
#pragma once

#include <espalier/espalier.h>
#include <pybind11/pybind11.h>

#include <atomic>
#include <chrono>
#include <condition_variable>
#include <exception>
#include <functional>
#include <mutex>
#include <optional>
#include <thread>
#include <utility>

#include "python/native/interpreter_lock.h"

namespace espalier::python {

namespace py = pybind11;
using namespace py::literals;

/// A progress report as a Python dictionary; fields that are not set are None.
inline py::dict to_dict(const Progress& p) {
  return py::dict("phase"_a = p.phase, "done"_a = p.done, "total"_a = p.total, "round"_a = p.round,
                  "objective"_a = p.objective, "dev_score"_a = p.dev_score, "round_ended"_a = p.round_ended);
}

template <typename T>
struct Watched {
  std::optional<T> value;                      ///< what work returned
  std::optional<py::error_already_set> error;  ///< of the progress function, or KeyboardInterrupt
  bool keyboard() const { return error && error->matches(PyExc_KeyboardInterrupt); }
  /// The value; throws what stopped the work.
  T take() {
    if (error) throw py::error_already_set(*error);
    return std::move(*value);
  }
  /// The same for work that leaves a usable value when Ctrl-C stops it.
  T take_even_after_keyboard() {
    if (error && !(keyboard() && value)) throw py::error_already_set(*error);
    return std::move(*value);
  }
};

using Report = std::function<bool(const Progress&)>;

template <typename Work>
auto watch(const py::object& on_progress, const Work& work)
    -> Watched<decltype(work(std::declval<Report>(), std::declval<const std::atomic<bool>*>()))> {
  using T = decltype(work(std::declval<Report>(), std::declval<const std::atomic<bool>*>()));
  Watched<T> out;
  std::mutex mutex;
  std::condition_variable changed;
  std::atomic<bool> stop{false};
  const Progress* pending = nullptr;  // a report that waits for its answer
  bool finished = false;
  std::exception_ptr failure;

  Report report;
  if (!on_progress.is_none())
    report = [&](const Progress& progress) {
      std::unique_lock lock(mutex);
      changed.wait(lock, [&] { return pending == nullptr; });
      pending = &progress;
      changed.notify_all();
      changed.wait(lock, [&] { return pending != &progress; });
      return !stop.load();
    };
  const auto answer = [&](const Progress& progress) {
    const LockHeld interpreter;
    if (out.error) return;
    try {
      const py::object answered = on_progress(to_dict(progress));
      if (answered.is(py::bool_(false))) stop = true;
    } catch (py::error_already_set& error) {
      out.error = std::move(error);
      stop = true;
    }
  };
  const auto look_for_signals = [&] {
    const LockHeld interpreter;
    if (PyErr_CheckSignals() == 0) return;
    py::error_already_set error;
    if (!out.error) out.error = std::move(error);
    stop = true;
  };
  {
    const LockReleased released;
    std::thread worker([&] {
      try {
        out.value.emplace(work(report, &stop));
      } catch (...) {
        failure = std::current_exception();
      }
      const std::lock_guard lock(mutex);
      finished = true;
      changed.notify_all();
    });
    std::unique_lock lock(mutex);
    while (!finished) {
      const bool woken = changed.wait_for(lock, std::chrono::milliseconds(50),
                                          [&] { return finished || pending != nullptr; });
      if (pending != nullptr) {
        const Progress& progress = *pending;
        lock.unlock();
        answer(progress);
        lock.lock();
        pending = nullptr;
        changed.notify_all();
      } else if (!woken) {
        lock.unlock();
        look_for_signals();
        lock.lock();
      }
    }
    lock.unlock();
    worker.join();
  }
  if (failure && !out.error) std::rethrow_exception(failure);
  return out;
}

}  // namespace espalier::python

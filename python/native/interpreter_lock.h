// The interpreter lock: LockReleased gives it away until the end of a scope, LockHeld takes it.
//
// A daemon thread may want the lock when the interpreter has ended already. Python then ends the thread by
// unwinding its stack, which would run destructors that need the lock and which pybind11's own guards turn
// into std::terminate. Here such a thread sleeps until the process ends, as all do from Python 3.14 on.
// Tested in python/tests/test_threads.py.
#pragma once

#include <Python.h>
#include <cxxabi.h>
#include <unistd.h>

namespace espalier::python {

/// Calls what takes the lock.
template <typename Take>
void take_lock(const Take& take) {
  try {
    take();
  } catch (const abi::__forced_unwind&) {  // must not be left
    for (;;) ::pause();
  }
}

class LockReleased {
 public:
  LockReleased() : thread_(PyEval_SaveThread()) {}
  ~LockReleased() {
    take_lock([&] { PyEval_RestoreThread(thread_); });
  }
  LockReleased(const LockReleased&) = delete;
  LockReleased& operator=(const LockReleased&) = delete;

 private:
  PyThreadState* thread_;
};

class LockHeld {
 public:
  LockHeld() {
    take_lock([&] { state_ = PyGILState_Ensure(); });
  }
  ~LockHeld() { PyGILState_Release(state_); }
  LockHeld(const LockHeld&) = delete;
  LockHeld& operator=(const LockHeld&) = delete;

 private:
  PyGILState_STATE state_{};
};

}  // namespace espalier::python

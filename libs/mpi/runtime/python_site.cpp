// SPDX-License-Identifier: BSD-3-Clause
#include "runtime/python_site.h"

#include <dlfcn.h>

#include <cstdint>
#include <cstdio>

#include "runtime/sites.h"

namespace colltree::runtime {

namespace {

// The functions of CPython 3.9 and later, all or none.
struct Python {
  int (*is_initialized)() = nullptr;
  void* (*this_thread)() = nullptr;
  void* (*main_interpreter)() = nullptr;
  void* (*first_thread)(void*) = nullptr;
  void* (*next_thread)(void*) = nullptr;
  int (*lock)() = nullptr;
  void (*unlock)(int) = nullptr;
  void* (*frame)() = nullptr;
  void* (*code)(void*) = nullptr;
  int (*line)(void*) = nullptr;
  void* (*attribute)(void*, const char*) = nullptr;
  const char* (*text)(void*) = nullptr;
  void (*drop)(void*) = nullptr;
  bool is_there = true;

  Python() {
    find(is_initialized, "Py_IsInitialized");
    find(this_thread, "PyGILState_GetThisThreadState");
    find(main_interpreter, "PyInterpreterState_Main");
    find(first_thread, "PyInterpreterState_ThreadHead");
    find(next_thread, "PyThreadState_Next");
    find(lock, "PyGILState_Ensure");
    find(unlock, "PyGILState_Release");
    find(frame, "PyEval_GetFrame");
    find(code, "PyFrame_GetCode");
    find(line, "PyFrame_GetLineNumber");
    find(attribute, "PyObject_GetAttrString");
    find(text, "PyUnicode_AsUTF8");
    find(drop, "Py_DecRef");
  }

  template <typename Function>
  void find(Function& function, const char* name) {
    function = reinterpret_cast<Function>(::dlsym(RTLD_DEFAULT, name));
    is_there = is_there && function != nullptr;
  }

  // True if this thread is the only one that Python knows.
  bool is_alone() const {
    if (!is_there || is_initialized() == 0) return false;
    void* const mine = this_thread();
    return mine != nullptr && first_thread(main_interpreter()) == mine &&
           next_thread(mine) == nullptr;
  }
};

const Python& python() {
  static const Python found;
  return found;
}

// Prints the attribute of a code object. False: it has none.
bool print(const Python& from, void* code, const char* name, char* text, int size) {
  void* const value = from.attribute(code, name);
  const char* const words = value == nullptr ? nullptr : from.text(value);
  if (words != nullptr) std::snprintf(text, static_cast<std::size_t>(size), "%s", words);
  if (value != nullptr) from.drop(value);
  return words != nullptr;
}

}  // namespace

PythonFrame::PythonFrame() noexcept {
  const Python& from = python();
  if (!from.is_alone()) return;
  state_ = from.lock();
  is_locked_ = true;
  void* const frame = from.frame();
  if (frame == nullptr) return;
  code_ = from.code(frame);
  line_ = from.line(frame);
  // Addresses leave their upper 16 bits free.
  key_ = reinterpret_cast<const void*>(reinterpret_cast<std::uintptr_t>(code_) ^
                                       static_cast<std::uintptr_t>(line_) << 48);
}

PythonFrame::~PythonFrame() {
  if (code_ != nullptr) python().drop(code_);
  if (is_locked_) python().unlock(state_);
}

bool PythonFrame::describe(Site* site) const noexcept {
  const Python& from = python();
  char line[16] = "";
  const int length = std::snprintf(line, sizeof line, ":%d", line_);
  const int room = static_cast<int>(sizeof site->where) - length;
  if (!print(from, code_, "co_filename", site->where, room) ||
      !print(from, code_, "co_name", site->symbol, sizeof site->symbol))
    return false;
  from.code(from.frame());  // the code stays where it is: no other gets its key
  const std::size_t end = __builtin_strlen(site->where);
  std::snprintf(site->where + end, sizeof site->where - end, "%s", line);
  return true;
}

}  // namespace colltree::runtime

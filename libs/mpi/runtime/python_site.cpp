// SPDX-License-Identifier: BSD-3-Clause
#include "runtime/python_site.h"

#include <dlfcn.h>

#include <cstdint>
#include <cstdio>

#include "runtime/sites.h"

namespace colltree::runtime {

namespace {

// The functions of CPython 3.9 and later, all or none. An object is a void*.
#define COLLTREE_PYTHON_FUNCTIONS(Function)                                                       \
  Function(void*, PyGILState_GetThisThreadState, ()) Function(void*, PyInterpreterState_Main, ()) \
      Function(void*, PyInterpreterState_ThreadHead, (void*))                                     \
          Function(void*, PyThreadState_Next, (void*)) Function(int, PyGILState_Ensure, ())       \
              Function(void, PyGILState_Release, (int)) Function(void*, PyEval_GetFrame, ())      \
                  Function(void*, PyFrame_GetCode, (void*))                                       \
                      Function(int, PyFrame_GetLineNumber, (void*))                               \
                          Function(void*, PyObject_GetAttrString, (void*, const char*))           \
                              Function(const char*, PyUnicode_AsUTF8, (void*))                    \
                                  Function(void, Py_DecRef, (void*))

struct Python {
#define COLLTREE_MEMBER(Result, name, parameters) \
  Result(*name) parameters = reinterpret_cast<Result(*) parameters>(::dlsym(RTLD_DEFAULT, #name));
  COLLTREE_PYTHON_FUNCTIONS(COLLTREE_MEMBER)

  // True if this thread is the only one that Python knows.
  bool is_alone() const {
#define COLLTREE_IS_MISSING(Result, name, parameters) name == nullptr ||
    if (COLLTREE_PYTHON_FUNCTIONS(COLLTREE_IS_MISSING) false) return false;
    void* const mine = PyGILState_GetThisThreadState();
    return mine != nullptr && PyInterpreterState_ThreadHead(PyInterpreterState_Main()) == mine &&
           PyThreadState_Next(mine) == nullptr;
  }

  // Prints the attribute of a code object. False: it has none.
  bool print(void* code, const char* name, char* text, std::size_t size) const {
    void* const value = PyObject_GetAttrString(code, name);
    const char* const words = value == nullptr ? nullptr : PyUnicode_AsUTF8(value);
    if (words != nullptr) std::snprintf(text, size, "%s", words);
    if (value != nullptr) Py_DecRef(value);
    return words != nullptr;
  }
};

// Calls `use(python, code, line)` with the code object and line of this thread. False: there is
// none.
template <typename Use>
bool with_frame(const Use& use) {
  static const Python python;
  if (!python.is_alone()) return false;
  const int state = python.PyGILState_Ensure();
  void* const frame = python.PyEval_GetFrame();
  const bool is_used = frame != nullptr && use(python, python.PyFrame_GetCode(frame),
                                               python.PyFrame_GetLineNumber(frame));
  python.PyGILState_Release(state);
  return is_used;
}

}  // namespace

const void* python_line() noexcept {
  std::uintptr_t key = 0;
  with_frame([&](const Python& python, void* code, int line) {
    // Addresses leave their upper 16 bits free.
    key = reinterpret_cast<std::uintptr_t>(code) ^ static_cast<std::uintptr_t>(line) << 48;
    python.Py_DecRef(code);
    return true;
  });
  return reinterpret_cast<const void*>(key);
}

bool describe_python_line(Site* site) noexcept {
  return with_frame([&](const Python& python, void* code, int line) {
    constexpr std::size_t kLine = 16;
    if (!python.print(code, "co_filename", site->where, sizeof site->where - kLine) ||
        !python.print(code, "co_name", site->symbol, sizeof site->symbol))
      return false;
    std::snprintf(site->where + __builtin_strlen(site->where), kLine, ":%d", line);
    return true;  // the code stays where it is: no other gets its key
  });
}

}  // namespace colltree::runtime

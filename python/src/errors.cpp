// SPDX-License-Identifier: Apache-2.0
// The library's errors as Python's, with the same texts. Each is also of the built-in kind that Python would use for it.
#include <string>

#include "armilla/error.hpp"
#include "binding.hpp"

namespace armilla::python {
namespace {

// Made once and kept for the life of the interpreter, as all types of an extension are.
struct error_types {
  PyObject *error, *usage, *remote, *lost, *limit, *timeout;
};
constinit error_types types{};

PyObject* make(nb::module_& m, const char* name, const char* doc, PyObject* first, PyObject* second = nullptr) {
  const nb::object bases = second == nullptr ? nb::steal(PyTuple_Pack(1, first)) : nb::steal(PyTuple_Pack(2, first, second));
  PyObject* const made = PyErr_NewExceptionWithDoc((std::string("armilla.") + name).c_str(), doc, bases.ptr(), nullptr);
  if (made == nullptr) throw nb::python_error();
  m.attr(name) = nb::borrow(made);
  return made;
}

// With the attribute `rank`.
void raise_of_rank(PyObject* type, const char* text, rank_t rank) {
  const nb::object thrown = nb::borrow(type)(text);
  thrown.attr("rank") = int(rank);
  PyErr_SetObject(type, thrown.ptr());
}

void translate(const std::exception_ptr& thrown, void*) {
  try {
    std::rethrow_exception(thrown);
  } catch (const usage_error& e) { PyErr_SetString(types.usage, e.what()); } catch (const remote_error& e) {
    raise_of_rank(types.remote, e.what(), e.rank());
  } catch (const rank_lost& e) { raise_of_rank(types.lost, e.what(), e.rank()); } catch (const limit_error& e) {
    PyErr_SetString(types.limit, e.what());
  } catch (const timeout_error& e) { PyErr_SetString(types.timeout, e.what()); } catch (const error& e) {
    PyErr_SetString(types.error, e.what());
  }
}

}  // namespace

void bind_errors(nb::module_& m) {
  types.error = make(m, "Error", "The root of all errors of this package.", PyExc_RuntimeError);
  types.usage = make(m, "UsageError", "The caller's mistake; the text says what to do instead.", types.error, PyExc_ValueError);
  types.remote =
      make(m, "RemoteError", "A body raised on another rank, and what it raised cannot travel. `rank`: where.", types.error);
  types.lost = make(m, "RankLost", "A rank of the job is gone. `rank`: which.", types.error);
  types.limit = make(m, "LimitError", "A bound was reached; the text names the option that moves it.", types.error);
  types.timeout = make(m, "TimeoutError", "A timed wait ended before what it waited for.", types.error, PyExc_TimeoutError);
  nb::register_exception_translator(translate);
}

}  // namespace armilla::python

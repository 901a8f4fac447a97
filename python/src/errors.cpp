// SPDX-License-Identifier: Apache-2.0
// The library's errors as Python's, with the same texts. Each is also of the built-in kind that Python would use for it.
#include <string>
#include <string_view>
#include <utility>

#include <nanobind/stl/string.h>

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

// What the library advises to users of C++, and what a user of Python does instead.
constexpr std::pair<std::string_view, std::string_view> words[] = {
    {"catch armilla::remote_error here", "catch armilla.RemoteError here"},
    {"armilla::usage_error", "armilla.UsageError"},
    {"armilla::remote_error", "armilla.RemoteError"},
    {"armilla::rank_lost", "armilla.RankLost"},
    {"armilla::limit_error", "armilla.LimitError"},
    {"armilla::timeout_error", "armilla.TimeoutError"},
    {"armilla::decode_error", "armilla.Error"},
    {"am::fence()", "am.fence()"},
    {"call it inside armilla::run, run_main or a session, from the thread that entered it",
     "call it on the thread that joined the job"},
    {"make teams inside run()", "make teams in the running job"},
    {"give each fiber a team of its own, by team::dup", "give each of them a team of its own"},
    {"; file_options::skip_space allows them", "; remove them"},
    {", or read with file_options{.quote = 0}, where quotes are plain text", ""},
    {"read with file_options{.quote = 0}, where quotes are plain text", "quote the whole field, and double the quotes in it"},
};

std::string in_python(std::string text) {
  for (const auto& [of_cpp, of_python] : words)
    for (std::size_t at = 0; (at = text.find(of_cpp, at)) != text.npos; at += of_python.size())
      text.replace(at, of_cpp.size(), of_python);
  return text;
}

void raise(PyObject* type, const error& e) { PyErr_SetString(type, in_python(e.what()).c_str()); }

// With the attribute `rank`.
void raise_of_rank(PyObject* type, const error& e, rank_t rank) {
  const nb::object thrown = nb::borrow(type)(in_python(e.what()));
  thrown.attr("rank") = int(rank);
  PyErr_SetObject(type, thrown.ptr());
}

void translate(const std::exception_ptr& thrown, void*) {
  try {
    std::rethrow_exception(thrown);
  } catch (const usage_error& e) { raise(types.usage, e); } catch (const remote_error& e) {
    raise_of_rank(types.remote, e, e.rank());
  } catch (const rank_lost& e) { raise_of_rank(types.lost, e, e.rank()); } catch (const limit_error& e) {
    raise(types.limit, e);
  } catch (const timeout_error& e) { raise(types.timeout, e); } catch (const error& e) {
    raise(types.error, e);
  }
}

// ---- what they say of themselves: each with an example, which a test runs ----

constexpr const char* of_error = R"(The root of all errors of this package.

>>> import armilla as am
>>> try:
...     am.call(am.size, abs, 1)
... except am.Error as error:
...     type(error).__name__
'UsageError'
)";
constexpr const char* of_usage = R"(A mistake of the caller. The message says what to do instead.

>>> import armilla as am
>>> try:
...     am.broadcast(1, root=am.size)
... except am.UsageError as error:
...     f"rank {am.size} does not exist" in str(error)
True
)";
constexpr const char* of_remote = R"(A called function raised an exception on another rank that cannot be pickled. `rank`: where.

>>> import armilla as am
>>> def fail():
...     import threading
...     raise ValueError(threading.Lock())
>>> try:
...     am.call(0, fail).get()
... except am.RemoteError as error:
...     error.rank
0
)";
constexpr const char* of_lost = R"(A rank of the job was lost. `rank`: which one.

>>> import armilla, os
>>> workers = armilla.ranks(2)
>>> try:
...     workers.call(1, os._exit, 3).get()
... except armilla.RankLost as error:
...     error.rank
1
>>> workers.close()
)";
constexpr const char* of_limit = R"(A limit was reached. The message names the option that changes it.

>>> import armilla as am
>>> try:
...     am.zeros(2**62)
... except am.LimitError as error:
...     "more than an address space has" in str(error)
True
)";
constexpr const char* of_timeout = R"(The time limit of a wait was reached.

>>> import armilla as am
>>> try:
...     am.recv(am.rank, tag=99, timeout=0.01)
... except am.TimeoutError as error:
...     "no message from rank" in str(error)
True
)";

}  // namespace

void bind_errors(nb::module_& m) {
  types.error = make(m, "Error", of_error, PyExc_RuntimeError);
  types.usage = make(m, "UsageError", of_usage, types.error, PyExc_ValueError);
  types.remote = make(m, "RemoteError", of_remote, types.error);
  types.lost = make(m, "RankLost", of_lost, types.error);
  types.limit = make(m, "LimitError", of_limit, types.error);
  types.timeout = make(m, "TimeoutError", of_timeout, types.error, PyExc_TimeoutError);
  nb::register_exception_translator(translate);
}

}  // namespace armilla::python

// SPDX-License-Identifier: Apache-2.0
// Methods that ranks of a running job provide, called by an attached client: armilla/client_call.hpp.
#include <algorithm>
#include <exception>
#include <memory>
#include <string>
#include <utility>
#include <vector>

#include <fmt/format.h>
#include <nanobind/stl/string.h>

#include "armilla/base/values/clock.hpp"
#include "armilla/client_call.hpp"
#include "binding.hpp"
#include "codec.hpp"
#include "method.hpp"

namespace armilla::python {
namespace {

constexpr std::uint64_t spin_ns = 5'000;           // in which the interpreter is kept
constexpr std::uint64_t signals_ns = 100'000'000;  // Ctrl-C ends a wait within

/// A method of one rank.
struct known_method : method_signature {
  client_rank rank;
};

/// A call under way.
class reply {
 public:
  reply(std::shared_ptr<const known_method> method, detail::client_call call)
      : method_(std::move(method)), call_(std::move(call)) {}

  bool done() const { return taken_ || call_.ready(); }
  nb::object result(double patience) {
    if (taken_) return value_;
    await(patience);
    const std::vector<std::byte> bytes = call_.take(0);
    std::size_t at = 0;
    value_ = decode(bytes, at, method_->types.result);
    taken_ = true;
    return value_;
  }

 private:
  void await(double patience) {
    if (call_.spin(spin_ns)) return;
    const std::uint64_t began = detail::now_ns(), span = std::uint64_t(std::clamp(patience, 0.0, 1e9) * 1e9);
    for (bool there = false; !there;) {
      const std::uint64_t passed = detail::now_ns() - began;
      if (passed >= span) call_.throw_late(patience);
      {
        const nb::gil_scoped_release others;
        there = call_.wait(std::min(signals_ns, span - std::min(passed, span)));
      }
      if (PyErr_CheckSignals() != 0) throw nb::python_error();
    }
  }

  std::shared_ptr<const known_method> method_;
  detail::client_call call_;
  nb::object value_;
  bool taken_ = false;
};

class method {
 public:
  method(const client_rank& rank, std::string name, std::string text, double patience)
      : known_(std::make_shared<known_method>(known_method{{std::move(name), std::move(text)}, rank})), patience_(patience) {}

  reply ask(const nb::args& arguments) const {
    return {known_, detail::client_call(detail::line_of(known_->rank), known_->description(),
                                        message_of(*known_, sizeof(std::uint64_t), arguments))};
  }
  nb::object call(const nb::args& arguments) const { return ask(arguments).result(patience_); }

 private:
  std::shared_ptr<const known_method> known_;
  double patience_;
};

// Raises what a slot has caught, as a bound function would: only those know how.
thread_local std::exception_ptr caught;
constinit PyObject* raise_caught = nullptr;  // kept for the life of the interpreter

// To call the object is to call the method. A slot of the type, as a bound function would copy the arguments once more.
PyObject* call_slot(PyObject* self, PyObject* arguments, PyObject* keywords) {
  if (keywords != nullptr && PyDict_Size(keywords) != 0) {
    PyErr_SetString(PyExc_TypeError, "a method of another rank takes no keyword arguments");
    return nullptr;
  }
  try {
    return nb::inst_ptr<method>(self)->call(nb::borrow<nb::args>(arguments)).release().ptr();
  } catch (...) {
    caught = std::current_exception();
    return PyObject_CallNoArgs(raise_caught);
  }
}
PyType_Slot method_slots[] = {{Py_tp_call, reinterpret_cast<void*>(&call_slot)}, {0, nullptr}};

nb::list methods_of(const client_rank& rank) {
  std::vector<method_summary> all;
  {
    const nb::gil_scoped_release others;
    all = rank.methods();
  }
  nb::list result;
  for (const method_summary& one : all) result.append(nb::make_tuple(one.name, one.signature));
  return result;
}

}  // namespace

void bind_client_calls(nb::module_& m) {
  nb::class_<client_rank>(m, "ClientRank")
      .def_prop_ro("rank", [](const client_rank& r) { return int(r.rank()); })
      .def("methods", &methods_of);
  nb::class_<reply>(m, "ClientReply").def("done", &reply::done).def("result", &reply::result);
  nb::class_<method>(m, "ClientMethod", nb::type_slots(method_slots))
      .def(nb::init<const client_rank&, std::string, std::string, double>())
      .def("ask", &method::ask);
  m.def("_raise_caught", [] {
    if (caught != nullptr) std::rethrow_exception(std::exchange(caught, nullptr));
  });
  raise_caught = nb::object(m.attr("_raise_caught")).release().ptr();
}

}  // namespace armilla::python

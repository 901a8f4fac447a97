// SPDX-License-Identifier: Apache-2.0
// In which lines of Python a rank waits, for reports. Nothing in it is interpreted: that could take in an interrupt, which is for
// the code that waits.
#include <string>

#include <nanobind/stl/string.h>

#include "binding.hpp"

namespace armilla::python {
namespace {

// The innermost frame of the user: "    at heat.py:31, in step\n"; empty if there is no such frame, as in a worker of a driver.
std::string line_of(nb::object frame) {
  const nb::module_ own = nb::module_::import_("armilla._line");
  const auto package = nb::cast<std::string>(own.attr("_package")), worker = nb::cast<std::string>(own.attr("_worker"));
  for (; !frame.is_none(); frame = frame.attr("f_back")) {
    const nb::object code = frame.attr("f_code");
    const auto file = nb::cast<std::string>(code.attr("co_filename"));
    if (file == worker) break;
    if (file.starts_with(package)) continue;
    return "    at " + file.substr(file.rfind('/') + 1) + ":" + std::to_string(nb::cast<int>(frame.attr("f_lineno"))) + ", in " +
           nb::cast<std::string>(code.attr("co_name")) + "\n";
  }
  return "";
}

}  // namespace

// Of the code that runs, and of all greenlets that wait.
std::string lines_of_waits() noexcept try {
  const nb::gil_scoped_acquire lock;
  try {
    std::string all;
    const auto add = [&all](const std::string& line) {
      if (all.find(line) == all.npos) all += line;
    };
    if (PyFrameObject* const now = PyEval_GetFrame()) add(line_of(nb::borrow(reinterpret_cast<PyObject*>(now))));
    for (const auto& [number, waiter] : nb::cast<nb::dict>(nb::module_::import_("armilla._waits").attr("_waiting")))
      add(line_of(waiter.attr("who").attr("gr_frame")));
    return all;
  } catch (nb::python_error&) { return ""; } catch (const nb::cast_error&) {
    return "";
  }
} catch (...) { return ""; }

}  // namespace armilla::python

// SPDX-License-Identifier: Apache-2.0
#pragma once
#include <string>

#include <nanobind/nanobind.h>

namespace armilla::python {

namespace nb = nanobind;

/// For reports: "    at heat.py:31, in step\n" for each place in which the rank waits.
std::string lines_of_waits() noexcept;

// One function for each topic, in the file of its name.
void bind_errors(nb::module_& m);
void bind_attach(nb::module_& m);
void bind_client_calls(nb::module_& m);
void bind_exposed(nb::module_& m);
void bind_block(nb::module_& m);
void bind_frames(nb::module_& m);
void bind_session(nb::module_& m);
void bind_calls(nb::module_& m);
void bind_named(nb::module_& m);
void bind_collectives(nb::module_& m);
void bind_arrays(nb::module_& m);
void bind_shown_data(nb::module_& m);
void bind_plain(nb::module_& m);
void bind_pool(nb::module_& m);
void bind_values(nb::module_& m);
void bind_files(nb::module_& m);
void bind_shared(nb::module_& m);

}  // namespace armilla::python

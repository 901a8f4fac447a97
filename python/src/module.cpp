// SPDX-License-Identifier: Apache-2.0
// The extension armilla._core: what the package's Python files are made of. One function for each topic; each has a file.
#include "armilla/base/core/call_stack.hpp"
#include "binding.hpp"

NB_MODULE(_core, m) {
  using namespace armilla::python;
  m.doc() = "What the package armilla is made of; use the package itself.";
  armilla::detail::take_no_call_stacks(lines_of_waits);  // greenlets move parts of the stack
  nanobind::set_leak_warnings(false);                    // what waits when the interpreter ends is not destroyed
  bind_errors(m);
  bind_attach(m);
  bind_client_calls(m);
  bind_exposed(m);
  bind_block(m);
  bind_frames(m);
  bind_session(m);
  bind_calls(m);
  bind_named(m);
  bind_collectives(m);
  bind_arrays(m);
  bind_shown_data(m);
  bind_plain(m);
  bind_pool(m);
  bind_values(m);
  bind_files(m);
  bind_shared(m);
}

// SPDX-License-Identifier: Apache-2.0
#include "array.hpp"

namespace armilla::python {

void bind_array_i8(nb::module_& m) { bind_array<std::int64_t>(m, "Array_i8"); }

}  // namespace armilla::python

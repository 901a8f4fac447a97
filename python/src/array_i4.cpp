// SPDX-License-Identifier: Apache-2.0
#include "array.hpp"

namespace armilla::python {

void bind_array_i4(nb::module_& m) { bind_array<std::int32_t>(m, "Array_i4"); }

}  // namespace armilla::python

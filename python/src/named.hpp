// SPDX-License-Identifier: Apache-2.0
#pragma once
#include "rank.hpp"

namespace armilla::python {

/// What Python needs of a call by name that it is about to run: (source, number of the body, the function, its arguments).
nb::object begin_named(const incoming& next);

}  // namespace armilla::python

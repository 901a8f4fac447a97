// SPDX-License-Identifier: Apache-2.0
#pragma once
#include <string>

namespace bench {

/// Nanoseconds that polars or DuckDB take for `row`, which names the engine first: `polars_join`. A process of Python, started
/// anew, makes the input, does the row once to warm up and `iterations` times, and checks it.
double tables_ns(const std::string& row, long size, long iterations);

/// Empty, or that Python does not have this module. The environment variable PYTHON_OF_TABLES names the interpreter that is
/// asked, by default python3.
std::string no_module(const std::string& name);

}  // namespace bench

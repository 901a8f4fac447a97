// SPDX-License-Identifier: Apache-2.0
#pragma once
#include <vector>

#include <armilla/armilla.hpp>

/// All that armilla-bench and armilla-bench-peer have in common: names and signatures of methods.
namespace bench::mrpc_api {

inline constexpr armilla::method<void()> word0{"bench.word0"};
inline constexpr armilla::method<void(long)> word1{"bench.word1"};
inline constexpr armilla::method<void(long, long)> word2{"bench.word2"};
inline constexpr armilla::method<void()> word0_threaded{"bench.word0_threaded"};
inline constexpr armilla::method<void()> word0_atomic{"bench.word0_atomic"};
inline constexpr armilla::method<long()> take_count{"bench.take_count"};  ///< bodies of the above since it was asked last
inline constexpr armilla::method<long()> take_words{"bench.take_words"};  ///< first words less second words, since then
inline constexpr armilla::method<armilla::global_ptr<double>()> place{"bench.place"};  ///< of 20 doubles; element i is i
inline constexpr armilla::method<void(std::vector<double>)> put{"bench.put"};
inline constexpr armilla::method<std::vector<double>()> get{"bench.get"};  ///< what was put last

/// The rows that are done between programs; both know all of them.
inline constexpr const char* rows[] = {"call_mpmd",    "call_cold", "word0",    "word1",         "word2",        "word0_threaded",
                                       "word0_atomic", "gp_read",   "gp_write", "bulk_write_40", "bulk_read_40", "prefetch_20"};

}  // namespace bench::mrpc_api

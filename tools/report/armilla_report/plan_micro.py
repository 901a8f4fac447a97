# SPDX-License-Identifier: Apache-2.0
"""What armilla-bench measures, and the micro-benchmarks of the papers."""
from .spec import Bench

# Microseconds on an IBM SP; * reconstructed, the scan is garbled there.
TABLE_3 = {
    "word0_simple": "67 (AM 55, threads 4, runtime 8)", "word0": "77* (12*, 10)", "word1": "94* (AM 70, 12*, 12)",
    "word2": "95* (70, 12*, 13)", "word0_threaded": "87 (55, 21, 11)", "word0_atomic": "88* (55, 21, 12); Split-C 56",
    "gp_read": "92 (55, 21, 16); Split-C 57", "gp_write": "92 (55, 21, 16); Split-C 57",
    "bulk_write_40": "154 (70, 21, 63); Split-C 74", "bulk_read_40": "177 (70, 21, 86); Split-C 75",
    "prefetch_20": "35.4* an element (5.3*, 21, 9.1); Split-C 12.1",
}

MRPC = Bench(
    "table3", "The micro-benchmarks", "MRPC, section 5, table 3",
    "Calls between two programs (MPMD) and within one (SPMD), in units of the raw cache line between the ranks' cores. The paper's numbers are "
    "microseconds on an IBM SP, whose message layer alone takes 55 (MPL 88); * where the scan is garbled and they are reconstructed.",
    "mrpc", tuple(r + s for r in TABLE_3 for s in ("", "_mpmd") if (r, s) != ("word0_simple", "_mpmd")),
    ("word0_simple", "word0_mpmd", "word2_mpmd", "word0_threaded", "word0_atomic", "gp_read_mpmd", "bulk_read_40_mpmd", "prefetch_20_mpmd"),
    TABLE_3 | {f"{name}_mpmd": words for name, words in TABLE_3.items()}, seconds=10)

TRACING = ("call_empty_traced", "trace_event")  # what ARMILLA_TRACE costs
CALLS = Bench("calls", "Messages and calls beside a hand-written ring and MPI", "",
              "A round trip each, two ranks on two cores; and what noting it for a trace costs.", "micro",
              ("am_rtt", "call_empty", "call_struct32", "call_vec20", "async_oneway", *TRACING),
              ("am_rtt", "call_empty", "async_oneway", *TRACING), seconds=18)

ITEMS = (CALLS, MRPC)

// SPDX-License-Identifier: Apache-2.0
#pragma once

namespace bench {

/// What one rank did while a row was measured, by the library's own statistics. Of all operations; seconds and counts.
struct rank_parts {
  double operations = 0;  ///< 0: the row does not tell
  double seconds = 0, cpu = 0, net = 0, threads = 0, runtime = 0;
  double yields = 0, creates = 0, syncs = 0;
};

/// The columns of table 3 of the MRPC paper: ns, and counts, for one operation.
struct anatomy {
  double total = 0, messages = 0, threads = 0, yields = 0, creates = 0, syncs = 0, runtime = 0;
  double body = 0;  ///< the program's own code on both sides, which the paper's table leaves out

  anatomy& operator+=(const anatomy& o) {
    total += o.total, messages += o.messages, threads += o.threads, yields += o.yields, creates += o.creates;
    syncs += o.syncs, runtime += o.runtime, body += o.body;
    return *this;
  }
  anatomy operator/(double n) const {
    return {total / n, messages / n, threads / n, yields / n, creates / n, syncs / n, runtime / n, body / n};
  }
};

/// While rank 0 waits in its messages, rank 1 does its part: what it did counts for itself, and not as messages.
inline anatomy combine(const rank_parts& asker, const rank_parts& answerer) {
  const double n = asker.operations;
  if (n == 0) return {};
  const double ns = 1e9 / n;
  return {.total = asker.seconds * ns,
          .messages = (asker.net - answerer.cpu - answerer.threads - answerer.runtime) * ns,
          .threads = (asker.threads + answerer.threads) * ns,
          .yields = (asker.yields + answerer.yields) / n,
          .creates = (asker.creates + answerer.creates) / n,
          .syncs = (asker.syncs + answerer.syncs) / n,
          .runtime = (asker.runtime + answerer.runtime) * ns,
          .body = (asker.cpu + answerer.cpu) * ns};
}

/// A row of that table, in microseconds on an IBM SP. What the scan garbles is filled in from the other columns.
struct paper_row {
  double total = 0, messages = 0, threads = 0, yields = 0, creates = 0, syncs = 0, runtime = 0;
  double split_total = 0, split_messages = 0, split_runtime = 0;  ///< Split-C; 0: the paper has none
};

}  // namespace bench

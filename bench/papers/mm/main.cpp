// SPDX-License-Identifier: Apache-2.0
// The matrix multiplication of the Paragon paper: ranks get blocks from each other and multiply them by dgemm of OpenBLAS. In
// Split-C's words, in CC++'s, and in the library's.
#include <fmt/format.h>

#include "bench/papers/common/armilla_job.hpp"
#include "bench/papers/mm/alone.hpp"
#include "bench/papers/mm/direct.hpp"
#include "bench/papers/mm/double_buffered.hpp"
#include "bench/papers/mm/get.hpp"
#include "bench/papers/mm/in_ccpp.hpp"
#include "bench/papers/mm/in_splitc.hpp"
#include "bench/papers/mm/options.hpp"

namespace papers {
namespace {

namespace am = armilla;

template <class Version>
void measure(runner<armilla_job>& run, const mm_options& how, mm::matrices& m, const char* version, const std::string& reception,
             const char* source) {
  if (!run.wants(version)) return;
  Version multiplication(m);
  measure_mm(run, how, m, version + reception, source, multiplication, [&] { m.reset(); }, [&] { return m.agrees(); });
}

/// `reception`: what the version's name ends with.
void run_all(const command_line& line, const mm_options& how, const std::string& reception) {
  mm::use_one_thread();
  runner<armilla_job> run(line);
  for (const int side : how.sides) {
    const mm::layout l{how.blocks, side, am::ranks()};
    if (run.wants("dgemm")) {
      mm::alone dgemm(l, am::rank());
      measure_mm(run, how, l, "dgemm", "", dgemm, [] {}, [&] { return dgemm.agrees(); });
    }
    mm::matrices m(l);
    measure<mm::in_splitc::multiplication>(run, how, m, "splitc", reception, "bench/papers/mm/in_splitc.hpp");
    measure<mm::in_ccpp::multiplication>(run, how, m, "ccpp", reception, "bench/papers/mm/in_ccpp.hpp");
    measure<mm::by_get>(run, how, m, "get", reception, "bench/papers/mm/get.hpp");
    measure<mm::double_buffered>(run, how, m, "double-buffered", reception, "bench/papers/mm/double_buffered.hpp");
    measure<mm::direct>(run, how, m, "direct", reception, "bench/papers/mm/direct.hpp");
  }
}

}  // namespace
}  // namespace papers

int main(int argc, char** argv) {
  papers::command_line line("mm", "Matrix multiplication of 8 x 8 blocks that lie on all ranks.",
                            {"dgemm", "splitc", "ccpp", "get", "double-buffered", "direct"});
  papers::mm_options how;
  std::string reception = "poll";
  bool by_message = false;
  how.add_to(line);
  line.choice("--progress-mode", reception,
              "who answers while a rank computes: nobody, a thread, or the rank when it is interrupted",
              {"poll", "thread", "signal"});
  line.flag("--by-message", by_message, "blocks are carried by messages: memory that is shared is not used");
  if (const auto code = line.read(argc, argv)) return *code;
  if (const int code = how.check(line); code != 0) return code;
  if (by_message) papers::cut_short_cut();
  ::setenv("ARMILLA_PROGRESS_MODE", reception.c_str(), 1);
  return armilla::run(argc, argv, [&] { papers::run_all(line, how, reception == "poll" ? "" : "/" + reception); });
}

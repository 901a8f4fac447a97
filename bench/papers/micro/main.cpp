// SPDX-License-Identifier: Apache-2.0
// What an active message, a one-way call and a put with a signal cost, the sender's part and the receiver's apart, beside a plain
// line.
#include "bench/papers/common/armilla_job.hpp"
#include "bench/papers/micro/channels.hpp"
#include "bench/papers/micro/message.hpp"

namespace papers {
namespace {

template <class Channel>
void measure(runner<armilla_job>& run, const message_options& how, const char* name, Channel&& channel, const char* by = "") {
  message_test(run, how, name, channel, by).measure();
  am::fence();
}

void run_all(const command_line& line, const message_options& how) {
  runner<armilla_job> run(line);
  measure(run, how, "active-message", by_active_message());
  measure(run, how, "one_way_call", by_one_way_call<false>());
  measure(run, how, "one_way_calls-together", by_one_way_call<true>());
  measure(run, how, "put", by_put(how.messages));
  by_line line_ring;
  const bool everywhere = run.job().greatest(line_ring.mapped() ? 0 : 1) == 0;
  if (everywhere) measure(run, how, "line", line_ring, "line");
}

}  // namespace
}  // namespace papers

int main(int argc, char** argv) {
  papers::command_line line("micro", "Sixteen bytes to another rank: send and receive parts apart, and one way.",
                            {"active-message", "one_way_call", "one_way_calls-together", "put", "line"});
  papers::message_options how;
  bool by_message = false;
  how.add_to(line);
  line.flag("--by-message", by_message, "puts are carried by messages: memory that is shared is not used");
  if (const auto code = line.read(argc, argv)) return *code;
  if (by_message) papers::cut_short_cut();
  return armilla::run(argc, argv, [&line, &how] { papers::run_all(line, how); });
}

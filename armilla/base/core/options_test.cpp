// SPDX-License-Identifier: Apache-2.0
#include "armilla/base/core/options.hpp"

#include <unistd.h>

#include <bit>
#include <cstdlib>
#include <fstream>

#include <gtest/gtest.h>

#include "armilla/base/core/option_table.hpp"
#include "armilla/base/core/option_text.hpp"
#include "armilla/error.hpp"

namespace armilla::detail {
namespace {

template <class... Entry>
options read(const Entry*... entry) {
  const char* const environment[] = {entry..., nullptr};
  return options::from(environment);
}

template <class... Entry>
std::string complaint(const Entry*... entry) {
  try {
    read(entry...);
  } catch (const usage_error& e) { return e.what(); }
  return "no complaint";
}

TEST(options, defaults_hold_without_any_variable) {
  const options o = read();
  EXPECT_EQ(o.ranks, 1);
  EXPECT_EQ(o.fabric, "auto");
  EXPECT_EQ(o.ring, 128u * 1024);
  EXPECT_EQ(o.spin_ns, 50'000u);
  EXPECT_TRUE(o.cross_copy);
  EXPECT_TRUE(std::has_single_bit(o.segment));
}

TEST(options, reads_each_kind_of_value) {
  const options o = read("ARMILLA_RANKS=4", "ARMILLA_FABRIC=threads", "ARMILLA_LABEL=1", "ARMILLA_RING=64K", "ARMILLA_SPIN=5",
                         "ARMILLA_YIELD=1ms", "ARMILLA_STALL=3", "ARMILLA_FENCE=hypercube", "ARMILLA_STATS=out.json");
  EXPECT_EQ(o.ranks, 4);
  EXPECT_EQ(o.fabric, "threads");
  EXPECT_TRUE(o.label);
  EXPECT_EQ(o.ring, 65536u);
  EXPECT_EQ(o.spin_ns, 5'000u);
  EXPECT_EQ(o.yield_ns, 1'000'000u);
  EXPECT_EQ(o.stall_ns, 3'000'000'000u);
  EXPECT_EQ(o.fence, pattern::hypercube);
  EXPECT_EQ(o.stats, "out.json");
}

TEST(options, skips_what_is_not_ours) {
  EXPECT_EQ(read("PATH=/bin", "ARMILLA_INTERNAL_RANK=7", "ARMILLAX=1", "XARMILLA_RANKS=9").ranks, 1);
}

TEST(options, an_old_name_is_understood_and_yields_to_the_new_one) {
  EXPECT_EQ(read("ARMILLA_RECEPTION=thread").progress, progress_mode::thread);
  EXPECT_EQ(read("ARMILLA_PROGRESS_MODE=signal", "ARMILLA_RECEPTION=thread").progress, progress_mode::signal);
  EXPECT_EQ(read("ARMILLA_RECEPTION=thread", "ARMILLA_PROGRESS_MODE=signal").progress, progress_mode::signal);
  EXPECT_NE(complaint("ARMILLA_RECEPTION=often").find("ARMILLA_PROGRESS_MODE=often is not allowed"), std::string::npos);
}

TEST(options, an_unknown_name_is_an_error_that_names_the_nearest) {
  EXPECT_NE(complaint("ARMILLA_RANK=4").find("ARMILLA_RANK is no option; did you mean ARMILLA_RANKS?"), std::string::npos);
  EXPECT_NE(complaint("ARMILLA_SPILLLIMIT=4").find("did you mean ARMILLA_BACKLOG_LIMIT?"), std::string::npos);
  EXPECT_NE(complaint("ARMILLA_=4").find("is no option"), std::string::npos);
  EXPECT_NE(complaint("ARMILLA_RANK=4").find("armilla-run --options prints all"), std::string::npos);
}

TEST(options, a_bad_value_names_variable_value_and_what_is_allowed) {
  EXPECT_NE(complaint("ARMILLA_RANKS=many").find("ARMILLA_RANKS=many is not allowed; give a number from 1 to"),
            std::string::npos);
  EXPECT_NE(complaint("ARMILLA_FABRIC=infini band").find("give one of auto shm threads"), std::string::npos);
  EXPECT_NE(complaint("ARMILLA_RING=100K").find("give a power of two from 4K to 1G"), std::string::npos);
}

TEST(options, what_all_ranks_share_is_taken_over) {
  const options first = read("ARMILLA_STATS=1,out.json", "ARMILLA_FENCE=tree", "ARMILLA_LOSS_GRACE=3ms", "ARMILLA_SPIN=7us");
  options second;
  EXPECT_EQ(second.take_shared(first.shared()).here, "");  // nothing was given there
  EXPECT_EQ(second.stats, "1,out.json");
  EXPECT_EQ(second.fence, pattern::tree);
  EXPECT_EQ(second.loss_grace_ns, 3'000'000u);
  EXPECT_EQ(second.spin_ns, options{}.spin_ns);  // each rank's own
  EXPECT_EQ(second.shared(), first.shared());
}

TEST(options, what_is_overruled_is_told) {
  options second = read("ARMILLA_FENCE=flat", "ARMILLA_TRACE=a.json", "ARMILLA_RING=64K");
  const auto overruled = second.take_shared(read("ARMILLA_FENCE=tree", "ARMILLA_RING=64K").shared());
  EXPECT_EQ(overruled.here, "ARMILLA_FENCE=flat ARMILLA_TRACE=a.json");
  EXPECT_EQ(overruled.there, "ARMILLA_FENCE=tree ARMILLA_TRACE=");
  EXPECT_THROW(second.take_shared("fence=round"), usage_error);
  EXPECT_THROW(second.take_shared("nonsense"), usage_error);
}

TEST(options, refuses_every_kind_of_nonsense) {
  for (const char* bad :
       {"ARMILLA_RANKS=0", "ARMILLA_RANKS=-1", "ARMILLA_RANKS=4x", "ARMILLA_RANKS=", "ARMILLA_RANKS=99999999999",
        "ARMILLA_LABEL=maybe", "ARMILLA_EAGER=16Q", "ARMILLA_EAGER=-1", "ARMILLA_RANKS=1025", "ARMILLA_SEGMENT=1M",
        "ARMILLA_EAGER=99999999999999999999", "ARMILLA_EAGER=99999999999999T", "ARMILLA_SPIN=fast", "ARMILLA_SPIN=1h",
        "ARMILLA_STATS=yes", "ARMILLA_PIN="})
    EXPECT_NE(complaint(bad).find("is not allowed; give"), std::string::npos) << bad;
}

TEST(options, an_empty_value_is_none_of_any_option) {
  for (const option_row& r : option_table())
    EXPECT_NE(complaint((variable_of(r.name) + "=").c_str())
                  .find(variable_of(r.name) + "= is not allowed; give " + r.allowed + ", or unset it"),
              std::string::npos)
        << r.name;
}

TEST(options, words_of_faults_are_judged_without_a_network) {
  EXPECT_NE(complaint("ARMILLA_FAULTS=x").find("ARMILLA_FAULTS: 'x' is not allowed; give words"), std::string::npos);
  EXPECT_NE(complaint("ARMILLA_FAULTS=delay=1us,drop=2").find("ARMILLA_FAULTS: 'drop=2' is not allowed"), std::string::npos);
  EXPECT_EQ(read("ARMILLA_FAULTS=drop=0.02").faults, "drop=0.02");
}

TEST(options, set_and_get_speak_the_same_language) {
  options o;
  o.set("ring", "1M");
  o.set("ARMILLA_SPIN", "250us");
  o.set("Access", "opened");
  EXPECT_EQ(o.get("ring"), "1M");
  EXPECT_EQ(o.get("ARMILLA_SPIN"), "250us");
  EXPECT_EQ(o.get("access"), "opened");
  EXPECT_THROW(o.get("rong"), usage_error);
}

// Sets a variable for the length of a test.
class variable {
 public:
  variable(const char* name, const std::string& value) : name_(name) {
    if (const char* was = std::getenv(name)) before_ = was, was_set_ = true;
    setenv(name, value.c_str(), 1);
  }
  ~variable() { was_set_ ? setenv(name_, before_.c_str(), 1) : unsetenv(name_); }
  variable(const variable&) = delete;
  variable& operator=(const variable&) = delete;

 private:
  const char* name_;
  std::string before_;
  bool was_set_ = false;
};

// A tuned file that lives as long as the test.
class tuned_file_test : public testing::Test {
 protected:
  ~tuned_file_test() override { unlink(path_.c_str()); }
  void write(const std::string& text) { std::ofstream(path_) << text; }
  std::string refusal(const std::string& text) {
    write(text);
    try {
      options::from_environment();
    } catch (const usage_error& e) { return e.what(); }
    return "no complaint";
  }

  std::string path_ = testing::TempDir() + "armilla_tuned_" + std::to_string(getpid());
  variable tuned_{"ARMILLA_TUNED", path_};
};

TEST_F(tuned_file_test, gives_values_that_the_environment_overrules) {
  write("# measured\n\n  aggregate = 2K \r\n");
  EXPECT_EQ(options::from_environment().aggregate, 2048u);
  const variable stronger("ARMILLA_AGGREGATE", "512");
  EXPECT_EQ(options::from_environment().aggregate, 512u);
}

TEST_F(tuned_file_test, may_be_missing_but_not_silently_where_it_is_named) {
  EXPECT_EQ(options::from_environment().aggregate, options().aggregate);
  EXPECT_NE(complaint_of_tuned_file().find("ARMILLA_TUNED=" + path_ + " is not read, so nothing is tuned: No such file"),
            std::string::npos);
  write("aggregate=2K\n");
  EXPECT_EQ(complaint_of_tuned_file(), "");
  const variable off("ARMILLA_TUNED", "none");
  EXPECT_EQ(complaint_of_tuned_file(), "");
}

TEST_F(tuned_file_test, is_not_read_if_switched_off) {
  write("aggregate=512\n");
  const variable folder("XDG_CONFIG_HOME", path_ + ".none");
  const variable off("ARMILLA_TUNED", "none");
  EXPECT_EQ(options::from_environment().aggregate, options().aggregate);
}

TEST_F(tuned_file_test, a_bad_line_names_file_line_and_what_is_allowed) {
  const std::string text = refusal("# measured\naggregate=lots\n");
  EXPECT_NE(text.find(path_ + ", line 2: 'aggregate=lots' is not allowed; give aggregate= followed by bytes from 0 to 1M"),
            std::string::npos)
      << text;
  EXPECT_NE(text.find("ARMILLA_TUNED=none"), std::string::npos) << text;
}

TEST_F(tuned_file_test, sets_nothing_but_what_is_tunable) {
  for (const char* bad : {"ranks=4", "tuned=other", "aggregate", "=4096", "aggregate=4096 # good", "agregate=4096"})
    EXPECT_NE(refusal(bad).find(", line 1: '" + std::string(bad) + "' is not allowed"), std::string::npos) << bad;
}

TEST_F(tuned_file_test, lies_in_the_users_folder_unless_named) {
  EXPECT_EQ(tuned_file(), path_);
  const variable unnamed("ARMILLA_TUNED", "");
  const variable home("HOME", "/home/somebody");
  const variable config("XDG_CONFIG_HOME", "/etc/somewhere");
  EXPECT_EQ(tuned_file(), "/etc/somewhere/armilla/tuned");
  const variable no_config("XDG_CONFIG_HOME", "");
  EXPECT_EQ(tuned_file(), "/home/somebody/.config/armilla/tuned");
  const variable no_home("HOME", "");
  EXPECT_EQ(tuned_file(), "");
}

TEST(options, reads_the_real_environment) {
  const variable no_file("ARMILLA_TUNED", "none");
  setenv("ARMILLA_POLL_EVERY", "16", 1);
  EXPECT_EQ(options::from_environment().poll_every, 16);
  unsetenv("ARMILLA_POLL_EVERY");
}

TEST(options, a_polls_budget_is_a_number_or_a_time) {
  options o;
  EXPECT_EQ(o.get("poll_budget"), "0");
  o.set("poll_budget", "16");
  EXPECT_EQ(o.poll_budget.bodies, 16U);
  EXPECT_EQ(o.poll_budget.ns, 0U);
  EXPECT_EQ(o.get("poll_budget"), "16");
  o.set("poll_budget", "200us");
  EXPECT_EQ(o.poll_budget.bodies, 0U);
  EXPECT_EQ(o.poll_budget.ns, 200'000U);
  EXPECT_EQ(o.get("poll_budget"), "200us");
  EXPECT_THROW(o.set("poll_budget", "-1"), usage_error);
  EXPECT_THROW(o.set("poll_budget", "many"), usage_error);
}

TEST(options, the_manual_names_every_variable_its_text_and_default) {
  std::FILE* file = std::tmpfile();
  print_manual(file);
  std::string text(static_cast<std::size_t>(std::ftell(file)), '\0');
  std::rewind(file);
  ASSERT_EQ(std::fread(text.data(), 1, text.size(), file), text.size());
  std::fclose(file);
  EXPECT_NE(text.find("ARMILLA_RANKS\n    Number of ranks"), std::string::npos);
  EXPECT_NE(text.find("Default: 128K."), std::string::npos);
  EXPECT_NE(text.find("Default: 50us."), std::string::npos);
  EXPECT_NE(text.find("ARMILLA_ACCESS_BY_MESSAGE"), std::string::npos);
}

TEST(option_text, sizes_take_suffixes) {
  std::uint64_t n = 0;
  for (const auto& [text, bytes] : {std::pair<const char*, std::uint64_t>{"17", 17},
                                    {"1k", 1024},
                                    {"2MB", 2 << 20},
                                    {"1g", 1 << 30},
                                    {"3B", 3},
                                    {"1T", std::uint64_t{1} << 40}}) {
    EXPECT_TRUE(parse_bytes(text, n)) << text;
    EXPECT_EQ(n, bytes) << text;
  }
}

TEST(option_text, shows_the_shortest_exact_spelling) {
  EXPECT_EQ(show_bytes(0), "0");
  EXPECT_EQ(show_bytes(1025), "1025");
  EXPECT_EQ(show_bytes(3 << 20), "3M");
  EXPECT_EQ(show_duration(1'000'000'000), "1s");
  EXPECT_EQ(show_duration(1'500'000), "1500us");
}

TEST(option_text, a_slip_of_the_finger_is_told_from_another_word) {
  const std::vector<std::string> known{"auto", "threads", "shm"};
  EXPECT_EQ(did_you_mean("thread", known), "; did you mean threads?");
  EXPECT_EQ(did_you_mean("trheads", known), "; did you mean threads?");
  EXPECT_EQ(did_you_mean("SHN", known), "; did you mean shm?");
  EXPECT_EQ(did_you_mean("tcp", known), "");
  EXPECT_EQ(did_you_mean("", known), "");
}

TEST(options, a_value_that_is_almost_one_of_the_choices_names_it) {
  EXPECT_NE(complaint("ARMILLA_BARRIER=tre").find("give one of auto flat tree hypercube dissemination; did you mean tree?"),
            std::string::npos);
  EXPECT_EQ(complaint("ARMILLA_BARRIER=nothing").find("did you mean"), std::string::npos);
}

TEST(option_text, edit_distance_counts_changes) {
  EXPECT_EQ(edit_distance("ring", "RING"), 0u);
  EXPECT_EQ(edit_distance("ring", "wing"), 1u);
  EXPECT_EQ(edit_distance("", "abc"), 3u);
  EXPECT_EQ(edit_distance("kitten", "sitting"), 3u);
}

}  // namespace
}  // namespace armilla::detail

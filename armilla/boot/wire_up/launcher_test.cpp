// SPDX-License-Identifier: Apache-2.0
#include "armilla/boot/wire_up/launcher.hpp"

#include <cstdlib>
#include <map>
#include <string>
#include <utility>

#include <gtest/gtest.h>

#include "armilla/boot/wire_up/agent_line.hpp"
#include "armilla/boot/wire_up/join_job.hpp"

namespace armilla::detail {
namespace {

using variables = std::map<std::string, std::string>;

/// The environment has these signs of launchers and no others while it lives.
class signs {
 public:
  explicit signs(const variables& wanted) {
    for (const char* name : all) {
      if (const char* const value = std::getenv(name)) before_[name] = value;
      unsetenv(name);
    }
    for (const auto& [name, value] : wanted) setenv(name.c_str(), value.c_str(), 1);
  }
  ~signs() {
    for (const char* name : all) unsetenv(name);
    for (const auto& [name, value] : before_) setenv(name.c_str(), value.c_str(), 1);
  }
  signs(const signs&) = delete;

 private:
  static constexpr const char* all[] = {
      job_variable,    rank_variable,  line_variable,          joined_variable, "OMPI_COMM_WORLD_RANK", "OMPI_COMM_WORLD_SIZE",
      "SLURM_STEP_ID", "SLURM_PROCID", "SLURM_STEP_NUM_TASKS", "PMIX_RANK",     "PMIX_NAMESPACE",       "PMI_RANK",
      "PMI_FD",        "PMI_SIZE"};
  variables before_;
};

launcher found(const variables& environment) {
  const signs here(environment);
  return find_launcher(std::string());
}

const variables slurm_step = {{"SLURM_STEP_ID", "0"}, {"SLURM_PROCID", "1"}, {"SLURM_STEP_NUM_TASKS", "8"}};

variables with(variables some, const variables& more) {
  some.insert(more.begin(), more.end());
  return some;
}

TEST(launcher, what_the_process_has_set_itself_tells_of_none) {
  using namespace std::string_literals;
  const signs here({{"PMIX_RANK", "0"}, {"PMIX_NAMESPACE", "singleton"}});
  EXPECT_EQ(find_launcher("HOME=/\0PATH=/bin\0"s).kind, launcher_kind::none);
  EXPECT_EQ(find_launcher("PMIX_RANK=0\0HOME=/\0PMIX_NAMESPACE=x\0"s).kind, launcher_kind::pmix);
  EXPECT_EQ(find_launcher().kind, launcher_kind::none);
  EXPECT_TRUE(is_own_sign("PMIX_RANK"));
  EXPECT_TRUE(is_own_sign("OMPI_MCA_orte_hnp_uri"));
  EXPECT_FALSE(is_own_sign("OMPI_MCA_btl"));
  EXPECT_FALSE(is_own_sign("PATH"));
}

TEST(launcher, a_shell_is_none) { EXPECT_EQ(found({}).kind, launcher_kind::none); }

TEST(launcher, open_mpi_says_how_many_it_started) {
  const launcher l =
      found({{"OMPI_COMM_WORLD_RANK", "3"}, {"OMPI_COMM_WORLD_SIZE", "4"}, {"PMIX_RANK", "3"}, {"PMIX_NAMESPACE", "x"}});
  EXPECT_EQ(l.kind, launcher_kind::open_mpi);
  EXPECT_EQ(l.ranks, 4);
}

TEST(launcher, mpich_is_known_by_a_rank_or_by_a_descriptor_and_a_size) {
  EXPECT_EQ(found({{"PMI_RANK", "0"}, {"PMI_SIZE", "2"}}).kind, launcher_kind::mpich);
  const launcher l = found({{"PMI_FD", "7"}, {"PMI_SIZE", "5"}});
  EXPECT_EQ(l.kind, launcher_kind::mpich);
  EXPECT_EQ(l.ranks, 5);
  EXPECT_EQ(found({{"PMI_FD", "7"}}).kind, launcher_kind::none);
}

TEST(launcher, slurm_is_told_by_the_way_it_brings_ranks_together) {
  EXPECT_EQ(found(slurm_step).kind, launcher_kind::slurm);
  EXPECT_EQ(found(slurm_step).ranks, 8);
  const launcher pmix = found(with(slurm_step, {{"PMIX_RANK", "1"}, {"PMIX_NAMESPACE", "x"}}));
  EXPECT_EQ(pmix.kind, launcher_kind::pmix);
  EXPECT_EQ(pmix.ranks, 8);
  EXPECT_EQ(pmix.name, "srun");
  EXPECT_EQ(found(with(slurm_step, {{"PMI_RANK", "1"}, {"PMI_SIZE", "8"}})).name, "srun");
}

TEST(launcher, a_shell_inside_an_allocation_is_none) {
  EXPECT_EQ(found({{"SLURM_STEP_NUM_TASKS", "8"}, {"SLURM_PROCID", "0"}}).kind, launcher_kind::none);
}

TEST(launcher, another_one_that_speaks_pmix_does_not_say_how_many) {
  const launcher l = found({{"PMIX_RANK", "0"}, {"PMIX_NAMESPACE", "x"}});
  EXPECT_EQ(l.kind, launcher_kind::pmix);
  EXPECT_EQ(l.ranks, 0);
}

TEST(launcher, a_size_that_is_none_is_not_told) {
  for (const char* size : {"", "-4", "0", "many", "99999999999"}) {
    const launcher l = found({{"OMPI_COMM_WORLD_RANK", "0"}, {"OMPI_COMM_WORLD_SIZE", size}});
    EXPECT_EQ(l.kind, launcher_kind::open_mpi);
    EXPECT_EQ(l.ranks, 0) << size;
  }
}

TEST(launcher, what_a_rank_starts_is_a_job_of_its_own) {
  EXPECT_EQ(found(with(slurm_step, {{joined_variable, "1"}, {"OMPI_COMM_WORLD_RANK", "0"}})).kind, launcher_kind::none);
}

TEST(launcher, our_own_supervisor_and_agent_come_before_the_launcher_around_them) {
  EXPECT_EQ(found(with(slurm_step, {{line_variable, "3 0 2 here"}, {joined_variable, "1"}})).kind, launcher_kind::agent);
  EXPECT_EQ(found(with(slurm_step, {{job_variable, "3"}, {rank_variable, "0"}, {joined_variable, "1"}})).kind,
            launcher_kind::own);
}

}  // namespace
}  // namespace armilla::detail

// SPDX-License-Identifier: Apache-2.0
#include "host_list.hpp"

#include <cstdio>
#include <cstdlib>
#include <fstream>
#include <stdexcept>
#include <string>
#include <vector>

#include <gtest/gtest.h>

namespace armilla::run {
namespace {

using names = std::vector<std::string>;

std::string text_of(const std::vector<host_slots>& hosts) {
  std::string all;
  for (const host_slots& h : hosts) all += h.name + ":" + std::to_string(h.slots) + " ";
  return all;
}

std::string refusal(auto f) {
  try {
    f();
  } catch (const std::invalid_argument& why) { return why.what(); }
  return "accepted";
}

struct a_file : testing::Test {
  std::string path = testing::TempDir() + "armilla_hosts_" + std::to_string(getpid());
  ~a_file() override { std::remove(path.c_str()); }
  std::vector<host_slots> read(const std::string& content) {
    std::ofstream(path) << content;
    return hosts_of_file(path);
  }
};

TEST(host_list, names_and_numbers_of_ranks) {
  EXPECT_EQ(text_of(hosts_of_list("a:2,b,c.example:12")), "a:2 b:1 c.example:12 ");
  for (const char* wrong : {"", "a:0", "a:x", "a:", ":2", "a,,b", "-x:1", "a b:1", "a:1x", "a:99999999999"})
    EXPECT_NE(refusal([=] { hosts_of_list(wrong); }), "accepted") << wrong;
}

TEST_F(a_file, has_a_host_a_line) { EXPECT_EQ(text_of(read("# ours\n\na slots=2\nb:3  # old\r\nc\n")), "a:2 b:3 c:1 "); }

TEST_F(a_file, may_name_a_host_for_each_rank) { EXPECT_EQ(text_of(read("a\na\nb\na\n")), "a:3 b:1 "); }

TEST_F(a_file, is_refused_with_line_and_reason) {
  EXPECT_EQ(refusal([this] { read("a\nb cores=2\n"); }), path + ", line 2: 'cores=2' follows the host; only slots=N may");
  EXPECT_EQ(refusal([this] { read("a slots=none\n"); }), path + ", line 1: 'none' is no number of ranks from 1 to 1024");
  EXPECT_EQ(refusal([this] { read("# nothing\n"); }), path + ": no host is named");
  EXPECT_EQ(refusal([] { hosts_of_file("/nowhere/hosts"); }), "/nowhere/hosts: No such file or directory");
}

TEST(slurm, names_are_expanded) {
  EXPECT_EQ(expand_host_names("a"), names{"a"});
  EXPECT_EQ(expand_host_names("n[1-3,07],b,c[09-11]x"), (names{"n1", "n2", "n3", "n07", "b", "c09x", "c10x", "c11x"}));
  for (const char* wrong : {"n[1-", "n[a]", "n[3-1]", "n[]", ",", "-n", "-n[1-2]", "n[1-2]m[1-2]", "n[1-2]m[1,2]"})
    EXPECT_NE(refusal([=] { expand_host_names(wrong); }), "accepted") << wrong;
}

TEST(slurm, numbers_of_tasks_are_expanded) {
  EXPECT_EQ(expand_task_counts("2(x3),1"), (std::vector<int>{2, 2, 2, 1}));
  EXPECT_EQ(expand_task_counts(""), std::vector<int>());
  for (const char* wrong : {"2(3)", "x", "2(x3", "2(x)"})
    EXPECT_NE(refusal([=] { expand_task_counts(wrong); }), "accepted") << wrong;
}

TEST(slurm, an_allocation_of_several_nodes_names_the_hosts) {
  for (const char* name : {"SLURM_JOB_ID", "SLURM_JOB_NODELIST", "SLURM_TASKS_PER_NODE", "SLURM_STEP_ID"}) unsetenv(name);
  EXPECT_FALSE(hosts_of_slurm());
  setenv("SLURM_JOB_ID", "7", 1);
  setenv("SLURM_JOB_NODELIST", "n[1-2]", 1);
  setenv("SLURM_TASKS_PER_NODE", "4(x2)", 1);
  EXPECT_EQ(text_of(hosts_of_slurm().value()), "n1:4 n2:4 ");
  setenv("SLURM_STEP_ID", "4294967291", 1);  // of a batch script
  EXPECT_TRUE(hosts_of_slurm());
  setenv("SLURM_STEP_ID", "0", 1);  // a task of srun
  EXPECT_FALSE(hosts_of_slurm());
  unsetenv("SLURM_STEP_ID");
  setenv("ARMILLA_LAUNCHER", "none", 1);
  EXPECT_FALSE(hosts_of_slurm());
  unsetenv("ARMILLA_LAUNCHER");
  setenv("SLURM_JOB_NODELIST", "n1", 1);
  EXPECT_FALSE(hosts_of_slurm());
}

}  // namespace
}  // namespace armilla::run

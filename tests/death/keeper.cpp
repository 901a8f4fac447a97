// SPDX-License-Identifier: Apache-2.0
// Containers that outlive ranks: keeper KIND SEED STEPS ELEMENTS COPIES DEATH... Each DEATH is RANK:WHEN:DELAY_US: so long after
// the start (WHEN `start`), the WHEN-th checkpoint of that rank has begun, or it has heard of a loss (`loss`). RANK:second host:
// from that rank on the others are on another host. What comes back is compared with what the elements were when the checkpoint
// was made, and what is gone with the ranks that are left. Ranks that come into the job do nothing. Driven by
// keep_test.py.
#include <signal.h>
#include <unistd.h>

#include <algorithm>
#include <chrono>
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <map>
#include <memory>
#include <random>
#include <sstream>
#include <stdexcept>
#include <string>
#include <thread>
#include <vector>

#include <armilla/algorithms.hpp>
#include <armilla/armilla.hpp>

#include "keeper_kinds.hpp"

namespace am = armilla;

namespace {

struct death {
  std::string when;
  long delay_us = 0;
};
std::vector<death> mine;  // that are to strike this rank

void strike_at(const std::string& when) {
  for (const death& d : mine)
    if (d.when == when)
      std::thread([d] {
        std::this_thread::sleep_for(std::chrono::microseconds(d.delay_us));
        kill(getpid(), SIGKILL);
      }).detach();
  std::erase_if(mine, [&](const death& d) { return d.when == when; });
}

// Blocks of this rank's heap, between which copies come and go.
class blocks_of_others {
 public:
  explicit blocks_of_others(unsigned seed) : dice_(seed) {}
  void stir() {
    if (held_.size() > 20 || (!held_.empty() && dice_() % 2 == 0)) {
      const held out = held_.back();
      held_.pop_back();
      for (std::size_t i = 0; i < out.n; ++i) require(out.at.local()[i] == out.n, "a block of the heap was written over");
      am::deallocate(out.at);
    } else {
      held in{{}, 1 + dice_() % 20'000};
      in.at = am::allocate<std::uint64_t>(in.n);
      std::fill_n(in.at.local(), in.n, in.n);
      held_.push_back(in);
    }
  }

 private:
  struct held {
    am::global_ptr<std::uint64_t> at;
    std::size_t n;
  };
  std::vector<held> held_;
  std::mt19937 dice_;
};

template <class Kind>
class life {
 public:
  life(unsigned seed, long steps, std::size_t n, int copies)
      : steps_(steps), n_(n), copies_(copies), every_(2 + seed % 4), stirred_(seed + unsigned(am::rank())) {}

  void live() {
    make();
    am::barrier();
    strike_at("start");
    bool whole = true;
    while (step_ < steps_ || !whole) try {
        if (!whole) {
          t_ = t_.survivors();
          recover();
          whole = true;
          if (x_->gone() != 0) {  // once more, of what is made anew
            x_->advance(step_);
            keep(mark_ + 1);
          }
        }
        work();
        ++step_;
      } catch (const am::rank_lost&) {
        whole = false;
        strike_at("loss");
      } catch (const am::remote_error& e) {  // a fence: a body met a rank that is lost; on all members
        if (std::string(e.type_name()) != "armilla::rank_lost") throw;
      }
    x_->verify(step_);
  }

 private:
  void make() {
    x_ = std::make_unique<Kind>(t_, n_);
    if constexpr (!Kind::raw) x_->keep(copies_);
    was_.clear();
    mark_ = times_ = 0;
    step_ = 0;
  }

  void work() {
    stirred_.stir();
    x_->advance(step_ + 1);
    if constexpr (Kind::raw) {
      t_.barrier();
      strike_at(std::to_string(step_));
    } else if ((step_ + 1) % every_ == 0) {
      keep(std::uint64_t(step_ + 1) * 16);
    }
  }
  void keep(std::uint64_t mark) {
    if constexpr (!Kind::raw) {
      was_[mark] = t_;
      strike_at(std::to_string(++checkpoints_));
      x_->checkpoint(mark);
      mark_ = mark;
    }
  }

  // A checkpoint, or the last recovery, may have ended well here and not on others: it counts then.
  void recover() {
    struct past {
      std::uint64_t mark, times;
      long done;
    };
    const past all = t_.all_reduce(past{mark_, times_, step_}, [](const past& a, const past& b) {
      return past{std::max(a.mark, b.mark), std::max(a.times, b.times), std::max(a.done, b.done)};
    });
    if constexpr (Kind::raw) {
      x_->recover(t_, all.done);
      step_ = all.done;
    } else {
      if (times_ < all.times) adopt();
      require(times_ == all.times, "recovered twice on another rank");
      if (all.mark != 0) {
        x_->expect(all.mark, was_.at(all.mark), t_);
        tried_ = {all.mark, t_};
      }
      try {
        const std::uint64_t mark = x_->recover(t_);
        require(mark == all.mark, "the mark is " + std::to_string(mark) + " in place of " + std::to_string(all.mark));
        adopt();
        if constexpr (requires { x_->check(mark); }) x_->check(mark);
      } catch (const am::usage_error& e) {
        require(all.mark == 0 && std::string(e.what()).find("no checkpoint") != std::string::npos, e.what());
        std::printf("rank %d had nothing\n", int(am::rank()));
        make();
        return;
      }
    }
    std::printf("rank %d of %d goes on from step %ld, %zu gone\n", int(am::rank()), int(t_.size()), step_, x_->gone());
    std::fflush(stdout);
  }
  void adopt() {
    if constexpr (!Kind::raw) x_->adopt();
    mark_ = tried_.mark;
    was_[mark_] = tried_.t;
    step_ = step_of(mark_);
    ++times_;
  }

  const long steps_;
  const std::size_t n_;
  const int copies_;
  const long every_;
  long step_ = 0, checkpoints_ = 0;
  std::uint64_t mark_ = 0;  // of the last checkpoint that ended well here
  am::team t_ = am::world();
  std::uint64_t times_ = 0;  // recovered
  struct attempt {
    std::uint64_t mark = 0;
    am::team t;
  };
  attempt tried_;
  std::unique_ptr<Kind> x_;
  std::map<std::uint64_t, am::team> was_;  // over which team each checkpoint was made
  blocks_of_others stirred_;
};

template <class Kind>
int live(char** argv) {
  life<Kind>(unsigned(std::atoi(argv[2])), std::atol(argv[3]), std::size_t(std::atol(argv[4])), std::atoi(argv[5])).live();
  std::printf("rank %d done\n", int(am::rank()));
  std::fflush(stdout);
  return 0;
}

}  // namespace

int main(int argc, char** argv) {
  if (argc < 6) return 98;
  am::on_join([] {});
  return am::run(argc, argv, [&] {
    for (int i = 6; i < argc; ++i) {
      std::istringstream text(argv[i]);
      std::string rank, delay;
      death d;
      std::getline(text, rank, ':');
      std::getline(text, d.when, ':');
      std::getline(text, delay, ':');
      d.delay_us = std::atol(delay.c_str());
      if (d.when == "second host") first_on_second_host = am::rank_t(std::atoi(rank.c_str()));
      if (std::atoi(rank.c_str()) == am::rank()) mine.push_back(d);
    }
    const std::string kind = argv[1];
    if (kind == "blocks") return live<numbers<am::array<std::uint64_t>, 0>>(argv);
    if (kind == "cyclic") return live<numbers<am::array<std::uint64_t>, 3>>(argv);
    if (kind == "vector") return live<growing_numbers>(argv);
    if (kind == "texts") return live<numbers<am::array<std::string>, 0>>(argv);
    if (kind == "dealt texts") return live<numbers<am::array<std::string>, 3>>(argv);
    if (kind == "plate") return live<plate>(argv);
    if (kind == "map") return live<words<am::unordered_map<long, std::string>, false>>(argv);
    if (kind == "set") return live<words<am::unordered_set<long>, false>>(argv);
    if (kind == "multiset") return live<words<am::unordered_multiset<long>, true>>(argv);
    if (kind == "multimap") return live<words<am::unordered_multimap<long, std::string>, true>>(argv);
    if (kind == "list") return live<in_order<am::list<std::string>>>(argv);
    if (kind == "ordered map") return live<in_order<am::map<long, std::string>>>(argv);
    if (kind == "raw") return live<raw_numbers>(argv);
    return 97;
  });
}

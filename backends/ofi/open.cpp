// SPDX-License-Identifier: Apache-2.0
// How a rank starts libfabric, and how the others reach it.
#include <sys/random.h>

#include <algorithm>
#include <bit>
#include <cstdio>
#include <cstring>

#include <rdma/fi_cm.h>
#include <rdma/fi_domain.h>
#include <rdma/fi_endpoint.h>
#include <rdma/fi_errno.h>

#include "backends/ofi/ofi_network.hpp"
#include "backends/ofi/signals.hpp"

namespace armilla::ofi {
namespace {

using detail::network_settings;

constexpr std::size_t most_a_piece = std::size_t{1} << 30;

}  // namespace

ofi_network::ofi_network(rank_t rank, rank_t ranks, const network_settings& settings)
    : rank_(rank),
      ranks_(ranks),
      new_rank_(settings.new_rank),
      most_(settings.frame_bytes),
      peers_(std::size_t(ranks)),
      slots_(std::max(settings.receives, 2u)) {}

detail::network* ofi_network::open(rank_t rank, rank_t ranks, const network_settings& settings, detail::bootstrap*, char* why,
                                   std::size_t room) {
  if (room > 0) *why = '\0';
  const kept_signals meanwhile;
  std::unique_ptr<ofi_network> made(new ofi_network(rank, ranks, settings));
  std::string problem;
  if (made->start(settings, problem)) return made.release();
  std::snprintf(why, room, "%s", problem.c_str());
  return nullptr;
}

bool ofi_network::start(const network_settings& settings, std::string& why) {
  info_ = choose_offer(settings, why);
  if (!info_) return false;
  version_ = version_text() + ", " + text_of(*info_);
  if (sizeof(packet_head) + most_ > info_->ep_attr->max_msg_size) {
    why = version_ + ": a message has " + std::to_string(info_->ep_attr->max_msg_size) + " bytes at most, and a frame needs " +
          std::to_string(sizeof(packet_head) + most_) + "; name another provider by FI_PROVIDER";
    return false;
  }
  most_piece_ = std::min(most_a_piece, info_->ep_attr->max_msg_size);
  if (getrandom(&key_, sizeof key_, 0) != sizeof key_ || getrandom(&next_tag_, sizeof next_tag_, 0) != sizeof next_tag_) {
    why = "the system gives no random numbers for a key";
    return false;
  }
  const std::uint64_t format = info_->ep_attr->mem_tag_format;  // its highest bit says how many a tag has
  tag_mask_ = format == 0 ? ~std::uint64_t{0} : ~std::uint64_t{0} >> std::countl_zero(format);
  return open_endpoint(why) && take_address(why);
}

bool ofi_network::open_endpoint(std::string& why) {
  const auto works = [&](int result, const char* what) {
    if (result != 0)
      why = version_ + ", " + what + ": " + fi_strerror(-result) +
            "; FI_LOG_LEVEL=warn tells more, and FI_PROVIDER names another provider";
    return result == 0;
  };
  fi_av_attr table{};
  table.type = FI_AV_TABLE;
  table.count = std::size_t(ranks_);
  if (!works(fi_fabric(info_->fabric_attr, fabric_.out(), nullptr), "fi_fabric") ||
      !works(fi_domain(fabric_.get(), info_.get(), domain_.out(), nullptr), "fi_domain") ||
      !works(fi_av_open(domain_.get(), &table, addresses_.out(), nullptr), "fi_av_open") || !works(open_queue(), "fi_cq_open") ||
      !works(fi_endpoint(domain_.get(), info_.get(), endpoint_.out(), nullptr), "fi_endpoint") ||
      !works(fi_ep_bind(endpoint_.get(), &addresses_->fid, 0), "fi_ep_bind") ||
      !works(fi_ep_bind(endpoint_.get(), &queue_->fid, FI_TRANSMIT | FI_RECV), "fi_ep_bind") ||
      !works(fi_enable(endpoint_.get()), "fi_enable"))
    return false;

  const std::size_t bytes = room_of_frame() * slots_.size();
  receive_bytes_ = std::make_unique_for_overwrite<std::byte[]>(bytes);
  no_buffer_ = std::make_unique_for_overwrite<std::byte[]>(most_);
  if (!works(-enroll(receive_bytes_.get(), bytes, FI_RECV, receive_memory_), "fi_mr_reg")) return false;
  for (std::size_t i = 0; i < slots_.size(); ++i) {
    slots_[i].what = operation::kind::receive;
    slots_[i].place = receive_bytes_.get() + i * room_of_frame();
    receive(slots_[i]);
  }
  if (broken_) why = losses_.front().why;
  return !broken_;
}

/// With a descriptor to sleep at, where the provider has one.
int ofi_network::open_queue() {
  fi_cq_attr how{};
  how.format = FI_CQ_FORMAT_MSG;
  how.size = info_->tx_attr->size + info_->rx_attr->size;
  how.wait_obj = FI_WAIT_FD;
  if (fi_cq_open(domain_.get(), &how, queue_.out(), nullptr) == 0) {
    if (fi_control(&queue_->fid, FI_GETWAIT, &descriptor_) != 0) descriptor_ = -1;
    return 0;
  }
  how.wait_obj = FI_WAIT_NONE;
  return fi_cq_open(domain_.get(), &how, queue_.out(), nullptr);
}

/// What a provider reads and writes is made known to it, if it asks for that. 0: done.
int ofi_network::enroll(const void* memory, std::size_t bytes, std::uint64_t access, registration& made) {
  if ((info_->domain_attr->mr_mode & FI_MR_LOCAL) == 0 || bytes == 0 || made.region) return 0;
  fid_mr** const region = made.region.out();
  int result = fi_mr_reg(domain_.get(), memory, bytes, access, 0, next_region_++, 0, region, nullptr);
  if (result == 0 && (info_->domain_attr->mr_mode & FI_MR_ENDPOINT) != 0) {
    result = fi_mr_bind(*region, &endpoint_->fid, 0);
    if (result == 0) result = fi_mr_enable(*region);
  }
  if (result != 0) made = {};
  return -result;
}

// ---- addresses ----

bool ofi_network::take_address(std::string& why) {
  address_head head{};
  std::size_t bytes = room_for_address - sizeof head;
  const int result = fi_getname(&endpoint_->fid, address_ + sizeof head, &bytes);
  if (result != 0) {
    why = version_ + ", fi_getname: " + fi_strerror(-result) + ", of " + std::to_string(bytes) + " bytes, where " +
          std::to_string(room_for_address - sizeof head) + " have room; name another provider by FI_PROVIDER";
    return false;
  }
  std::snprintf(head.provider, sizeof head.provider, "%s", info_->fabric_attr->prov_name);
  head.format = info_->addr_format;
  head.bytes = std::uint32_t(bytes);
  head.key = key_;
  std::memcpy(address_, &head, sizeof head);
  return true;
}

void ofi_network::set_addresses(const std::byte* all) {
  all_ = all;
  if (new_rank_) return;  // others may come before it into the places of lost ranks: it looks when it sends there
  for (rank_t r = 0; r < ranks_; ++r)
    if (r != rank_) (void)know(r);
}

/// Takes in where the rank is. False: no process has that place yet.
bool ofi_network::know(rank_t r) {
  peer& p = peer_of(r);
  if (p.key != 0) return true;
  if (all_ == nullptr) return false;
  const std::byte* const place = all_ + std::size_t(r) * room_for_address;
  address_head head;
  std::memcpy(&head, place, sizeof head);
  if (head.key == 0 || (head.key ^ key_) == p.gone) return false;
  head.provider[sizeof head.provider - 1] = '\0';  // another program wrote it
  p.key = head.key ^ key_;
  if (head.format != info_->addr_format || std::strncmp(head.provider, info_->fabric_attr->prov_name, sizeof head.provider) != 0)
    lose(r, std::string("it has the provider ") + head.provider + ", this one " + text_of(*info_) +
                " or another format of addresses; name the same one on all hosts by FI_PROVIDER");
  else if (fi_av_insert(addresses_.get(), place + sizeof head, 1, &p.address, 0, nullptr) != 1)
    lose(r, "fi_av_insert: " + text_of(*info_) + " takes no such address");
  return true;
}

}  // namespace armilla::ofi

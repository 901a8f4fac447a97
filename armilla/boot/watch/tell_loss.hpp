// SPDX-License-Identifier: Apache-2.0
#pragma once
#include <string>
#include <string_view>

#include "armilla/boot/host/job_block.hpp"

namespace armilla::detail {

/// Writes down that the ranks `first` to `last`, of this host, are lost, and wakes every rank of this host, so that those that
/// wait for them hear of it. Any process that has mapped the job block and the control pages may call it. What is known already
/// changes nothing.
void tell_loss(job_block& job, rank_t first, rank_t last, std::string_view cause) noexcept;
/// The same of ranks somewhere; `host` may be empty.
void tell_loss(job_block& job, rank_t first, rank_t last, std::string_view cause, std::string_view host) noexcept;
/// The calling rank ends by the exception that is being handled, which is noted as the failure of the job, or another is.
void tell_own_loss(job_block& job, rank_t rank) noexcept;

/// "ended in barrier after the loss of rank 1"; `call` may be empty.
std::string cause_of_secondary_loss(rank_t first, std::string_view call = {});
/// The rank that such a cause names; `no_rank` for any other cause.
rank_t first_of_secondary_loss(std::string_view cause) noexcept;

/// Lets every rank of this host look which ranks live.
void tell_change(job_block& job) noexcept;

}  // namespace armilla::detail

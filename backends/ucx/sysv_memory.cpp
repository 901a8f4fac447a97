// SPDX-License-Identifier: Apache-2.0
#include "backends/ucx/sysv_memory.hpp"

#include <cstring>

#include <ucs/debug/log_def.h>

namespace armilla::detail {
namespace {

ucs_log_func_rc_t drop(const char*, unsigned, const char*, ucs_log_level_t, const ucs_log_component_config_t*, const char*,
                       va_list) {
  return UCS_LOG_FUNC_RC_STOP;
}

/// What fails here is no error: its user does without.
struct silence {
  silence() { ucs_log_push_handler(drop); }
  ~silence() { ucs_log_pop_handler(); }
  silence(const silence&) = delete;
};

uct_component_h find_component(const char* name) {
  uct_component_h* all = nullptr;
  unsigned count = 0;
  if (uct_query_components(&all, &count) != UCS_OK) return nullptr;
  uct_component_h found = nullptr;
  for (unsigned i = 0; i < count && found == nullptr; ++i) {
    uct_component_attr_t what{};
    what.field_mask = UCT_COMPONENT_ATTR_FIELD_NAME;
    if (uct_component_query(all[i], &what) == UCS_OK && std::strcmp(what.name, name) == 0) found = all[i];
  }
  uct_release_component_list(all);
  return found;
}

/// Without large pages, which would be taken from the machine before they are touched.
ucs_status_t open_domain(uct_component_h component, const char* name, uct_md_h* domain) {
  uct_md_config_t* how = nullptr;
  if (const ucs_status_t status = uct_md_config_read(component, nullptr, nullptr, &how); status != UCS_OK) return status;
  ucs_status_t status = uct_config_modify(how, "MM_HUGETLB_MODE", "no");
  if (status == UCS_OK) status = uct_md_open(component, name, how, domain);
  uct_config_release(how);
  return status;
}

}  // namespace

std::unique_ptr<sysv_memory> sysv_memory::open() {
  const silence meanwhile;
  std::unique_ptr<sysv_memory> made(new sysv_memory);
  made->component_ = find_component("sysv");
  if (made->component_ == nullptr || open_domain(made->component_, "sysv", &made->domain_) != UCS_OK) return nullptr;
  uct_md_attr_t what{};
  if (uct_md_query(made->domain_, &what) != UCS_OK || (what.cap.flags & UCT_MD_FLAG_RKEY_PTR) == 0) return nullptr;
  made->key_bytes_ = what.rkey_packed_size;
  return made;
}

// What was replaced stays: the rank would have nothing in its place.
sysv_memory::~sysv_memory() {
  for (const uct_rkey_bundle_t& each : mapped_) uct_rkey_release(component_, &each);
  if (domain_ != nullptr) uct_md_close(domain_);
}

bool sysv_memory::replace(std::byte* base, std::size_t bytes) {
  const silence meanwhile;
  const uct_alloc_method_t method = UCT_ALLOC_METHOD_MD;
  uct_mem_alloc_params_t how{};
  how.field_mask = UCT_MEM_ALLOC_PARAM_FIELD_FLAGS | UCT_MEM_ALLOC_PARAM_FIELD_ADDRESS | UCT_MEM_ALLOC_PARAM_FIELD_MDS |
                   UCT_MEM_ALLOC_PARAM_FIELD_NAME;
  how.flags = UCT_MD_MEM_ACCESS_ALL | UCT_MD_MEM_FLAG_FIXED | UCT_MD_MEM_FLAG_NONBLOCK;
  how.address = base;
  how.mds.mds = &domain_;
  how.mds.count = 1;
  how.name = "segment";
  uct_allocated_memory_t got{};
  if (uct_mem_alloc(bytes, &method, 1, &how, &got) != UCS_OK) return false;
  last_ = got.memh;
  return true;
}

bool sysv_memory::pack(std::byte* key) const { return uct_md_mkey_pack(domain_, last_, key) == UCS_OK; }

std::byte* sysv_memory::map(const std::byte* key, std::uintptr_t base) {
  const silence meanwhile;
  uct_rkey_bundle_t there{};
  if (uct_rkey_unpack(component_, key, &there) != UCS_OK) return nullptr;
  mapped_.push_back(there);
  void* place = nullptr;
  return uct_rkey_ptr(component_, &there, base, &place) == UCS_OK ? static_cast<std::byte*>(place) : nullptr;
}

}  // namespace armilla::detail

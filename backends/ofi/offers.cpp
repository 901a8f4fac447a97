// SPDX-License-Identifier: Apache-2.0
// What libfabric offers, and which of it is taken.
#include "backends/ofi/offers.hpp"

#include <algorithm>
#include <cctype>
#include <cstdlib>
#include <string_view>
#include <vector>

#include <net/if.h>
#include <rdma/fi_domain.h>
#include <rdma/fi_endpoint.h>
#include <rdma/fi_errno.h>

namespace armilla::ofi {
namespace {

std::vector<std::string> words_of(std::string_view text, char between) {
  std::vector<std::string> words;
  while (!text.empty()) {
    const std::string_view word = text.substr(0, text.find(between));
    text.remove_prefix(std::min(text.size(), word.size() + 1));
    if (!word.empty()) words.emplace_back(word);
  }
  return words;
}

bool holds(const std::vector<std::string>& words, std::string_view word) { return std::ranges::find(words, word) != words.end(); }

/// "tcp;ofi_rxm" has two parts: the provider, and a layer above it.
std::vector<std::string> parts_of(const fi_info& offer) { return words_of(offer.fabric_attr->prov_name, ';'); }

bool is_interface(const std::string& name) { return if_nametoindex(name.c_str()) != 0; }

/// Whether FI_TCP_IFACE, or what corresponds to it, names an interface for this provider.
bool user_chose_interface(const std::vector<std::string>& parts) {
  return std::ranges::any_of(parts, [](std::string name) {
    std::ranges::transform(name, name.begin(), [](unsigned char c) { return char(std::toupper(c)); });
    return std::getenv(("FI_" + name + "_IFACE").c_str()) != nullptr;
  });
}

class filter {
 public:
  filter(const detail::network_settings& settings, const fi_info* all)
      : words_(words_of(settings.interfaces, ',')), listens_on_(settings.listens_on), one_host_(settings.hosts == 1) {
    for (const fi_info* each = all; each != nullptr; each = each->next)
      for (const std::string& part : parts_of(*each))
        if (!holds(providers_, part)) providers_.push_back(part);
  }

  bool takes(const fi_info& offer) const {
    const std::vector<std::string> parts = parts_of(offer);
    const std::string domain = offer.domain_attr->name;
    if (!one_host_ && holds(parts, "shm")) return false;
    bool provider_named = false, provider_fits = false, domain_named = false, domain_fits = false;
    for (const std::string& word : words_) {
      const bool names_provider = holds(providers_, word);
      (names_provider ? provider_named : domain_named) = true;
      if (names_provider) provider_fits = provider_fits || holds(parts, word);
      if (!names_provider) domain_fits = domain_fits || domain == word;
    }
    if ((provider_named && !provider_fits) || (domain_named && !domain_fits)) return false;
    if (domain_named || listens_on_.empty() || !is_interface(domain)) return true;
    return domain == listens_on_ || user_chose_interface(parts);
  }

 private:
  std::vector<std::string> words_, providers_;
  std::string listens_on_;
  bool one_host_;
};

/// The layer ofi_rxm has 4096 receives of 16 KiB, touches them all, and has no other way to be told. A number in the environment
/// holds.
class fewer_receives {
 public:
  fewer_receives() : set_(std::getenv(name) == nullptr && setenv(name, "128", 0) == 0) {}
  ~fewer_receives() {
    if (set_) unsetenv(name);
  }
  fewer_receives(const fewer_receives&) = delete;

 private:
  static constexpr const char* name = "FI_OFI_RXM_MSG_RX_SIZE";
  bool set_;
};

info_owner all_offers(int& error) {
  const fewer_receives meanwhile;
  const info_owner wish(fi_allocinfo());
  wish->caps = FI_MSG | FI_TAGGED;
  wish->mode = FI_CONTEXT | FI_CONTEXT2;
  wish->ep_attr->type = FI_EP_RDM;
  wish->domain_attr->mr_mode = FI_MR_LOCAL | FI_MR_VIRT_ADDR | FI_MR_ALLOCATED | FI_MR_PROV_KEY | FI_MR_ENDPOINT;
  wish->domain_attr->threading = FI_THREAD_DOMAIN;  // one thread at a time is inside
  wish->domain_attr->resource_mgmt = FI_RM_ENABLED;
  wish->domain_attr->av_type = FI_AV_TABLE;
  wish->domain_attr->control_progress = wish->domain_attr->data_progress = FI_PROGRESS_MANUAL;
  // What is sent first finds the first receive. It need not be complete first.
  wish->tx_attr->msg_order = wish->rx_attr->msg_order = FI_ORDER_SAS;
  fi_info* found = nullptr;
  error = -fi_getinfo(api_version, nullptr, nullptr, 0, wish.get(), &found);
  return info_owner(error == 0 ? found : nullptr);
}

std::string list_of(const fi_info* all) {
  std::vector<std::string> texts;
  for (; all != nullptr; all = all->next)
    if (std::string text = text_of(*all); !holds(texts, text)) texts.push_back(std::move(text));
  std::string list;
  for (const std::string& each : texts) list += (list.empty() ? "" : ", ") + each;
  return list;
}

}  // namespace

std::string text_of(const fi_info& offer) {
  const std::string domain = offer.domain_attr->name;
  return domain == offer.fabric_attr->prov_name ? domain : offer.fabric_attr->prov_name + (" on " + domain);
}

std::string version_text() {
  const std::uint32_t version = fi_version();
  return "libfabric " + std::to_string(FI_MAJOR(version)) + "." + std::to_string(FI_MINOR(version));
}

info_owner choose_offer(const detail::network_settings& settings, std::string& why) {
  int error = 0;
  info_owner all = all_offers(error);
  const char* const wanted = std::getenv("FI_PROVIDER");
  const std::string restricted = wanted != nullptr ? std::string(" (FI_PROVIDER=") + wanted + ")" : "";
  if (!all) {
    why = version_text() + restricted + ", fi_getinfo: " + fi_strerror(error) +
          "; no provider has endpoints FI_EP_RDM with messages and tags in order; fi_info -t FI_EP_RDM lists what there is, and "
          "FI_PROVIDER chooses of it";
    return nullptr;
  }
  const filter fits(settings, all.get());
  for (const fi_info* each = all.get(); each != nullptr; each = each->next)
    if (fits.takes(*each)) return info_owner(fi_dupinfo(each));
  why = version_text() + restricted + ": no provider ";
  if (*settings.interfaces != '\0')
    why += std::string("fits the interfaces ") + settings.interfaces;
  else
    why += std::string("goes by the interface ") + settings.listens_on;
  why += settings.hosts == 1 ? "" : " between hosts";
  why += "; there are " + list_of(all.get()) + "; name another one by FI_PROVIDER, or its interface as by FI_TCP_IFACE";
  return nullptr;
}

}  // namespace armilla::ofi

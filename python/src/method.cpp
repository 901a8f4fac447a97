// SPDX-License-Identifier: Apache-2.0
#include "method.hpp"

#include <utility>

#include <fmt/format.h>

#include "armilla/base/values/types.hpp"
#include "codec.hpp"

namespace armilla::python {

method_signature::method_signature(std::string called, std::string signature)
    : name(std::move(called)), text(std::move(signature)), hash(signature_hash(text)), types(parse_signature(text)) {}

std::vector<std::byte> message_of(const method_signature& method, std::size_t head, const nb::args& arguments) {
  const std::vector<wire_type>& parameters = method.types.parameters;
  if (arguments.size() != parameters.size())
    throw nb::type_error(
        fmt::format("{} {} takes {} arguments, not {}", method.name, method.text, parameters.size(), arguments.size()).c_str());
  std::vector<std::byte> message;
  message.reserve(256);
  message.resize(head);
  for (std::size_t i = 0; i < parameters.size(); ++i) encode(message, head, parameters[i], arguments[i]);
  message.resize(detail::align_up(message.size(), 8));
  return message;
}

}  // namespace armilla::python

// SPDX-License-Identifier: Apache-2.0
#pragma once
#include <string>
#include <string_view>
#include <vector>

#include "armilla/am/handler/handler.hpp"

namespace armilla::detail {

/// A type's mangled name in readable form, without what only compilers need: no `std::`, no allocators, no parameter
/// lists of functions around a lambda.
std::string readable_type(const char* mangled);

/// How a report calls the method of a handler: "async main::lambda#1(int)", "call app::twice(vector<double>)",
/// "reply double", "message ping". A name that is no type's stays as it is.
std::string method_name(const char* handler_type);

/// What reports say of the registered handlers, by number: the size of their messages (0: they differ), and the method's name.
std::vector<std::uint32_t> handler_message_sizes();
const std::string& handler_method_name(handler_id h);

/// The work of both, on what the compiler's demangler gives.
std::string shorten_type(std::string demangled);
std::string shorten_method(std::string_view demangled);

}  // namespace armilla::detail

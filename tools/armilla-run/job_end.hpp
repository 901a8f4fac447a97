// SPDX-License-Identifier: Apache-2.0
#pragma once
#include <string>

#include <nlohmann/json.hpp>

namespace armilla::run {

/// What armilla-run says when it stops a job. Where hosts have met, their commands print the text and end with the code.
struct job_end {
  int code = 1;
  std::string text = {};  ///< lines to print, as they are; empty: it ended well

  std::string frame() const {
    return nlohmann::json{{"code", code}, {"text", text}}.dump(-1, ' ', false, nlohmann::json::error_handler_t::replace);
  }
  static job_end read(const std::string& frame) {
    const nlohmann::json said = nlohmann::json::parse(frame, nullptr, false);
    job_end end;
    if (!said.is_object()) return end;
    if (const auto code = said.find("code"); code != said.end() && code->is_number_integer()) end.code = code->get<int>();
    if (const auto text = said.find("text"); text != said.end() && text->is_string()) end.text = text->get<std::string>();
    return end;
  }
};

}  // namespace armilla::run

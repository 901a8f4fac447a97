// SPDX-License-Identifier: Apache-2.0
#pragma once
// Inside of the library; no public header includes it.
#include <cstddef>
#include <optional>
#include <string>

namespace armilla::detail {

/// A file whose content acts for this user, as it is code or says how jobs run: no other user may be able to change it, nor put
/// another one in its place.
///
/// Each folder and each symbolic link on the way to it is opened once and judged: it belongs to root or to this user, and a
/// folder that everyone may write to keeps others from replacing what is not theirs (its sticky bit). A group is trusted, as
/// builds make files that their group may write. Since only root and this user can change what was judged, the file can be used
/// by its name.
struct trusted_file {
  std::string path;    ///< without links, . and ..
  int file = -1;       ///< open for reading; the caller closes it. -1: not to be used
  bool there = false;  ///< there is something of that name
  std::string wrong;   ///< why it is not to be used: "it must belong to ..."
};
trusted_file open_trusted(const std::string& name);

/// The path without links, if it is to be trusted; else empty, and `wrong` says why unless there is no such file.
std::string trusted_path(const std::string& name, std::string& wrong);

/// All of a small regular file that is to be trusted; nothing: `wrong` says why. `most`: longer files are refused.
std::optional<std::string> read_trusted_file(const std::string& name, std::size_t most, std::string& wrong);

}  // namespace armilla::detail

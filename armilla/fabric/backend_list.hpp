// SPDX-License-Identifier: Apache-2.0
#pragma once
#include <string>
#include <string_view>
#include <vector>

namespace armilla::detail {

/// A sign in this process that a backend is the one of its job.
struct backend_sign {
  enum class where { variable, symbol };  ///< set in the environment; linked into the program
  int strength = 0;                       ///< among the signs of one kin the strongest that is there decides
  where kind = where::variable;
  std::string name;
  std::string text;  ///< what it means, for people: "mpirun of Open MPI started it"
};

/// A backend as it lies in a folder: its library, and what `libarmilla-<name>.backend` beside it says. So much is known without
/// loading an engine. The file may be absent: such a backend is used where its name is given.
struct backend_entry {
  std::string name;                 ///< as in ARMILLA_FABRIC
  std::string file;                 ///< its library
  std::string kin;                  ///< a process uses one at most of those with this word: "mpi"; empty: it stands alone
  int between_hosts = 0;            ///< ARMILLA_FABRIC=auto tries these, the highest first; 0: only where it is named
  int joins = 0;                    ///< can join a launcher's job; likewise
  std::vector<backend_sign> signs;  ///< none: it needs none
  std::string problem;              ///< what is wrong in its file
};

/// What a file `libarmilla-<name>.backend` says, line by line:
///
///     kin WORD
///     between-hosts NUMBER
///     joins NUMBER
///     sign NUMBER variable|symbol NAME TEXT...
///
/// Empty lines and those that begin with # say nothing.
backend_entry read_backend_entry(std::string_view text);

/// All backends in these folders, by name; of two with one name the one in the earlier folder.
std::vector<backend_entry> list_backends(const std::vector<std::string>& folders);

/// Its strongest sign that is there; null: none is.
const backend_sign* sign_of(const backend_entry& one);

/// Those that can be used here for what `use` says, best first: they need no sign, or have the strongest one of their kin.
std::vector<backend_entry> usable_backends(const std::vector<backend_entry>& all, int backend_entry::* use);

/// The one that `name` means: itself, or the one of this kin whose sign is there. Null: see `problem`, which says what there is.
const backend_entry* named_backend(const std::vector<backend_entry>& all, std::string_view name, std::string& problem);

/// "mpi-mpich, mpi-openmpi, ucx"; "none".
std::string names_of(const std::vector<backend_entry>& all);

}  // namespace armilla::detail

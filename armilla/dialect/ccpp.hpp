// SPDX-License-Identifier: Apache-2.0
#pragma once
#include "armilla/atomic_methods.hpp"
#include "armilla/dialect/object_ptr.hpp"
#include "armilla/dialect/sync_ptr.hpp"
#include "armilla/dialect/value_ptr.hpp"
#include "armilla/parfor.hpp"
#include "armilla/remote_sync.hpp"
#include "armilla/run.hpp"
#include "armilla/spawn.hpp"

/// CC++ in C++: its words, as near to its spelling as C++ without a compiler of its own comes.
///
/// | CC++                                  | here                                                            |
/// |---------------------------------------|-----------------------------------------------------------------|
/// | `double *global gpY;`                 | `global<double *> gpY;`                                         |
/// | `lx = *gpY;`, `*gpY = lx;`            | the same; objects of classes are copied by an RPC               |
/// | `**gg`, `(*gg)->foo();`               | the same, for `global<global<T *> *> gg;`                       |
/// | `gpObj->foo(ly);`                     | the same, if the class names its methods (see `methods`)        |
/// | `gpObj->x = 3;`                       | the same, likewise                                              |
/// | both, of any object in memory         | `(gp->*&T::foo)(ly)`, `gp->*&T::x = 3`                          |
/// | `global class OBJ`                    | any class that has `methods`                                    |
/// | `new (place) OBJ(1)`, `delete gpObj;` | `new_object<OBJ>(rank, 1)`, `delete_object(gpObj);`             |
/// | `new (proc_t("prog", host)) OBJ(1)`   | `new_object<tag>(proc_t("libobj.so", rank), 1)`, of a library   |
/// | `sync int v;`, `sync const int k = 3;`| `sync_var<int> v;`, `sync_var<const int> k = 3;`                |
/// | `sync int *global p;`                 | `global<sync_var<int> *> p;`                                    |
/// | `atomic void foo();`                  | `static constexpr atomic_list<&OBJ::foo> atomic_methods{};`     |
/// | `par { a(); b(); }`                   | `par([&] { a(); }, [&] { b(); });`                              |
/// | `parfor (int i = 0; i < n; i++) f(i);`| `parfor(0, n, [&](int i) { f(i); });`                           |
/// | `spawn f(x);`                         | `spawn(f, x);`                                                  |
/// | `main` in one processor object        | `return run_main(argc, argv, f);`                               |
///
/// Everything is a thin spelling of the library's own entities, and mixes with them.
/// Paper: MRPC, sections 2 and 4, figure 1.
namespace armilla::ccpp {

using armilla::atomic_list;
using armilla::par;
using armilla::parfor;
using armilla::run_main;
using armilla::spawn;

namespace detail {

template <class T>
concept complete = requires { sizeof(T); };

template <class P>
struct global_pointer;
template <class T>
struct global_pointer<T*> {
  static_assert(std::is_void_v<T> || complete<T>,
                "armilla: which pointer this is depends on whether the class has `methods`, and the class is not complete "
                "here; inside it write object_ptr<T>, value_ptr<T> or global_ptr<T>");
  using type = std::conditional_t<std::is_class_v<T>, value_ptr<T>, global_ptr<T>>;
};
template <class T>
  requires has_methods<T>
struct global_pointer<T*> {
  using type = object_ptr<T>;
};
template <class T>
  requires sync_variable<T>
struct global_pointer<T*> {
  using type = sync_ptr<typename sync_value<T>::type>;
};

}  // namespace detail

/// CC++'s `T *global`: `global<T *>`. For a class with `methods` a counted reference to a processor object (`object_ptr`), for
/// `sync_var<T>` a pointer that waits at the owner (`sync_ptr`), for any other class, and for a global pointer, one whose `*`
/// copies the object (`value_ptr`), else a `global_ptr<T>`. All of them can be copied and sent.
template <class P>
using global = typename detail::global_pointer<P>::type;

}  // namespace armilla::ccpp

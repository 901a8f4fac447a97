# SPDX-License-Identifier: Apache-2.0
# wire: what cannot be sent, and the sentences that say the remedy. All sentences of a case must come.
# A dot stands for their semicolons, which would end an item of CMake's lists.
function(wire_refuses name)
  string(TOUPPER "CASE_${name}" macro)
  set(all "(?s)")
  foreach(sentence IN LISTS ARGN)
    string(APPEND all "(?=.*armilla: ${sentence})")
  endforeach()
  armilla_compile_fail(wire_${name} SOURCE wire_types.cpp DEFINES ${macro} EXPECT "${all}")
endfunction()

set(pointer "a pointer cannot be sent: its address means nothing on another rank. send the value, an armilla::view of it")
wire_refuses(
  types
  "${pointer}"
  "a reference cannot be sent: arguments travel by value. take the value"
  "a span or string_view cannot be sent: it points into this rank's memory. send an armilla::view, a vector or a string"
  "a reference_wrapper cannot be sent: it is an address. send the value"
  "a smart pointer cannot be sent: what it owns stays on this rank. send the value, or a global_ptr to it"
  "an iterator cannot be sent: it is an address. send an index or a global_ptr"
  "a view can be an argument, but neither a member nor an element of one. use a vector there"
  "an aggregate of more than 24 members cannot be sent. group them"
  "an aggregate with const or reference members cannot be sent. make them plain values"
  "a type that cannot be moved cannot be sent. send a copy of its value"
  "this type can be neither copied as bytes nor taken apart. give it a member void define_type"
  "a view can be an argument, but no result: it would point into memory of another rank. return a vector")
wire_refuses(
  bodies
  "a closure may capture only trivially copyable values. pass strings, vectors and the like as arguments"
  "a function pointer cannot be sent as a body: write call<&function>")
wire_refuses(view_of_strings "the elements of a view must travel as bytes. send a vector instead")
wire_refuses(view_of_const "a view is read-only anyway: write view<T>, not view<const T>")
wire_refuses(encode "${pointer}")
wire_refuses(decode "${pointer}")
wire_refuses(define_type "${pointer}")

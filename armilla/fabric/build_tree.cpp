// SPDX-License-Identifier: Apache-2.0
// No part of the library: an object that programs of a project which builds Armilla along with itself are linked with. They may
// lie anywhere, and so find the backends of that build.
extern "C" {
[[gnu::weak]] extern const char armilla_backends_of_build_tree[];
const char armilla_backends_of_build_tree[] = ARMILLA_BUILT_BACKENDS;
}

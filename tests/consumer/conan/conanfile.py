# SPDX-License-Identifier: Apache-2.0
"""What `conan create` does with a new package: the user's project of the folder above is built with it, and run."""
from conan import ConanFile
from conan.tools.build import can_run
from conan.tools.cmake import CMake, cmake_layout


class Consumer(ConanFile):
    settings = "os", "compiler", "build_type", "arch"
    generators = "CMakeToolchain", "CMakeDeps"

    def requirements(self):
        self.requires(self.tested_reference_str)

    def layout(self):
        cmake_layout(self, src_folder="..")

    def build(self):
        cmake = CMake(self)
        cmake.configure()
        cmake.build()

    def test(self):
        if can_run(self):
            self.run(f"ARMILLA_RANKS=2 ARMILLA_PIN=none {self.cpp.build.bindir}/consumer", env="conanrun")

# SPDX-License-Identifier: Apache-2.0
"""What `conan create` does with a new package: the user's project of the folder above is built with it, in build/conan, and run."""
from conan import ConanFile
from conan.tools.build import can_run
from conan.tools.cmake import CMake, CMakeToolchain, cmake_layout


class Consumer(ConanFile):
    settings = "os", "compiler", "build_type", "arch"
    generators = "CMakeDeps"

    def requirements(self):
        self.requires(self.tested_reference_str)

    def layout(self):
        cmake_layout(self, src_folder="..", build_folder="../../../build/conan")

    def generate(self):
        how = CMakeToolchain(self)
        how.user_presets_path = False  # a file beside the sources
        how.generate()

    def build(self):
        cmake = CMake(self)
        cmake.configure()
        cmake.build()

    def test(self):
        if can_run(self):
            self.run(f"ARMILLA_RANKS=2 ARMILLA_PIN=none {self.cpp.build.bindir}/consumer", env="conanrun")

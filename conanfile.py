# SPDX-License-Identifier: Apache-2.0
"""The recipe for Conan 2: `conan create .` builds the package and tests it. Its libraries come from the system (packages.list, group `build`)."""
import re

from conan import ConanFile
from conan.tools.cmake import CMake, CMakeToolchain, cmake_layout
from conan.tools.files import load


class Armilla(ConanFile):
    name = "armilla"
    license = "Apache-2.0"
    description = "One global name space for the ranks of a parallel C++ program"
    topics = ("parallel", "distributed", "pgas", "hpc")
    package_type = "library"
    settings = "os", "compiler", "build_type", "arch"
    options = {"shared": [True, False], "checked": [True, False]}
    default_options = {"shared": False, "checked": False}
    exports_sources = ("CMakeLists.txt", "LICENSE", "README.md", "CHANGELOG.md", "armilla/*", "backends/*", "cmake/*", "docs/*", "examples/*", "tests/*",
                       "tools/*")
    test_package_folder = "tests/consumer/conan"

    def set_version(self):
        self.version = re.search(r"project\(armilla VERSION ([0-9.]+)", load(self, f"{self.recipe_folder}/CMakeLists.txt")).group(1)

    def layout(self):
        cmake_layout(self)

    def generate(self):
        how = CMakeToolchain(self)
        how.cache_variables |= {"CMAKE_UNITY_BUILD": True, "CMAKE_UNITY_BUILD_BATCH_SIZE": 0,  # as the preset `library`
                                "ARMILLA_TESTS": False, "ARMILLA_EXAMPLES": False, "ARMILLA_BENCH": False,
                                "ARMILLA_SHARED": bool(self.options.shared), "ARMILLA_WITH_CHECKED": bool(self.options.checked)}
        how.generate()

    def build(self):
        cmake = CMake(self)
        cmake.configure()
        cmake.build()

    def package(self):
        CMake(self).install()

    def package_info(self):
        self.cpp_info.set_property("cmake_find_mode", "none")  # the package has files for find_package of its own
        self.cpp_info.builddirs = ["lib/cmake/armilla"]
        self.buildenv_info.append_path("PATH", f"{self.package_folder}/bin")
        self.runenv_info.append_path("PATH", f"{self.package_folder}/bin")

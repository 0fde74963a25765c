# conan create .
import os

from conan import ConanFile
from conan.tools.cmake import CMake, cmake_layout
from conan.tools.files import copy


class ElelemStream(ConanFile):
    name = "elelem_stream"
    version = "0.2.0"
    description = "Incremental JSON, event streams and language model responses in one C99 header"
    license = "0BSD"
    topics = ("json", "sse", "llm", "streaming", "header-only")
    package_type = "library"
    settings = "os", "arch", "compiler", "build_type"
    options = {"shared": [True, False], "fPIC": [True, False]}
    default_options = {"shared": False, "fPIC": True}
    generators = "CMakeToolchain"
    exports_sources = ("elelem_stream.h", "elelem_stream.c", "elelem.hpp", "CMakeLists.txt", "packaging/elelem_stream.pc.in",
                       "LICENSE")

    def config_options(self):
        if self.settings.os == "Windows":
            self.options.rm_safe("fPIC")

    def configure(self):
        self.settings.rm_safe("compiler.libcxx")
        self.settings.rm_safe("compiler.cppstd")

    def layout(self):
        cmake_layout(self)

    def build(self):
        cmake = CMake(self)
        cmake.configure()
        cmake.build()

    def package(self):
        copy(self, "LICENSE", self.source_folder, os.path.join(self.package_folder, "licenses"))
        CMake(self).install()

    def package_info(self):
        self.cpp_info.libs = ["elelem_stream"]
        self.cpp_info.set_property("cmake_file_name", "elelem_stream")
        self.cpp_info.set_property("cmake_target_name", "elelem::elelem_stream")
        self.cpp_info.set_property("pkg_config_name", "elelem_stream")

# SPDX-License-Identifier: BSD-3-Clause
# For Spack 1.0 or newer, in a checkout of colltree:
#   spack repo add packages/spack/spack_repo/colltree && spack dev-build colltree@2.0.0 +simgrid ^openmpi
# SQLiteCpp is not among Spack's packages; CMake takes its sources (COLLTREE_FETCH), so the build needs the network, or
#   spack dev-build ... sqlitecpp_source=/path/to/SQLiteCpp-3.2.1
from spack_repo.builtin.build_systems.cmake import CMakePackage

from spack.package import *


class Colltree(CMakePackage):
    """Measures every algorithm of MPI's collective operations on a cluster, real or simulated, fits small decision functions to
    the timings and writes them as C or as the rules of Open MPI, MPICH, UCC, NCCL and others."""

    license("BSD-3-Clause")

    version("2.0.0")

    variant("mpi", default=True, description="The portable algorithms and the measuring programs")
    variant("simgrid", default=False, description="Simulated clusters, by SimGrid")
    variant("sqlitecpp_source", default="none", values=str, multi=False, description="A folder with SQLiteCpp's sources")

    conflicts("%gcc@:11", msg="GCC 12 is the oldest that compiles it")
    conflicts("+simgrid", when="~mpi", msg="the simulator is one of the measuring programs")

    depends_on("c", type="build")
    depends_on("cxx", type="build")
    depends_on("cmake@3.25:", type="build")
    depends_on("ninja", type="build")
    depends_on("git", type="build", when="sqlitecpp_source=none")
    depends_on("fmt@9:10")
    depends_on("cli11@2.1:2.4", type="build")
    depends_on("eigen@3.4:3", type="build")
    depends_on("zlib-api")
    depends_on("xxhash@0.8:")
    depends_on("mpi", when="+mpi")
    depends_on("simgrid@3.32:+smpi", when="+simgrid")

    generator("ninja")

    def cmake_args(self):
        args = [
            self.define("COLLTREE_TESTS", False),
            self.define("COLLTREE_UNITY", True),
            self.define("COLLTREE_FETCH", True),
            self.define_from_variant("COLLTREE_MPI", "mpi"),
        ]
        source = self.spec.variants["sqlitecpp_source"].value
        if source != "none":
            args.append(self.define("FETCHCONTENT_SOURCE_DIR_SQLITECPP", source))
        return args

    def test_simulate(self):
        """measure a few simulated cells, or print the version"""
        colltree = Executable(join_path(self.prefix.bin, "colltree"))
        if self.spec.satisfies("~simgrid"):
            colltree("--version")
            return
        colltree(
            "measure", "--platform", "grig", "--collective", "bcast", "--communicator-sizes", "2..4",
            "--message-sizes", "1..1K:x32", "-o", "p.db",
        )

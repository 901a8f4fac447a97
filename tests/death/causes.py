# SPDX-License-Identifier: Apache-2.0
"""The ways in which a rank of `mortal` dies: what the others hear, and the job's exit code."""
CAUSES = {
    "kill": (r"was killed by signal 9 \(SIGKILL\)", 137),
    "outside": (r"was killed by signal 9 \(SIGKILL\)", 137),
    "segv": (r"was killed by signal 11 \(SIGSEGV\)", 139),
    "abort": (r"was killed by signal 6 \(SIGABRT\)", 134),
    "_exit": (r"ended with code 3 before its run\(\) ended", 3),
    "_exit0": (r"ended with code 0 before its run\(\) ended", 1),
    "exit": (r"ended with code 0 before its run\(\) ended", 1),
    "throw": (r"ended by an exception: std::runtime_error: had enough", 1),
}

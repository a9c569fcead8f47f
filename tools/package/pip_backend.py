"""Lets `pip install .` build what `make wheel` builds (PEP 517; named in pyproject.toml)."""
import os
import shutil
import subprocess
import sys


def build_wheel(wheel_directory, config_settings=None, metadata_directory=None):
    made = subprocess.run(["make", "-s", f"-j{os.cpu_count()}", "wheel"], stdout=subprocess.PIPE, text=True)
    if made.returncode:
        sys.exit("gputune could not be built; if a compiler or a library is missing, run tools/setup first")
    return os.path.basename(shutil.copy(made.stdout.split()[-1], wheel_directory))

"""Settings for all tests."""

import atexit
import gc
import os
import shutil
import tempfile

from hypothesis import settings

# What tests let studies run is remembered in a folder of theirs, not in the home of whoever runs them.
os.environ["XDG_CONFIG_HOME"] = tempfile.mkdtemp(prefix="ringtrue-tests-")
atexit.register(shutil.rmtree, os.environ["XDG_CONFIG_HOME"], ignore_errors=True)

# The same examples every time, and no clock, so that a red run is the change's own fault.
# HYPOTHESIS_PROFILE=default looks further.
settings.register_profile("steady", derandomize=True, deadline=None)
settings.load_profile(os.environ.get("HYPOTHESIS_PROFILE", "steady"))


def pytest_collection_finish():
    """Leave the thousands of collected tests out of every later search for garbage, which takes half a second else."""
    gc.collect()
    gc.freeze()

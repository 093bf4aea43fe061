"""Settings for all tests."""

import os

from hypothesis import settings

# The same examples every time, and no clock, so that a red run is the change's own fault.
# HYPOTHESIS_PROFILE=default looks further.
settings.register_profile("steady", derandomize=True, deadline=None)
settings.load_profile(os.environ.get("HYPOTHESIS_PROFILE", "steady"))

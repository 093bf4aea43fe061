"""Settings for all tests."""

import os

from hypothesis import settings

# The same examples every time, so that a red run is the change's own fault. HYPOTHESIS_PROFILE=default looks further.
settings.register_profile("steady", derandomize=True)
settings.load_profile(os.environ.get("HYPOTHESIS_PROFILE", "steady"))

"""A pool of 10 million rows in Parquet is opened, sampled and reported on in under 1 GB of memory.

The file is made by DuckDB in one process; another opens it, makes a study, buys 1,000 labels, writes and verifies the
report, and tells its peak memory.
"""

from __future__ import annotations

import subprocess
import sys
import tempfile
from pathlib import Path

ROWS = 10_000_000
BOUND_MEGABYTES = 1_000

MAKE = """
import sys, duckdb
duckdb.execute("SET threads = 2; SET memory_limit = '2GB'")
duckdb.execute(f'''
    COPY (
        SELECT i AS id, random() AS a, random() AS b, random() AS c, random() AS d,
               CAST(i % 10 AS VARCHAR) AS truth,
               CAST(CASE WHEN random() < 0.01 THEN (i + 1) % 10 ELSE i % 10 END AS VARCHAR) AS predicted
        FROM range({sys.argv[2]}) t(i)
    ) TO '{sys.argv[1]}' (FORMAT PARQUET)
''')
"""

USE = """
import resource, sys, time
from pathlib import Path
from ringtrue import Risk, Study, verify_report, write_report
folder = Path(sys.argv[1])
start = time.perf_counter()
with Study.create(folder / "large", pool=folder / "pool.parquet", model="predicted", budget=1_000, batch=20,
                  question=Risk("error <= 2% at 95%")) as study:
    made = time.perf_counter()
    finding = study.run("truth")
    ran = time.perf_counter()
    page, twin = write_report(study, folder / "report.html")
assert verify_report(twin).agrees
peak = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 1024
print(f"{peak:.0f}|{finding}|created in {made - start:.1f} s, {finding.answers} labels in {ran - made:.1f} s, "
      f"reported in {time.perf_counter() - ran:.1f} s")
"""


def main() -> int:
    with tempfile.TemporaryDirectory(dir=Path.cwd()) as folder:
        pool = Path(folder) / "pool.parquet"
        subprocess.run([sys.executable, "-c", MAKE, pool, str(ROWS)], check=True)
        print(f"pool: {ROWS:,} rows, {pool.stat().st_size / 2**20:.0f} MB of Parquet")
        run = subprocess.run([sys.executable, "-c", USE, folder], capture_output=True, text=True, check=True)
    peak, finding, times = run.stdout.strip().split("|")
    kept = float(peak) < BOUND_MEGABYTES
    print(finding)
    print(times)
    print(f"peak memory: {peak} MB (bound < {BOUND_MEGABYTES:,} MB) {'kept' if kept else 'BROKEN'}")
    return int(not kept)


if __name__ == "__main__":
    sys.exit(main())

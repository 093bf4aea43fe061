"""The benchmark of model files: it measures every format that is installed. What it finds is not judged."""

import re

import bench_model_files


def test_every_format_is_measured_or_left_out(capsys):
    code = bench_model_files.main(20, turns=1, size=3)
    told = capsys.readouterr().out.splitlines()
    assert [line.partition(":")[0] for line in told] == list(bench_model_files.FORMATS)
    form = (
        r"[\w. ]+: (\d+\.\d\d \(bound >= 0\.8\) (kept|BROKEN); [\d,]+ rows a second, .*|left out, \w+ is not installed)"
    )
    assert all(re.fullmatch(form, line) for line in told), told
    assert code == any(" BROKEN;" in line for line in told)

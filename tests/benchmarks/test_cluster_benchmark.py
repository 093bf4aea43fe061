"""The benchmark of a pool of 10^8 rows, with 10^7: a cluster that loses a worker asks what one process asks."""

import pytest


@pytest.mark.slow
def test_ten_million_rows_by_a_cluster_that_loses_a_worker(tmp_path):
    pytest.importorskip("distributed", reason="the extra dask is not installed")
    pytest.importorskip("onnxruntime", reason="the extra onnx is not installed")
    pytest.importorskip("skl2onnx", reason="the network is made by skl2onnx")
    from bench_cluster import measure

    steps, wrong = measure(tmp_path, rows=10**7, files=20, workers=2)
    assert wrong == []
    assert any("2 workers" in step.said for step in steps)

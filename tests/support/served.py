"""Real servers of models, each from an environment of its own: `make servers` installs them."""

import json
import os
import signal
import socket
import subprocess
import time
import urllib.request
from contextlib import contextmanager
from pathlib import Path

from support.patience import PATIENCE

ROOT = Path(__file__).resolve().parents[2]
MAKER = Path(__file__).with_name("served_models.py")
PACKAGES = {"mlserver": ("mlserver", "mlserver-sklearn", "scikit-learn"), "mlflow": ("mlflow", "scikit-learn")}


def home(kind):
    """Return the folder of a server's programs; None if it is not installed."""
    found = ROOT / f".venv-{kind}" / "bin"
    return found if (found / kind).exists() else None


def versions(kind):
    """Return the versions of the packages that serve."""
    code = "import sys; from importlib.metadata import version; print(*map(version, sys.argv[1:]))"
    done = subprocess.run(
        [home(kind) / "python", "-c", code, *PACKAGES[kind]], capture_output=True, text=True, check=True
    )
    return dict(zip(PACKAGES[kind], done.stdout.split(), strict=True))


def make_models(kind, folder):
    """Have the server's own Python make the models."""
    made = [home(kind) / "python", MAKER, kind, folder]
    done = subprocess.run(made, capture_output=True, text=True, env=_environment(kind), cwd=folder)
    assert done.returncode == 0, done.stderr


def _environment(kind):
    quiet = {"MLFLOW_DISABLE_TELEMETRY": "true", "DO_NOT_TRACK": "true"}
    kept = {name: value for name, value in os.environ.items() if not name.lower().endswith("_proxy")}
    return kept | quiet | {"PATH": f"{home(kind)}{os.pathsep}{os.environ['PATH']}"}


def _ports(number):
    sockets = [socket.create_server(("127.0.0.1", 0)) for _ in range(number)]
    found = [one.getsockname()[1] for one in sockets]
    for one in sockets:
        one.close()
    return found


@contextmanager
def mlserver(folder):
    """Serve all models of a folder; yields the address of the server."""
    port, grpc, metrics = _ports(3)
    quiet = {"metrics_endpoint": None, "parallel_workers": 0}
    settings = {"host": "127.0.0.1", "http_port": port, "grpc_port": grpc, "metrics_port": metrics, **quiet}
    (folder / "settings.json").write_text(json.dumps(settings))
    with _running("mlserver", ["start", folder], f"http://127.0.0.1:{port}", "/v2/health/ready") as url:
        yield url


@contextmanager
def mlflow(folder):
    """Serve one model; yields the address of the server."""
    [port] = _ports(1)
    options = ["--env-manager", "local", "-h", "127.0.0.1", "-p", str(port), "-w", "1"]
    with _running("mlflow", ["models", "serve", "-m", folder, *options], f"http://127.0.0.1:{port}", "/ping") as url:
        yield url


@contextmanager
def _running(kind, words, url, ready):
    command = [str(home(kind) / kind), *map(str, words)]
    log = Path(words[words.index("-m") + 1] if "-m" in words else words[-1]) / "log"
    with log.open("w") as file:
        process = subprocess.Popen(
            command, env=_environment(kind), stdout=file, stderr=file, start_new_session=True, cwd=log.parent
        )
    try:
        _wait_for(process, url + ready, log)
        yield url
    finally:
        os.killpg(process.pid, signal.SIGTERM)
        process.wait(PATIENCE)


def _wait_for(process, url, log):
    opened = urllib.request.build_opener(urllib.request.ProxyHandler({}))
    end = time.monotonic() + PATIENCE
    while process.poll() is None and time.monotonic() < end:
        try:
            with opened.open(url, timeout=PATIENCE) as answer:
                if answer.status == 200:
                    return
        except OSError:
            time.sleep(0.2)
    raise AssertionError(f"the server did not become ready: {log.read_text()[-2000:]}")

"""Prepares a fresh clone for the `make` targets: packages, translations, front end, browser.

    python3 tools/bootstrap.py runtime|dev|peers|words|frontend|browser|broker ...

Runs on the plain Python that `make` uses, so it imports only the standard library. Each step stores a stamp
with a hash of its inputs in `.stamps/`, so a second run takes milliseconds. A failed step prints one line
that says what is wrong and what to do; the full output is in `.stamps/<step>.log`.
"""

from __future__ import annotations

import hashlib
import os
import re
import shutil
import subprocess
import sys
import time
from collections.abc import Callable, Iterable
from pathlib import Path

ROOT = Path(__file__).resolve().parent.parent
STAMPS = ROOT / ".stamps"
ENV = ROOT / ".venv"
FRONTEND = ROOT / "webui" / "frontend"
LOCALE = ROOT / "locale"
OLDEST_NODE = 20

# what pip, uv, npm, apt and playwright say when there is no way to their registry
NO_NETWORK = re.compile(
    r"Failed to establish a new connection|NewConnectionError|ConnectionError|name resolution|dns error"
    r"|ENOTFOUND|EAI_AGAIN|ECONNREFUSED|ETIMEDOUT|Connection refused|error sending request|Could not resolve"
    r"|Failed to fetch|Failed to connect|Network is unreachable",
    re.IGNORECASE,
)


class SetupError(Exception):
    """A step failed; the text is the line that the user reads."""


def main(steps: list[str]) -> int:
    known: dict[str, Callable[[], None]] = {
        "runtime": lambda: python_packages("base"),
        "dev": lambda: python_packages("dev"),
        "peers": lambda: python_packages("peers"),  # dev, and the engines that the bench times beside ours
        "words": words,
        "frontend": front_end,
        "browser": browser,
        "broker": broker,
    }
    try:
        for step in steps:
            if step not in known:
                raise SetupError(f"unknown step '{step}': choose from {', '.join(known)}")
            known[step]()
    except SetupError as problem:
        print(f"hydratwin: {problem}", file=sys.stderr)
        return 2
    except KeyboardInterrupt:
        return 130
    return 0


def python_packages(group: str) -> None:
    """Create the virtual environment with exactly the locked versions of one group."""
    locked = ROOT / "requirements" / f"{group}.txt"
    inputs = digest([locked, ROOT / "requirements" / "uv.txt"], sys.version)
    if done(f"python-{group}", inputs) and (ENV / "bin" / "python").exists():
        return
    if not (ENV / "bin" / "pip").exists():
        command = [sys.executable, "-m", "venv", "--clear", str(ENV)]
        advice = "could not create a virtual environment: install Python's venv module (package python3-venv)"
        run("python-venv", "Creating the Python environment", command, advice)
    advice = "the package installer could not be installed"
    run("python-uv", "Installing the package installer", pip_install("uv.txt"), advice)
    uv = [str(ENV / "bin" / "uv"), "pip", "install", "--python", str(ENV / "bin" / "python"), "--quiet"]
    command = [*uv, "--compile-bytecode", "--require-hashes", "-r", str(locked)]
    advice = "the Python packages could not be installed"
    run("python-packages", "Installing Python packages", command, advice)
    stamp(f"python-{group}", inputs)


def words() -> None:
    """Compile the translation catalogues for Django and the browser."""
    catalogues = list(LOCALE.rglob("django.po"))
    made = [file.with_name("django.mo") for file in catalogues]
    made += [ROOT / "webui" / "static" / "words" / f"{file.parents[1].name}.js" for file in catalogues]
    made.append(ROOT / "webui" / "static" / "words" / "en.js")
    templates = [ROOT / room / "messages.py" for room in ("simcore", "twin")]
    makers = [*(ROOT / "tools" / "translations").glob("*.py"), ROOT / "webui" / "words.py", *templates]
    inputs = digest([*LOCALE.rglob("*.po"), *makers])
    if done("words", inputs) and all(file.exists() for file in made):
        return
    command = [str(ENV / "bin" / "python"), "-m", "tools.translations", "compile"]
    run("words", "Compiling the translations", command, "the translations could not be compiled")
    stamp("words", inputs)


def front_end() -> None:
    """Build the TypeScript bundle with the locked npm packages."""
    lock = FRONTEND / "package-lock.json"
    inputs = digest(front_end_sources())
    if done("frontend", inputs) and (ROOT / "webui" / "static" / "dist" / "app.js").exists():
        return
    environment = node_environment()
    packages = digest([lock])
    if not (done("npm", packages) and (FRONTEND / "node_modules").is_dir()):
        command = ["npm", "ci", "--no-fund", "--no-audit"]
        advice = "the front-end packages could not be installed"
        run("npm", "Installing front-end packages", command, advice, FRONTEND, environment)
        stamp("npm", packages)
    command = ["npm", "run", "build"]
    run("frontend", "Building the front end", command, "the front end did not build", FRONTEND, environment)
    stamp("frontend", inputs)


def front_end_sources() -> list[Path]:
    """All files of the front end except its installed packages."""
    parts = [part for part in FRONTEND.iterdir() if part.name != "node_modules"]
    return [
        file for part in parts for file in ([part] if part.is_file() else part.rglob("*")) if file.is_file()
    ]


def node_environment() -> dict[str, str]:
    """An environment with recent `node` and `npm`: the system's, otherwise those of the Python wheel."""
    if node_version(os.environ) >= OLDEST_NODE and shutil.which("npm"):
        return dict(os.environ)
    environment = dict(os.environ, PATH=f"{ENV / 'bin'}{os.pathsep}{os.environ.get('PATH', '')}")
    if node_version(environment) >= OLDEST_NODE and shutil.which("npm", path=environment["PATH"]):
        return environment
    advice = (
        f"neither Node.js {OLDEST_NODE} nor its wheel is available: install Node.js and npm, then try again"
    )
    run("node", "Node.js is missing: installing its Python wheel", pip_install("node.txt"), advice)
    return environment


def node_version(environment: dict[str, str] | os._Environ[str]) -> int:
    """Major version of the `node` on PATH; 0 if there is none."""
    node = shutil.which("node", path=environment.get("PATH"))
    if node is None:
        return 0
    answer = subprocess.run([node, "--version"], capture_output=True, text=True, check=False).stdout
    found = re.match(r"v(\d+)\.", answer)
    return int(found.group(1)) if found else 0


def browser() -> None:
    """Chromium for the browser tests: the system's, or Debian's package if run as root, or Playwright's."""
    if any(shutil.which(name) for name in ("chromium", "chromium-browser", "google-chrome")):
        return
    advice = "no Chromium for the browser tests: install the package 'chromium', then run this again"
    if can_install_packages():
        debian_package("chromium", "Chromium", advice)
    else:
        command = [str(ENV / "bin" / "playwright"), "install", "chromium"]
        run("chromium", "Installing Chromium", command, advice)


def broker() -> None:
    """Mosquitto for the MQTT tests: the system's, or Debian's package if run as root; else no MQTT tests."""
    if shutil.which("mosquitto", path=f"{os.environ.get('PATH', '')}:/usr/sbin:/usr/local/sbin"):
        return
    advice = "no Mosquitto for the MQTT tests: install the package 'mosquitto', then run this again"
    try:
        if can_install_packages():
            debian_package("mosquitto", "Mosquitto", advice)
            return
    except SetupError as problem:
        print(f"hydratwin: {problem}", flush=True)
    print(f"==> {advice}; without it these tests are skipped", flush=True)


def can_install_packages() -> bool:
    return shutil.which("apt-get") is not None and os.geteuid() == 0


def debian_package(name: str, title: str, advice: str) -> None:
    quiet = dict(os.environ, DEBIAN_FRONTEND="noninteractive")
    command = ["apt-get", "update", "-q"]
    run("apt", "Refreshing the list of system packages", command, advice, ROOT, quiet)
    command = ["apt-get", "install", "-q", "-y", "--no-install-recommends", name]
    run(name, f"Installing {title}", command, advice, ROOT, quiet)


def pip_install(locked: str) -> list[str]:
    """Install with the environment's pip: packages needed before uv, and the wheel of Node.js."""
    pip = [str(ENV / "bin" / "python"), "-m", "pip", "install", "--retries", "1", "--quiet"]
    return [*pip, "--require-hashes", "-r", str(ROOT / "requirements" / locked)]


def run(
    name: str,
    title: str,
    command: list[str],
    advice: str,
    cwd: Path = ROOT,
    environment: dict[str, str] | None = None,
) -> None:
    """Run one long step and show its elapsed time; the output goes to a log that an error message names."""
    STAMPS.mkdir(exist_ok=True)
    log = STAMPS / f"{name}.log"
    started = time.monotonic()
    print(f"==> {title} ...", flush=True)
    with log.open("w") as output:
        try:
            process = subprocess.Popen(
                command, cwd=cwd, env=environment, stdout=output, stderr=subprocess.STDOUT
            )
        except OSError as problem:
            raise SetupError(f"{advice} ({problem})") from None
        wait(process, started)
    if process.returncode:
        text = log.read_text(errors="replace")
        if NO_NETWORK.search(text):
            advice += (
                ": the package registry cannot be reached. Check the network or proxy, then run this again"
            )
        raise SetupError(f"{advice} (details: {log.relative_to(ROOT)})")
    print(f"    done in {time.monotonic() - started:.0f} s", flush=True)


def wait(process: subprocess.Popen[bytes], started: float) -> None:
    """Wait for a process; on a terminal, show the elapsed time."""
    while True:
        try:
            process.wait(timeout=1.0)
            break
        except subprocess.TimeoutExpired:
            if sys.stdout.isatty():
                print(f"    {time.monotonic() - started:.0f} s", end="\r", flush=True)
        except KeyboardInterrupt:
            process.terminate()
            process.wait()
            raise


def digest(files: Iterable[Path], *more: str) -> str:
    """One hash of the contents of files (in the order of their names) and of additional texts."""
    sha = hashlib.sha256("\0".join(more).encode())
    for file in sorted(files):
        sha.update(str(file.relative_to(ROOT)).encode() + b"\0" + file.read_bytes())
    return sha.hexdigest()


def done(name: str, inputs: str) -> bool:
    file = STAMPS / name
    return file.exists() and file.read_text() == inputs


def stamp(name: str, inputs: str) -> None:
    STAMPS.mkdir(exist_ok=True)
    (STAMPS / name).write_text(inputs)


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))

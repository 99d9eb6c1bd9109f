"""AMD: the kernels are HIP as well, a real compiler takes them where one is, and the flow runs without a GPU."""

from __future__ import annotations

import math
import re
import shutil
import subprocess
import sys
from pathlib import Path

import pytest

from roofcast.__main__ import main
from roofcast.core.errors import RoofcastError
from roofcast.reading import read
from roofcast_measure import devices, hip_driver, profile_tools, running, shim, suite
from roofcast_measure.ceilings import kernel_texts as sources
from roofcast_measure.driver import Source
from roofcast_measure.timing import SERVICE, Effort

pytestmark = pytest.mark.slow


HERE = Path(sources.__file__).parent
FAKE = Path(__file__).with_name("fake_hip_runtime.h")
ARCHITECTURES = ("gfx90a", "gfx942")
COMPILERS = shutil.which("hipcc")
NAMES = ("saxpy", "matmul_tiled", "hydro1d")
linux = pytest.mark.skipif(sys.platform != "linux", reason="pretends with shell scripts")


def without_comments(text: str) -> str:
    return re.sub(r"/\*.*?\*/", "", text, flags=re.DOTALL)


def test_what_one_vendor_alone_has_stands_in_the_headers_alone() -> None:
    for path in HERE.glob("*.cu"):
        code = without_comments(path.read_text(encoding="ascii"))
        # __CUDA_ARCH__ chooses which kernels there are, no more.
        assert not re.search(r"\basm\b|__cvta|__builtin|__nv|cuda[A-Z]\w+|warpSize|__shfl|<<<", code), path.name
    for path in HERE.glob("*.cuh"):
        code = without_comments(path.read_text(encoding="ascii"))
        nvidia = code.partition("#if ROOFCAST_NVIDIA")[2]
        before, found, amd = nvidia.partition("ROOFCAST_AMD")
        assert found
        assert "__builtin_amdgcn" not in before, "AMD's instructions stand in AMD's part"
        assert '"mma.sync' not in amd
        assert '"ld.' not in amd


@pytest.mark.parametrize("name", sources.KERNELS)
def test_headers_are_put_into_their_places(name: str) -> None:
    text = sources.text_of(f"{name}.cu")
    assert '#include "' not in text
    assert text.count("#define TIMES16") <= 1


@pytest.mark.skipif(COMPILERS is None, reason="hipcc is not here: the sources were compiled by hand (docs/measure.md)")
@pytest.mark.parametrize("architecture", ARCHITECTURES)
def test_hipcc_compiles_every_kernel(architecture: str, tmp_path: Path) -> None:
    texts = {n: sources.text_of(f"{n}.cu") for n in sources.KERNELS}
    programs = (*suite.programs(), suite.load(suite.EIGHT_STEPS))
    # Each of the compiler's runs takes seconds: the suite goes through as one text.
    texts["suite"] = "\n".join(f"namespace source_{p.name} {{\n{p.text}\n}}" for p in programs)
    for name, text in texts.items():
        path = tmp_path / f"{name}.hip"
        path.write_text(text)
        options = [*hip_driver.CODE_OPTIONS, f"--offload-arch={architecture}"]
        command = [COMPILERS, *options, str(path), "-o", str(tmp_path / "made")]
        done = subprocess.run(command, capture_output=True, text=True, check=False, timeout=300)  # type: ignore[arg-type]  # skipped where it is None
        assert done.returncode == 0, (name, done.stderr[-1000:])


@pytest.fixture
def amd(compiler: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A machine with an AMD GPU; its hipcc makes what runs on the CPU."""
    include = tmp_path / "include" / "hip"
    include.mkdir(parents=True)
    (include / "hip_runtime.h").write_text(FAKE.read_text())
    tools = tmp_path / "bin"
    tools.mkdir()
    hipcc = tools / "hipcc"
    hipcc.write_text(
        '#!/bin/sh\nprintf "%s\\n" "$*" >> ' + str(tmp_path / "calls") + "\n"
        'for a in "$@"; do case "$prev" in -o) out=$a;; esac; case "$a" in *.hip|*.cpp) in=$a;; esac; prev=$a; done\n'
        'case "$*" in *--genco*) grep -q broken "$in" && { echo "x.hip:1:1: error: broken" >&2; exit 1; }; '
        'cp "$in" "$out";;\n'
        f'*) exec {compiler} -shared -fPIC -O1 -std=c++17 -w -I {tmp_path}/include "$in" -o "$out" -ldl;; esac\n'
    )
    hipcc.chmod(0o755)
    monkeypatch.setenv("PATH", f"{tools}:/usr/bin:/bin")
    monkeypatch.setattr(profile_tools, "DRIVER_PARAMETERS", tmp_path / "params")
    monkeypatch.setattr(profile_tools, "AMD_DEVICES", tmp_path / "kfd")
    monkeypatch.setattr(hip_driver, "DEVICES", tmp_path / "devices")
    sensors = tmp_path / "devices" / "0000:c3:00.0" / "hwmon" / "hwmon4"
    sensors.mkdir(parents=True)
    for name, value in (("freq1_input", "1700000000"), ("power1_average", "broken"), ("power1_input", "250000000")):
        (sensors / name).write_text(f"{value}\n")
    (tmp_path / "kfd").write_text("")
    programs = [suite.load(n).code for n in NAMES]
    (tmp_path / "suite.so").write_bytes(shim.build([*programs, SERVICE]))
    monkeypatch.setenv("ROOFCAST_FAKE_SHIM", str(tmp_path / "suite.so"))
    monkeypatch.chdir(tmp_path)
    return tmp_path


@linux
def test_the_suite_runs_through_hip(amd: Path) -> None:
    driver = devices.open_device(0)
    programs = [running.shrunk(suite.load(n), [suite.load(n).check]) for n in NAMES]
    result = running.run_suite(driver, programs, effort=Effort(2, 1e-6, 0.0))
    assert result.refused == ()
    assert len(result.table) == 2 * (1 + 1 + 10)
    assert set(result.table.strings("gpu")) == {"AMD Instinct MI210"}
    assert set(result.table.column("regs_per_thread")) == {24.0}
    assert all(off <= suite.load(n).tolerance for n, off in result.deviations.items())
    assert driver.info.bytes_per_s_dram_peak == pytest.approx(1.638e12, rel=1e-3)
    assert driver.info.driver == "HIP 6.3"
    assert set(result.table.column("clock_hz")) == {1.7e9}
    now = driver.conditions()
    assert now.power_w == 250.0
    assert math.isnan(now.clock_hz_dram)
    assert driver.free_bytes() == driver.info.capacity_bytes_dram
    calls = (amd / "calls").read_text()
    assert "--offload-arch=gfx90a:sramecc+:xnack-" in calls
    assert "-include hip/hip_runtime.h" in calls
    with pytest.raises(RoofcastError, match="hipMalloc failed on the GPU: hipErrorOutOfMemory"):
        driver.allocate(2**40)
    with pytest.raises(RoofcastError, match="hipModuleGetFunction failed on the GPU: hipErrorNotFound"):
        driver.load(Source("none", "none", ("none",)))
    with pytest.raises(RoofcastError, match=r"hipcc cannot compile bad for gfx90a.*: x.hip:1:1: error: broken"):
        driver.load(Source("bad", "broken", ("bad",)))
    assert isinstance(driver, hip_driver.HipDriver)
    folder = driver.folder
    driver.close()
    assert not folder.exists()
    with pytest.raises(RoofcastError, match="no GPU 3: HIP knows 1"):
        devices.open_device(3)


@linux
def test_commands_on_a_machine_of_amd(amd: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["measure", "suite", "--quick", "--kernel", "^saxpy$", "-o", "suite.csv"]) == 0
    table = read(Path("suite.csv"))
    assert set(table.strings("kernel")) == {"saxpy"}
    capsys.readouterr()
    assert main(["measure", "ceilings"]) == 2
    (line,) = capsys.readouterr().err.splitlines()
    assert "measured on NVIDIA GPUs alone" in line
    assert "docs/measure.md" in line
    (amd / "bin" / "hipcc").unlink()
    for command in ("suite", "gpp"):
        assert main(["measure", command, "--quick"]) == 2
        (line,) = [x for x in capsys.readouterr().err.splitlines() if x]
        assert "needs hipcc, which is not here" in line

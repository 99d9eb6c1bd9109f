from __future__ import annotations

import gzip
import pickle
import tarfile
import zipfile
from pathlib import Path

import pytest

from roofcast import reading
from roofcast.core.errors import InputError, UnknownFormatError
from roofcast.ingest.refused import describe_refusal
from text_samples import SAMPLES


def refusal(content: bytes, name: str, tmp_path: Path) -> str:
    path = tmp_path / name
    path.write_bytes(content)
    with pytest.raises(UnknownFormatError) as found:
        reading.read(path)
    message = str(found.value)
    assert message.isprintable()
    assert len(message) < 500
    return message


@pytest.mark.parametrize(
    ("content", "name", "says"),
    [
        (b"\x00\x01binary", "r.nsys-rep", "nsys export --type sqlite"),
        (b"\x00\x01binary", "r.qdrep", "nsys export --type sqlite"),
        (b"{}", "r.ncu-proj", "Nsight Compute project"),
        (b"__global__ void f(float *x) { x[0] = 1; }", "kernel.cu", "roofcast hull --from-source"),
        (b"import torch", "model.py", "roofcast hull --from-source"),
        (b"PERFILE2" + bytes(50), "perf.data", "perf"),
        (b"\x7fELF\x02\x01\x01" + bytes(50), "k.cubin", "cubin"),
        (b"%PDF-1.7\n%", "a.csv", "PDF"),
        (b"\x89PNG\r\n\x1a\n" + bytes(50), "a", "PNG"),
        (b"<!DOCTYPE html><html></html>", "run.ncu-rep", "HTML"),
        (b'{"a": 1}', "x.json", "JSON"),
        (b'{"rocprofiler-sdk-tool": [{}]}', "9_results.json", "--output-format csv"),
        (b'{"CudaEvent": {"globalPid": 1}}', "r.json", "nsys export --type sqlite"),
        (b"binary", "9_results.pftrace", "--output-format csv"),
        (b"[1, 2]", "x.json", "JSON"),
        (b"\x0a\x12binary", "perfetto-trace-0.proto", "rocprofv3"),
        (b"\x0a\x12binary", "host.xplane.pb", "trace.json.gz"),
        (b"\x89HDF\r\n\x1a\n" + bytes(50), "report.hdf", "nsys export --type sqlite"),
        (b"ARROW1\0\0" + bytes(50), "report.arrow", "nsys export --type sqlite"),
        (b"PAR1" + bytes(50), "CUPTI_ACTIVITY_KIND_KERNEL.parquet", "nsys export --type sqlite"),
        (b"=== Device Timing Summary ===\n\n  Total Execution Time (ns): 5\n", "o.txt", "unitrace"),
        (b"Computing Task,Total Time,Instance Count\ngemm,0.5,7\n", "vtune.csv", "unitrace"),
        (
            b" ** CUDA GPU Trace (cuda_gpu_trace):\n\n  Start (ns)   Duration (ns)  CorrId  Name\n ----------  ---\n",
            "o.txt",
            "--format csv",
        ),
        (pickle.dumps({"a": [1, 2]}), "data.bin", "pickle"),
        (b"anything", "model.pkl", "pickle"),
        (b"anything", "model.pt", "pickle"),
        (bytes(range(256)) * 4, "x.dat", "binary"),
        (b"version https://git-lfs.github.com/spec/v1\noid sha256:00\n", "r.ncu-rep", "git lfs pull"),
        (b"<?xml version='1.0'?><a/>", "a.xml", "XML"),
        (b"workload_name,gpu_model,gpu_arch\nvcopy,MI200,gfx90a\n", "sysinfo.csv", "system description"),
        (b"device,HBMBw,L2Bw,LDSBw\n0,1388.9,5018.3,17717.8\n", "roofline.csv", "roofline calibration"),
        (b'"Index","KernelName","gpu-id","queue-id"\n0,"k",1,2\n', "r.csv", "rocprof"),
        (b"Dispatch_ID,Kernel_Name,GPU_ID,Grid_Size\n0,k,1,2\n", "pmc_perf.csv", "rocprof-compute"),
        (
            b'"#","Address","Source","# Samples","Instructions Executed"\n"0","0x7f","NOP","1","2"\n',
            "s.csv",
            "source page",
        ),
        (b'"Kernel Name","k(int)"\n"#","Source","Address"\n"1","NOP","0x10"\n', "s.csv", "source page"),
    ],
)
def test_known_formats_are_named_with_what_makes_them_readable(
    content: bytes, name: str, says: str, tmp_path: Path
) -> None:
    assert says in refusal(content, name, tmp_path)


def test_archives(tmp_path: Path) -> None:
    (tmp_path / "a.txt").write_text("a")
    with zipfile.ZipFile(tmp_path / "a.zip", "w") as archive:
        archive.write(tmp_path / "a.txt")
        archive.write(tmp_path / "a.txt", "b.txt")
    with tarfile.open(tmp_path / "a.tar", "w") as tar:
        tar.add(tmp_path / "a.txt", "a.txt")
    assert "ZIP" in refusal((tmp_path / "a.zip").read_bytes(), "b.zip", tmp_path)
    assert "tar archive" in refusal((tmp_path / "a.tar").read_bytes(), "b.tar", tmp_path)
    assert "tar archive" in refusal(gzip.compress((tmp_path / "a.tar").read_bytes()), "b.tar.gz", tmp_path)


@pytest.mark.parametrize("key", sorted(SAMPLES))
def test_what_is_read_is_not_refused(key: str) -> None:
    assert describe_refusal(SAMPLES[key], "x.csv") is None


@pytest.mark.parametrize("noise", ['{"epoch": 1}\n', "<?xml?>\n<a>\n", "MZ is a text\n", "[1, 2, 3]\n"])
def test_the_programs_output_before_an_ncu_csv_does_not_hide_it(noise: str, tmp_path: Path) -> None:
    path = tmp_path / "log.csv"
    path.write_bytes(noise.encode() + SAMPLES["ncu-csv"])
    assert reading.read(path).provenance[0].format == "ncu-csv"


READ = {
    "ncu_rep": {"ncu-rep"}, "ncu_csv": {"ncu-csv", "table"}, "nvprof": {"nvprof-csv"}, "kineto": {"kineto"},
    "nsys_sqlite": {"nsys-sqlite"},
}  # fmt: skip


@pytest.mark.slow
def test_every_real_file_is_read_or_refused_by_name(fixtures_dir: Path) -> None:
    seen = 0
    for path in sorted(fixtures_dir.glob("*/*")):
        seen += 1
        group = path.parent.name
        if group in READ:
            table = reading.read(path)
            assert len(table) > 0
            assert table.provenance[0].format in READ[group]
            continue
        # Counters, system descriptions and measured rooflines of AMD's tools: read, or named where they are no profile.
        refusal = ""
        try:
            table = reading.read(path)
        except InputError as error:
            refusal = str(error)
        assert refusal.isprintable()
        assert "rocprof" in refusal or table.provenance[0].format.startswith("roc")
    assert seen == 62

"""The registry of public measurements. The files stay where they are: roofcast reads them, and holds no copy.

Folder: the environment variable ``ROOFCAST_DATA``, else ``shared/data`` beside the checkout.
"""

from __future__ import annotations

import hashlib
import os
from collections.abc import Mapping
from dataclasses import dataclass, field
from pathlib import Path

from roofcast.core.errors import DatasetError, one_line
from roofcast.core.kernel_table import KernelTable
from roofcast.store.sets import is_stored

FOLDER_VARIABLE = "ROOFCAST_DATA"


@dataclass(frozen=True)
class Dataset:
    """One file of measurements."""

    file: str
    """Relative to the folder."""
    sha256: str
    origin: str
    licence: str
    training: bool
    """Whether a model may be trained on it; False: validation only."""
    about: str
    published: tuple[str, ...] = ()
    """Errors that others printed for the same measurements."""
    rows: Mapping[str, str] = field(default_factory=dict)
    """Column -> value (lower case) of the rows to compare, as the notes of the data set say."""
    within_gpu: bool = False
    """Pairs are settings of one GPU, not GPUs."""
    time_s_least: float = 0.0
    """Pairs below this on any GPU are launch floors, not kernels, and are left out of the headline."""
    family: str = ""
    """Kind of work that it belongs to, where several files are one (default: its own name)."""
    screened: bool = False
    """Whether measurements in it are known to be broken (its notes say so), so that families are scored screened."""


DATASETS: dict[str, Dataset] = {
    "hecbench_ncu": Dataset(
        "hecbench_ncu/kernels.csv.gz",
        "c3ebcfae1c043d102f3077684f45b67a51fa0b4bfccb44abee2da4b3cfb66fc0",
        "FLOPBench/FLOPBench.github.io@b331454 and scientific-computing-user/gpuFLOPBench@d77dd5b",
        "none stated",
        training=True,
        about="HeCBench CUDA and OpenMP kernels under Nsight Compute on RTX 3080, A10, A100, H100",
        rows={"model": "cuda", "same_work": "true"},
        time_s_least=1e-5,
        family="hecbench",
    ),
    "kernel_tuner": Dataset(
        "kernel_tuner/ktt_2gpu_counters.csv.gz",
        "ab168c6d6db47be46664b1d0d5e31d5349a7f561e63e2677b161fa673f8a0926",
        "AutoTuningAssociation/benchmark_hub@8eeb99e, DOI 10.5281/zenodo.15364124",
        "MIT",
        training=False,
        about="one convolution in 5,240 tuning configurations: counters on RTX 2080 Ti, times on RTX 3090",
    ),
    "bat": Dataset(
        "kernel_tuner/bat_4gpu.csv.gz",
        "5247c5c588630902de8e6ce87aa3eee7e81477a4762b651ed22f0168c8b1d9f0",
        "AutoTuningAssociation/benchmark_hub@8eeb99e",
        "MIT",
        training=False,
        about="SGEMM and convolution tuning spaces on RTX 2080 Ti, Titan RTX, RTX 3090, RTX 3060 Laptop",
        family="kernel_tuner",
    ),
    "nca_nvprof": Dataset(
        "nca_nvprof/kernels.csv.gz",
        "6c7b1095753cc5db7f7a84041c0fdd73cc55726d2b13d03ccab5e686043097cd",
        "marcosamaris/gpuperfpredict@3103c86f",
        "CC BY 4.0",
        training=True,
        about="9 kernels on 10 Kepler and Maxwell GPUs under nvprof",
        published=("BSP model with a constant fitted per GPU: 4.7 %", "target left out: LR 24 %, RF 16 %, SVM 24 %"),
        family="nca",
        screened=True,
    ),
    "dvfs_hkbu": Dataset(
        "dvfs_hkbu/kernels_dvfs.csv.gz",
        "1c32dee7138d5ec4cddf5da538f0cb5691e85bde3251cfb29533e74e33bdff2f",
        "HKBU-HPML/GPU-DVFS-Job-Schedule@7ae3c9c",
        "none stated",
        training=False,
        about="30 kernels at 20 clock settings of a GTX 1080 Ti with nvprof counters",
        within_gpu=True,
        family="dvfs",
    ),
    "micro16": Dataset(
        "micro16/micro16.csv.gz",
        "8e6bd6def56959bb931772702155f0099054c198b915cdd7669242a530f880ff",
        "Debdeep23/Kernel_Performance_Prediction@f808e85",
        "none stated",
        training=False,
        about="16 micro-kernels on RTX 2080 Ti, RTX 4070, Titan V and a broken GTX Titan X",
        published=("authors' model on the three sound GPUs: 55.65 %",),
        screened=True,
    ),
    "neusight": Dataset(
        "neusight/ops_fp32.csv.gz",
        "c1a9ae9ce29624e375be5f241b00d3efdc3adf1760f6b5e9867d449a72239f9d",
        "sitar-lab/NeuSight@6945927",
        "MIT",
        training=True,
        about="PyTorch operators in FP32 on P4, T4, P100, V100, A100",
        published=("NeuSight, in / out of distribution: BMM 26/14, FC 20/14, EW 14/19, softmax 19/14, LN 20/57 %",),
    ),
    "llm_ops_gemm": Dataset(
        "llm_ops/gemm_sglang0510.csv.gz",
        "59699d73b1ca8f2efcbfd47537871052411fc3f07a419bffab5d878d4402790d",
        "ai-dynamo/aiconfigurator@095f58a",
        "Apache-2.0",
        training=True,
        about="GEMM in bf16 and fp8 on A100, H100, L40S",
        time_s_least=1e-5,
        family="llm_ops",
    ),
    "llm_ops_attention": Dataset(
        "llm_ops/attention_sglang0510.csv.gz",
        "48615a12f79587ff14c6001d96e341306113cb947209f78423574b761ca3f45b",
        "ai-dynamo/aiconfigurator@095f58a",
        "Apache-2.0",
        training=True,
        about="prefill and decode attention on A100, H100, L40S",
        time_s_least=1e-5,
        family="llm_ops",
    ),
    "llm_ops_moe": Dataset(
        "llm_ops/moe_mla_gdn_sglang0510.csv.gz",
        "947853f6b106558fa97d6f616dda99367102118ce2cacbfb31420bdaa5c3bbc8",
        "ai-dynamo/aiconfigurator@095f58a",
        "Apache-2.0",
        training=True,
        about="mixture of experts, multi-head latent attention, gated delta nets on A100, H100, L40S",
        time_s_least=1e-5,
        family="llm_ops",
    ),
    "pmpp_nvbench": Dataset(
        "pmpp_nvbench/kernels.csv.gz",
        "898b37b369d710bfa129d7a3421449fcfb59509c6abe6effc6b83fa741b72585",
        "R100001/Programming-Massively-Parallel-Processors@a972fb5",
        "none stated",
        training=False,
        about="44 textbook kernels on GTX 1650, RTX 2060, RTX 3060, RTX 3080",
        family="pmpp",
    ),
    "vidur_llm_ops": Dataset(
        "vidur_llm_ops/mlp_ops.csv.gz",
        "2e812b17ca4f7a0e4ef2d1e842a9fb3ebba8b242d2e127fa9261a7b982fb53e3",
        "microsoft/vidur@7d47513",
        "MIT",
        training=True,
        about="operators of language models on A100, A40, H100",
        family="vidur",
    ),
    "deepbench": Dataset(
        "deepbench/train_ops.csv.gz",
        "f0b49ac9c8d0b7626c6bd6356eec417a80911e0c8954b1deae63848c077a3246",
        "baidu-research/DeepBench@da81ba7",
        "Apache-2.0",
        training=True,
        about="GEMM, convolution and recurrent training kernels on ten GPUs",
    ),
    "eleuther_gemm": Dataset(
        "eleuther_gemm/gemm_fp16.csv.gz",
        "e8e80d0650925c0315b74d5f55ba2185f8dd125060440a648b367ff8e205c09d",
        "EleutherAI/cookbook@27dff48",
        "Apache-2.0",
        training=True,
        about="FP16 GEMM on A100, V100, MI250X",
        family="eleuther",
    ),
    "llmcompass": Dataset(
        "llmcompass/ops.csv.gz",
        "22ec04e1a84fabc6c7bb696ecf9fcdee099a9eb2c467c9a935c7b369f323d760",
        "PrincetonUniversity/LLMCompass@2e015fd",
        "BSD-3-Clause",
        training=True,
        about="matmul, softmax, layer norm, GELU in FP16 on A100 and MI210",
    ),
    "fluidx3d": Dataset(
        "fluidx3d/lbm.csv.gz",
        "b144bf968184a58d60de1eed1707c48b09a8e1c53955af6bd84ff7f793deeccb",
        "ProjectPhysX/FluidX3D@8986874",
        "non-commercial source licence; the table is cited as facts",
        training=False,
        about="one memory-bound kernel on 278 devices",
    ),
    "hashcat": Dataset(
        "hashcat/rates.csv.gz",
        "e5684cb90f7cfda97eb7db7cbb339bd9a70433e440b9bb10ca80ea6e802c745d",
        "its5Q/hashcat-benchmarks@8a042e8",
        "CC0 1.0",
        training=True,
        about="password hashing (integer work) on 20 GPUs, Pascal to Ada; no amounts",
    ),
    "gunrock": Dataset(
        "gunrock/graph.csv.gz",
        "19be618cb3d4b8255cb1fffaa515a849bc51ca4746989cb70433ff20e5b4f716",
        "gunrock/io@e43de5d22",
        "none stated",
        training=True,
        about="graph search and PageRank on four GPUs, timed on the host",
        rows={"same_graph": "true"},
    ),
    "gearshifft_fft": Dataset(
        "gearshifft_fft/fft.csv.gz",
        "b9e5c7c2a2aa03fcf4e3c01918a5ed3a97844f3ce4ffc800a914cb88d40ba113",
        "mpicbg-scicomp/gearshifft_results@717e40a",
        "none stated",
        training=True,
        about="FFTs in FP32 by clFFT and cuFFT on four GPUs",
        family="fft",
    ),
    "miopen_conv": Dataset(
        "miopen_conv/same_solver.csv.gz",
        "ff12e6fefd97a4ca46e052dfc7c27a5035851cec63b0d1247a7233f566eb0352",
        "ROCm/MIOpen@2d1fd997a",
        "MIT",
        training=True,
        about="convolutions by the same algorithm on six AMD GPUs",
        family="miopen",
    ),
    "timm_infer": Dataset(
        "timm_infer/models.csv.gz",
        "6455af1995a0669eb88dac5b8a26810316b309daff0656da21a176e1a0bb5bd8",
        "huggingface/pytorch-image-models@aa4b585",
        "Apache-2.0",
        training=True,
        about="whole steps of vision models in PyTorch on RTX 3090, 4090, 5090",
        family="timm",
    ),
    "torchvision_cnn": Dataset(
        "torchvision_cnn/cnn.csv.gz",
        "55e28f15c90b18178fb5f357ec06dd65ff8f1af018ea86ac37638785128f2b39",
        "ryujaehun/pytorch-gpu-benchmark@3f47a9e",
        "MIT",
        training=True,
        about="inference and training of CNNs in FP16, FP32, FP64 on GTX 1080 Ti, RTX 2080 Ti, TITAN V",
        family="torchvision",
    ),
}

CEILINGS: dict[str, Dataset] = {
    "torch_gemm_peak": Dataset(
        "torch_gemm_peak/gemm_peak.csv.gz",
        "16eb4c80e65793c57bf8baec2f84a5a392a4d4a6e53461cee2b4d47da84d7a4d",
        "zzc0721/torch-performance-test-data@9d82827",
        "none stated; cited as facts",
        training=False,
        about="the best matrix product that PyTorch users report on each of 65 cards",
    ),
    "microbench_ceilings": Dataset(
        "microbench_tables/ceilings.csv",
        "e242a4264956c5b018ba0ad924e341849f7765162557ac857a5742dcdd7c549b",
        "markdewing/AI_kernels@d916a39 and stas00/ml-engineering@744d01e",
        "MIT; CC BY-SA 4.0, cited as facts",
        training=False,
        about="latencies of L1, L2 and DRAM, best matrix products",
    ),
    "microbench_latency": Dataset(
        "microbench_tables/latency_vs_size.csv",
        "d0db6fbbe35390f6ae89d76c74b2bd7231b852b30041662e5eb2d21c4da961e2",
        "markdewing/AI_kernels@d916a39",
        "MIT",
        training=False,
        about="latency against working set on ten GPUs, V100 to B300",
    ),
}
"""Files of ceilings, not of pairs: what the catalog's figures are checked against."""


def families() -> dict[str, tuple[str, ...]]:
    """Family -> its data sets: what is left out together.

    >>> families()["kernel_tuner"]
    ('kernel_tuner', 'bat')
    """
    found: dict[str, list[str]] = {}
    for name, dataset in DATASETS.items():
        found.setdefault(dataset.family or name, []).append(name)
    return {family: tuple(names) for family, names in found.items()}


def folder() -> Path:
    """Where the files are.

    Raises
    ------
    DatasetError : neither the variable nor the folder beside the checkout leads to one.
    """
    given = os.environ.get(FOLDER_VARIABLE)
    found = Path(given) if given else Path(__file__).resolve().parents[4] / "shared" / "data"
    if not found.is_dir():
        raise DatasetError(
            f"no folder of data sets: set {FOLDER_VARIABLE} to where they are (`roofcast evaluate --list` has them)"
        )
    return found


def path_of(name: str) -> Path:
    """A registered file, checked by its hash.

    Raises
    ------
    DatasetError : unknown name, absent file, or a file that is not the registered one.
    """
    dataset = DATASETS.get(name) or CEILINGS.get(name)
    if dataset is None:
        raise DatasetError(f"unknown data set {one_line(name, 60)!r}: use one of {', '.join(DATASETS)}, or a file")
    path = folder() / dataset.file
    try:
        found = hashlib.sha256(path.read_bytes()).hexdigest()
    except OSError as error:
        raise DatasetError(f"{dataset.file}: cannot be read in the folder of data sets ({error.strerror})") from error
    if found != dataset.sha256:
        raise DatasetError(
            f"{dataset.file} is not the registered file (SHA-256 {found[:12]}…): see `roofcast evaluate --list`"
        )
    return path


def load(name: str) -> tuple[str, KernelTable]:
    """Name and rows of a registered data set, or of any file that roofcast reads.

    Raises
    ------
    DatasetError, InputError : no such data set or file; a file that cannot be read.
    """
    from roofcast.reading import read

    if name in DATASETS:
        return name, read(path_of(name))
    if name in CEILINGS:
        raise DatasetError(f"{name} holds ceilings, not measured pairs: it is compared with the catalog, not forecast")
    if is_stored(name):
        return one_line(name, 80), read(name)
    if not Path(name).is_file():
        raise DatasetError(f"{one_line(name, 80)!r} is neither a file nor a data set: use one of {', '.join(DATASETS)}")
    return Path(name).name, read(name)

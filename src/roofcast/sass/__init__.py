"""Machine code of NVIDIA GPUs: binaries, instructions, basic blocks, execution counts, blocks matched across GPUs."""

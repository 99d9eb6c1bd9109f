"""AMD's profilers: rocprof, rocprofv3, rocprof-compute."""

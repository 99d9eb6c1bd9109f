/* roofcast
title = "a one-dimensional Lagrangian gas: nine kernels per time step, one cell per thread, no reuse"
source = "VanLanker2024, sec. 5.2 (Hydro1D: 9 kernels, 50,000,000 cells); the equations are our own choice"
precision = "fp64"
tolerance = 1e-12
configurations = [{ n = 5000000 }, { n = 50000000 }]
check = { n = 1013 }
steps = "3"
[values]
gamma_minus_1 = 0.4
strength = 2.0
sound_factor = 0.56
courant = 0.4
mass = 0.001
inverse_mass = 1000.0
time_step = 0.0001
time_step_over_mass = 0.1
spacing = 0.001
[arrays]
density = "f64[n] out"
energy = "f64[n] out"
velocity = "f64[n + 1] out"
position = "f64[n + 1] out"
pressure = "f64[n] out"
viscosity = "f64[n] out"
acceleration = "f64[n] out"
step_limit = "f64[n] out"
total = "f64[n] out"
[kernels.hydro1d_init]
once = true
grid = ["ceil((n + 1) / 256)"]
block = [256]
arguments = "density energy velocity position n:i32 spacing:f64"
access = "writes only, coalesced"
threads = "n + 1"
static = "bound"
flops_fp64 = "3 * (n + 1)"
bytes_l1 = "32 * n + 16"
bytes_l2 = "32 * n + 16"
bytes_dram_read = "0"
bytes_dram_write = "32 * n + 16"
[kernels.hydro1d_pressure]
grid = ["ceil(n / 256)"]
block = [256]
arguments = "density energy pressure n:i32 gamma_minus_1:f64"
access = "coalesced; neighbouring cells come from L1"
threads = "n"
flops_fp64 = "2 * n"
insts_fp64_mul = "2 * n"
bytes_l1 = "24 * n"
bytes_l2 = "24 * n"
bytes_dram_read = "16 * n"
bytes_dram_write = "8 * n"
[kernels.hydro1d_viscosity]
grid = ["ceil(n / 256)"]
block = [256]
arguments = "density velocity viscosity n:i32 strength:f64"
access = "coalesced; neighbouring cells come from L1"
threads = "n"
flops_fp64 = "4 * n"
insts_fp64_add = "n"
insts_fp64_mul = "3 * n"
bytes_l1 = "32 * n"
bytes_l2 = "24 * n"
bytes_dram_read = "16 * n"
bytes_dram_write = "8 * n"
[kernels.hydro1d_timestep]
grid = ["ceil(n / 256)"]
block = [256]
arguments = "energy position step_limit n:i32 sound_factor:f64 courant:f64"
access = "coalesced; neighbouring cells come from L1"
threads = "n"
flops_fp64 = "(3 + SQRT64 + DIV64) * n"
flops_fp32 = "2 * n"
insts_fp32_fma = "n"
insts_fp64_add = "n"
insts_fp64_mul = "6 * n"
insts_fp64_fma = "12 * n"
bytes_l1 = "32 * n"
bytes_l2 = "24 * n"
bytes_dram_read = "16 * n"
bytes_dram_write = "8 * n"
[kernels.hydro1d_acceleration]
grid = ["ceil(n / 256)"]
block = [256]
arguments = "pressure viscosity acceleration n:i32 inverse_mass:f64"
access = "coalesced; neighbouring cells come from L1"
threads = "n"
flops_fp64 = "4 * n"
insts_fp64_add = "3 * n"
insts_fp64_mul = "n"
bytes_l1 = "40 * n"
bytes_l2 = "24 * n"
bytes_dram_read = "16 * n"
bytes_dram_write = "8 * n"
[kernels.hydro1d_velocity]
grid = ["ceil(n / 256)"]
block = [256]
arguments = "acceleration velocity n:i32 time_step:f64"
access = "coalesced; neighbouring cells come from L1"
threads = "n"
flops_fp64 = "2 * n"
insts_fp64_fma = "n"
bytes_l1 = "24 * n"
bytes_l2 = "24 * n"
bytes_dram_read = "16 * n"
bytes_dram_write = "8 * n"
[kernels.hydro1d_position]
grid = ["ceil(n / 256)"]
block = [256]
arguments = "velocity position n:i32 time_step:f64"
access = "coalesced; neighbouring cells come from L1"
threads = "n"
flops_fp64 = "2 * n"
insts_fp64_fma = "n"
bytes_l1 = "24 * n"
bytes_l2 = "24 * n"
bytes_dram_read = "16 * n"
bytes_dram_write = "8 * n"
[kernels.hydro1d_density]
grid = ["ceil(n / 256)"]
block = [256]
arguments = "position density n:i32 mass:f64"
access = "coalesced; neighbouring cells come from L1"
threads = "n"
flops_fp64 = "(1 + DIV64) * n"
flops_fp32 = "2 * n"
insts_fp32_fma = "n"
insts_fp64_add = "n"
insts_fp64_mul = "n"
insts_fp64_fma = "7 * n"
bytes_l1 = "24 * n"
bytes_l2 = "16 * n"
bytes_dram_read = "8 * n"
bytes_dram_write = "8 * n"
[kernels.hydro1d_energy]
grid = ["ceil(n / 256)"]
block = [256]
arguments = "pressure viscosity velocity energy n:i32 time_step_over_mass:f64"
access = "coalesced; neighbouring cells come from L1"
threads = "n"
flops_fp64 = "5 * n"
insts_fp64_add = "2 * n"
insts_fp64_mul = "n"
insts_fp64_fma = "n"
bytes_l1 = "48 * n"
bytes_l2 = "40 * n"
bytes_dram_read = "32 * n"
bytes_dram_write = "8 * n"
[kernels.hydro1d_total]
grid = ["ceil(n / 256)"]
block = [256]
arguments = "energy velocity total n:i32"
access = "coalesced; neighbouring cells come from L1"
threads = "n"
flops_fp64 = "3 * n"
insts_fp64_mul = "n"
insts_fp64_fma = "n"
bytes_l1 = "24 * n"
bytes_l2 = "24 * n"
bytes_dram_read = "16 * n"
bytes_dram_write = "8 * n"
*/
extern "C" __global__ void hydro1d_init(double* __restrict__ density, double* __restrict__ energy,
                                        double* __restrict__ velocity, double* __restrict__ position, int n,
                                        double spacing) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i > n) return;
  velocity[i] = 0.01 * (i % 17 - 8);
  position[i] = spacing * i;
  if (i == n) return;
  density[i] = 1.0;
  energy[i] = 2.5 + 0.125 * (i % 5);
}

extern "C" __global__ void hydro1d_pressure(const double* __restrict__ density, const double* __restrict__ energy,
                                            double* __restrict__ pressure, int n, double gamma_minus_1) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i >= n) return;
  pressure[i] = gamma_minus_1 * density[i] * energy[i];
}

extern "C" __global__ void hydro1d_viscosity(const double* __restrict__ density, const double* __restrict__ velocity,
                                             double* __restrict__ viscosity, int n, double strength) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i >= n) return;
  double jump = velocity[i + 1] - velocity[i];
  double squeeze = jump < 0.0 ? jump : 0.0;
  viscosity[i] = strength * density[i] * squeeze * squeeze;
}

extern "C" __global__ void hydro1d_timestep(const double* __restrict__ energy, const double* __restrict__ position,
                                            double* __restrict__ step_limit, int n, double sound_factor,
                                            double courant) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i >= n) return;
  double speed = sqrt(sound_factor * energy[i]);
  step_limit[i] = courant * (position[i + 1] - position[i]) / speed;
}

extern "C" __global__ void hydro1d_acceleration(const double* __restrict__ pressure,
                                                const double* __restrict__ viscosity,
                                                double* __restrict__ acceleration, int n, double inverse_mass) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i >= n) return;
  int left = max(i - 1, 0);
  acceleration[i] = (pressure[left] + viscosity[left] - pressure[i] - viscosity[i]) * inverse_mass;
}

extern "C" __global__ void hydro1d_velocity(const double* __restrict__ acceleration, double* __restrict__ velocity,
                                            int n, double time_step) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i >= n) return;
  velocity[i] = velocity[i] + time_step * acceleration[i];
}

extern "C" __global__ void hydro1d_position(const double* __restrict__ velocity, double* __restrict__ position, int n,
                                            double time_step) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i >= n) return;
  position[i] = position[i] + time_step * velocity[i];
}

extern "C" __global__ void hydro1d_density(const double* __restrict__ position, double* __restrict__ density, int n,
                                           double mass) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i >= n) return;
  density[i] = mass / (position[i + 1] - position[i]);
}

extern "C" __global__ void hydro1d_energy(const double* __restrict__ pressure, const double* __restrict__ viscosity,
                                          const double* __restrict__ velocity, double* __restrict__ energy, int n,
                                          double time_step_over_mass) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i >= n) return;
  double work = (pressure[i] + viscosity[i]) * (velocity[i + 1] - velocity[i]);
  energy[i] = energy[i] - time_step_over_mass * work;
}

extern "C" __global__ void hydro1d_total(const double* __restrict__ energy, const double* __restrict__ velocity,
                                         double* __restrict__ total, int n) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i >= n) return;
  total[i] = energy[i] + 0.5 * velocity[i] * velocity[i];
}

#include "loop_table.h"

#include <cstdlib>
#include <cstring>

#include "crossdock/backends/native.h"

namespace crossdock::native {

namespace {

#ifdef __x86_64__
int best_level() noexcept {
  __builtin_cpu_init();
  const bool v3 = __builtin_cpu_supports("avx2") && __builtin_cpu_supports("fma") && __builtin_cpu_supports("bmi") &&
                  __builtin_cpu_supports("bmi2");
  const bool v4 = v3 && __builtin_cpu_supports("avx512f") && __builtin_cpu_supports("avx512bw") &&
                  __builtin_cpu_supports("avx512cd") && __builtin_cpu_supports("avx512dq") &&
                  __builtin_cpu_supports("avx512vl");
  return v4 ? 4 : v3 ? 3 : 2;
}

// What the CPU can do, or less where CROSSDOCK_CPU_LEVEL asks for it.
int level() noexcept {
  static const int chosen = [] {
    const int best = best_level();
    const char* wish = std::getenv("CROSSDOCK_CPU_LEVEL");
    if (!wish || wish[0] != 'v' || wish[1] < '2' || wish[1] > '4' || wish[2]) return best;
    return wish[1] - '0' < best ? wish[1] - '0' : best;
  }();
  return chosen;
}
#endif

#define CROSSDOCK_REGISTER(level)        \
  level::register_arithmetic(table);     \
  level::register_integers(table);       \
  level::register_comparisons(table);    \
  level::register_rounding(table);       \
  level::register_exponentials(table);   \
  level::register_circular(table);       \
  level::register_hyperbolic(table);     \
  level::register_powers(table);         \
  level::register_division(table);       \
  level::register_casts(table);          \
  level::register_moves(table);          \
  level::register_transposes(table);     \
  level::register_interleaves(table);    \
  level::register_indices(table);        \
  level::register_reductions(table);     \
  level::register_arg_reductions(table); \
  level::register_deviations(table);     \
  level::register_ranks(table);          \
  level::register_sorting(table);        \
  level::register_gemm(table);           \
  level::register_fft_passes(table);     \
  level::register_fft_moves(table);      \
  level::register_fft_reals(table)

LoopTable make_loops() noexcept {
  LoopTable table{};
  register_libm_real(table);
  register_libm_complex(table);
#ifdef __x86_64__
  switch (level()) {
    case 4:
      CROSSDOCK_REGISTER(v4);
      break;
    case 3:
      CROSSDOCK_REGISTER(v3);
      break;
    default:
      CROSSDOCK_REGISTER(v2);
  }
#else
  CROSSDOCK_REGISTER(generic);
#endif
  return table;
}

#undef CROSSDOCK_REGISTER

}  // namespace

const char* cpu_level() noexcept {
#ifdef __x86_64__
  return level() == 4 ? "v4" : level() == 3 ? "v3" : "v2";
#else
  return "generic";
#endif
}

const LoopTable& loops() noexcept {
  static const LoopTable table = make_loops();
  return table;
}

}  // namespace crossdock::native

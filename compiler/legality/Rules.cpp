// The rules, their numbers and the choices for unset names: data alone.
#include "compiler/legality/Legality.h"

namespace phobos::legality {

static constexpr Paths kPublished = static_cast<Paths>(Path::Published), kCpu = static_cast<Paths>(Path::Cpu),
                       kSimt = static_cast<Paths>(Path::Simt), kMma = static_cast<Paths>(Path::Mma),
                       kWgmma = static_cast<Paths>(Path::Wgmma), kKernel = static_cast<Paths>(Path::Gpu);
static constexpr Paths kWarpTiled = Path::Published | Path::Simt, kGpu = Path::Simt | Path::Mma;

const std::vector<Number> &numbers() {
  static const std::vector<Number> list = {
      {"WARP_MITER", kWarpTiled, "(WARP_M * WARP_N) / (32 * TILE_TM * TILE_TN * WARP_NITER)",
       "steps in which a warp walks down its tile"},
      {"ACCUMULATORS", kWarpTiled, "WARP_MITER * TILE_TM * WARP_NITER * TILE_TN", "accumulators of a thread"},
      {"ACCUMULATORS", kMma, "(WARP_M * WARP_N) / 32", "accumulators of a thread"},
      {"SHARED_BYTES", kPublished, "4 * (TILE_M * TILE_K + TILE_K * TILE_N)",
       "shared memory of a block, f32"},
      {"SHARED_BYTES", kGpu, "STAGES * TILE_K * (TILE_M + TILE_N) * ELEM_BYTES", "shared memory of a block"},
      // Calibrated with ptxas 13.0 on all points of examples/*.pho for sm_75, sm_80, sm_89 and sm_90a: no
      // entry point that is taken spills. 43 registers are left for addresses, counters and what is computed:
      // those at 212 for tiles, fragments and copies do not spill, and the next above that do.
      {"COPY_REGISTERS", kGpu, "cdiv(TILE_K * (TILE_M + TILE_N) * ELEM_BYTES, 16 * THREADS)",
       "16-byte pieces that a thread copies: each has an address"},
      {"THREAD_REGISTERS", kSimt,
       "ACCUMULATORS * ACC_BYTES / 4 + WARP_MITER * TILE_TM * (4 + cdiv(4, ELEM_BYTES) - cdiv(4, max(4, "
       "ELEM_BYTES))) + WARP_NITER * TILE_TN * 2 * max(1, ELEM_BYTES / 4) + COPY_REGISTERS + 43",
       "registers of a thread: accumulators, rows of A as 16-byte reads along k bring them, columns of B for "
       "two k, copies, addresses"},
      {"THREAD_REGISTERS", kMma,
       "ACCUMULATORS * ACC_BYTES / 4 + 2 * (WARP_M + WARP_N) * MMA_K * ELEM_BYTES / 128 + COPY_REGISTERS + "
       "43",
       "registers of a thread: accumulators, the fragments of one step of k and of the next, copies, "
       "addresses"},
      {"THREAD_REGISTERS", kKernel, "TILE_REGISTERS + 43",
       "registers of a thread: its tiles, fragments and copies where most of them live, with what loads "
       "beside a product's sums take for themselves; addresses"},
      {"GROUPS_N", kWgmma, "THREADS / 128 / max(1, GROUPS_M)", "warpgroups that share the columns"},
      {"REGISTER_LIMIT", kGpu | Path::Gpu, "min(MAX_REGISTERS, 65536 / (THREADS * MIN_BLOCKS))",
       "registers that a thread may have"},
  };
  return list;
}

const std::vector<Rule> &rules() {
  static const std::vector<Rule> list = {
      // The warp-tiled GEMM.
      {"positive", kWarpTiled,
       "TILE_M >= 1 && TILE_N >= 1 && TILE_K >= 1 && WARP_M >= 1 && WARP_N >= 1 && WARP_NITER >= 1 && "
       "TILE_TM >= 1 && TILE_TN >= 1 && THREADS >= 1",
       "every number must be at least 1"},
      {"positive", kMma,
       "TILE_M >= 1 && TILE_N >= 1 && TILE_K >= 1 && WARP_M >= 1 && WARP_N >= 1 && THREADS >= 1",
       "every number must be at least 1"},
      {"positive-stages", kGpu, "STAGES >= 1 && SPLIT_K >= 1",
       "{STAGES} stages and {SPLIT_K} parts of k: both must be at least 1"},
      {"whole-warps", kWarpTiled | Path::Mma | Path::Gpu, "THREADS % 32 == 0",
       "{THREADS} threads are not a whole number of warps of 32"},
      {"thread-limit", kGpu | Path::Gpu, "THREADS <= 1024",
       "{THREADS} threads are more than the 1024 that a block may have"},
      {"block-in-warp-tiles", kWarpTiled | Path::Mma, "TILE_M % WARP_M == 0 && TILE_N % WARP_N == 0",
       "the {TILE_M}x{TILE_N} block tile is not a whole number of {WARP_M}x{WARP_N} warp tiles"},
      {"warps-cover-block", kWarpTiled | Path::Mma, "(TILE_M / WARP_M) * (TILE_N / WARP_N) == THREADS / 32",
       "the {TILE_M}x{TILE_N} block tile holds {(TILE_M / WARP_M) * (TILE_N / WARP_N)} warp tiles of "
       "{WARP_M}x{WARP_N}, but {THREADS} threads are "
       "{THREADS / 32} warps"},
      {"warp-in-steps", kWarpTiled,
       "(WARP_M * WARP_N) % (32 * TILE_TM * TILE_TN * WARP_NITER) == 0 && WARP_MITER >= 1 && WARP_M % "
       "WARP_MITER == 0 && WARP_N % WARP_NITER == 0",
       "a {WARP_M}x{WARP_N} warp tile cannot be walked in {WARP_NITER} steps across and a whole number down "
       "by 32 threads with {TILE_TM}x{TILE_TN} "
       "each"},
      {"subtile-in-thread-tiles", kWarpTiled,
       "(WARP_M / WARP_MITER) % TILE_TM == 0 && (WARP_N / WARP_NITER) % TILE_TN == 0",
       "a step of {WARP_M / WARP_MITER}x{WARP_N / WARP_NITER} is not a whole number of {TILE_TM}x{TILE_TN} "
       "thread tiles"},
      {"lanes-cover-subtile", kWarpTiled,
       "(WARP_M / WARP_MITER / TILE_TM) * (WARP_N / WARP_NITER / TILE_TN) == 32",
       "a step of {WARP_M / WARP_MITER}x{WARP_N / WARP_NITER} holds "
       "{(WARP_M / WARP_MITER / TILE_TM) * (WARP_N / WARP_NITER / TILE_TN)} thread tiles, but a warp has 32 "
       "lanes"},
      {"vector-alignment", kPublished, "TILE_K % 4 == 0 && TILE_N % 4 == 0 && TILE_TN % 4 == 0",
       "loads of 4 elements need TILE_K = {TILE_K}, TILE_N = {TILE_N} and TILE_TN = {TILE_TN} to be "
       "multiples of 4"},
      {"a-loads-cover", kPublished,
       "(4 * THREADS) % TILE_K == 0 && 4 * THREADS / TILE_K >= 1 && TILE_M % (4 * THREADS / TILE_K) == 0",
       "{THREADS} threads loading 4 elements each do not cover the {TILE_M}x{TILE_K} tile of A in whole "
       "strides"},
      {"b-loads-cover", kPublished,
       "THREADS % (TILE_N / 4) == 0 && THREADS / (TILE_N / 4) >= 1 && TILE_K % (THREADS / (TILE_N / 4)) == 0",
       "{THREADS} threads loading 4 elements each do not cover the {TILE_K}x{TILE_N} tile of B in whole "
       "strides"},

      // Tensor cores.
      {"instruction-tiles-warp", kMma, "WARP_M % MMA_M == 0 && WARP_N % MMA_N == 0",
       "a {WARP_M}x{WARP_N} warp tile is not a whole number of the instruction's {MMA_M}x{MMA_N}"},
      {"instruction-tiles-k", kMma, "TILE_K % MMA_K == 0",
       "a k step of {TILE_K} is not a whole number of the instruction's {MMA_K}"},
      {"instruction-exists", kMma, "SM >= MMA_SM", "this product needs sm_{MMA_SM}, the target is sm_{SM}"},

      // Tensor cores by warpgroups. A product that breaks one of these goes by mma.
      {"positive", kWgmma, "TILE_M >= 1 && TILE_N >= 1 && TILE_K >= 1", "every number must be at least 1"},
      {"warpgroups", kWgmma, "THREADS == 128 || THREADS == 256",
       "{THREADS} threads are not one or two warpgroups of 128"},
      {"groups-cover-block", kWgmma, "GROUPS_M >= 1 && (THREADS / 128) % GROUPS_M == 0",
       "{THREADS / 128} warpgroups are not laid {GROUPS_M} down"},
      {"rows-of-64", kWgmma, "TILE_M % (64 * GROUPS_M) == 0",
       "{TILE_M} rows are not a whole number of the instruction's 64 for each of {GROUPS_M} warpgroups"},
      {"columns-of-group", kWgmma, "TILE_N % (GROUPS_N * STEP_N) == 0 && TILE_N / GROUPS_N <= 256",
       "{TILE_N} columns in {GROUPS_N} warpgroups are not at most 256, a multiple of {STEP_N}, for each"},
      {"k-of-16", kWgmma, "TILE_K % 16 == 0",
       "a k step of {TILE_K} is not a whole number of the instruction's 16"},
      {"swizzled-rows", kWgmma,
       "(A_ROW_BYTES % 128 == 0 || A_ROW_BYTES == 64 || A_ROW_BYTES == 32) && (B_ROW_BYTES % 128 == 0 || "
       "B_ROW_BYTES == 64 || B_ROW_BYTES == 32)",
       "rows of operands of {A_ROW_BYTES} and {B_ROW_BYTES} bytes are not 32, 64 or a multiple of 128"},
      {"ring-of-stages", kWgmma, "STAGES >= 2",
       "producing warps run ahead in at least two stages; {STAGES} are set or fit"},

      // What a device has.
      {"pipeline-depth", kGpu, "STAGES <= 2 || SM >= 80",
       "{STAGES} stages need asynchronous copies, from sm_80 on; the target is sm_{SM}"},
      // Parts of k: blocks that sum a part each, of which the last to finish adds the sums and goes on.
      {"parts-of-k", kGpu | Path::Gpu, "SPLIT_K <= 256",
       "{SPLIT_K} blocks that share one tile of the result: at most 256 may, since one of them adds up what "
       "all have left"},
      {"split-one-loop", kKernel, "SPLIT_K == 1 || CONTRACTIONS == 1",
       "k is split in a kernel with one contraction loop; this one has {CONTRACTIONS}"},
      {"split-outer-loop", kKernel, "SPLIT_K == 1 || NESTED == 0",
       "the contraction loop stands in another loop or under a condition: to be split into {SPLIT_K} parts "
       "it "
       "must be a statement of the kernel itself"},
      {"split-writes-after", kKernel, "SPLIT_K == 1 || WRITES_BEFORE == 0",
       "{WRITES_BEFORE} stores, atomics or barriers before the end of the contraction loop: each of the "
       "{SPLIT_K} blocks that share a tile would do them"},
      {"split-sums-alone", kKernel, "SPLIT_K == 1 || OTHERS_CARRIED == 0",
       "the contraction loop carries {OTHERS_CARRIED} values beside the sums of its products: what they are "
       "in one part of k depends on the part before"},
      {"split-blocks-once", kKernel, "SPLIT_K == 1 || PERSISTENT == 0",
       "@persistent blocks take one tile after the other; {SPLIT_K} blocks that share a tile leave when they "
       "have summed their part"},
      {"cluster", kGpu | Path::Gpu, "CLUSTER_M >= 1 && CLUSTER_N >= 1 && CLUSTER_M * CLUSTER_N == 1",
       "clusters of {CLUSTER_M}x{CLUSTER_N} blocks: no path shares operands among blocks"},
      // A thread's part of each tile is spelled out, instruction by instruction.
      {"unrolled-size", kKernel, "UNROLLED <= UNROLLED_LIMIT",
       "spelled out, tiles and unrolled loops are {UNROLLED} operations for each of {THREADS} threads, the "
       "limit "
       "is "
       "{UNROLLED_LIMIT}"},
      {"parameters", kKernel, "PARAMETER_BYTES <= PARAMETER_LIMIT",
       "the parameters take {PARAMETER_BYTES} bytes (each tensor 8 an axis), a kernel may have "
       "{PARAMETER_LIMIT}; up to PTX 8.0 4352, then 32764"},
      {"tile-registers", kGpu | Path::Gpu, "THREAD_REGISTERS <= REGISTER_LIMIT",
       "a thread would need about {THREAD_REGISTERS} registers, {THREADS} threads in each of {MIN_BLOCKS} "
       "blocks at once leave {REGISTER_LIMIT}"},
      {"shared-memory", kWarpTiled | Path::Mma | Path::Gpu, "SHARED_BYTES <= SHARED_LIMIT",
       "the tiles need {SHARED_BYTES} bytes of shared memory, a block may use {SHARED_LIMIT}"},
      {"accumulators", kPublished, "ACCUMULATORS <= 128",
       "a thread would hold {ACCUMULATORS} accumulators, more than 128"},

      // The CPU: any tile works; what it needs at once must fit a thread's scratch memory.
      {"whole-warps", kCpu, "THREADS % 32 == 0 && THREADS >= 32 && THREADS <= 1024",
       "{THREADS} threads: a block has a multiple of 32, up to 1024"},
      {"scratch-memory", kCpu, "SCRATCH_BYTES <= SCRATCH_LIMIT",
       "the kernel's tiles need {SCRATCH_BYTES} bytes of scratch memory a thread, the limit is "
       "{SCRATCH_LIMIT}"},
  };
  return list;
}

const std::vector<Unset> &unsetNames() {
  static const std::vector<int64_t> threads = {256, 128, 64,  32,  512, 1024, 96,  160,
                                               192, 224, 320, 384, 448, 640,  768, 896};
  static const std::vector<Unset> list = {
      {"THREADS", kGpu, threads},
      {"SPLIT_K", kGpu | Path::Gpu, {1}},
      {"MIN_BLOCKS", kGpu | Path::Gpu, {1}},
      {"MAX_REGISTERS", kGpu | Path::Gpu, {255}},
      {"GROUP_M", kGpu, {8}},
      {"CLUSTER_M", kGpu | Path::Gpu, {1}},
      {"CLUSTER_N", kGpu | Path::Gpu, {1}},
      {"WARP_M", kSimt, {64, 32, 128, 16, 8, 48, 96, 24, 40, 80, 4, 256}},
      {"WARP_N", kSimt, {64, 32, 128, 16, 8, 48, 96, 24, 40, 80, 4, 256}},
      {"WARP_M", kMma, {64, 32, 16, 128, 48, 96, 80, 256}},
      {"WARP_N", kMma, {64, 32, 16, 128, 8, 48, 96, 24, 40, 80, 256}},
      {"GROUPS_M", kWgmma, {2, 1}},
      {"WARP_NITER", kSimt, {1, 2, 4}},
      {"TILE_TN", kSimt, {4, 8, 2, 1, 5, 3}},
      {"TILE_TM", kSimt, {8, 4, 2, 1, 16, 5, 3, 6}},
      {"STAGES", kGpu, {2, 1, 3, 4}},
      {"THREADS", kCpu, {256}},
      // Facts of the product and the device that a list of points may leave out.
      {"ELEM_BYTES", kSimt, {4}},
      {"ELEM_BYTES", kMma, {2}},
      {"ACC_BYTES", kGpu, {4}},
      {"SM", kGpu, {90}},
      {"MMA_M", kMma, {16}},
      {"MMA_N", kMma, {8}},
      {"MMA_K", kMma, {16}},
      {"MMA_SM", kMma, {80}},
      {"A_ROW_BYTES", kWgmma, {128}},
      {"B_ROW_BYTES", kWgmma, {128}},
      {"STEP_N", kWgmma, {64}},
      {"STAGES", kWgmma, {4, 3, 2}},
      {"THREADS", kWgmma, {256, 128}},
      {"UNROLLED_LIMIT", kKernel, {16384}},
      {"PARAMETER_BYTES", kKernel, {0}},
      {"PARAMETER_LIMIT", kKernel, {32764}},
      {"CONTRACTIONS", kKernel, {1}},
      {"NESTED", kKernel, {0}},
      {"WRITES_BEFORE", kKernel, {0}},
      {"OTHERS_CARRIED", kKernel, {0}},
      {"PERSISTENT", kKernel, {0}},
      {"SCRATCH_LIMIT", kCpu, {int64_t(1) << 30}},
  };
  return list;
}

static constexpr std::pair<std::string_view, Path> kLists[] = {
    {"warptile", Path::Published}, {"cpu", Path::Cpu}, {"simt", Path::Simt}, {"mma", Path::Mma},
    {"wgmma", Path::Wgmma},        {"gpu", Path::Gpu}};

std::optional<Path> pathNamed(std::string_view list) {
  for (auto [name, path] : kLists)
    if (name == list)
      return path;
  return std::nullopt;
}

std::vector<std::string_view> listNames() {
  std::vector<std::string_view> names;
  for (auto [name, path] : kLists)
    names.push_back(name);
  return names;
}

} // namespace phobos::legality

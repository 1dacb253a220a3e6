// Tensors as other libraries describe them.
#include "runtime/core/Error.h"
#include "runtime/include/phobos/phobos.h"
#include <cstring>

namespace {

/// DLPack's DLTensor, as its specification lays it out.
struct DLTensor {
  void *data;
  int32_t deviceType, deviceId;
  int32_t ndim;
  uint8_t code, bits;
  uint16_t lanes;
  int64_t *shape, *strides;
  uint64_t byteOffset;
};
enum : uint8_t {
  dlInt = 0,
  dlUInt = 1,
  dlFloat = 2,
  dlBfloat = 4,
  dlBool = 6,
  dlFloat8e4m3fn = 10,
  dlFloat8e5m2 = 12
};
enum : int32_t { dlCpu = 1, dlCuda = 2, dlCudaHost = 3, dlCudaManaged = 13 };

/// -1 where no type of the language matches.
int32_t typeOf(uint8_t code, uint8_t bits) {
  switch (code) {
  case dlBool:
    return bits == 8 ? PHOBOS_BOOL : -1;
  case dlInt:
    return bits == 8 ? PHOBOS_I8 : bits == 32 ? PHOBOS_I32 : bits == 64 ? PHOBOS_I64 : -1;
  case dlUInt:
    return bits == 8 ? PHOBOS_U8 : bits == 32 ? PHOBOS_U32 : -1;
  case dlFloat:
    return bits == 16 ? PHOBOS_F16 : bits == 32 ? PHOBOS_F32 : bits == 64 ? PHOBOS_F64 : -1;
  case dlBfloat:
    return bits == 16 ? PHOBOS_BF16 : -1;
  case dlFloat8e4m3fn:
    return bits == 8 ? PHOBOS_F8E4M3 : -1;
  case dlFloat8e5m2:
    return bits == 8 ? PHOBOS_F8E5M2 : -1;
  default:
    return -1;
  }
}

} // namespace

// Defined in CApi.cpp: sets the thread's last error.
phobos_status phobosFail(phobos_status code, std::string message);

extern "C" {

phobos_status phobos_tensor_from_dlpack(const void *dl, phobos_tensor *out) {
  if (!dl || !out)
    return phobosFail(PHOBOS_INVALID_ARGUMENT, "phobos_tensor_from_dlpack: a null pointer");
  const auto &t = *static_cast<const DLTensor *>(dl);
  int32_t type = t.lanes == 1 ? typeOf(t.code, t.bits) : -1;
  if (type < 0)
    return phobosFail(PHOBOS_INVALID_ARGUMENT,
                      "DLPack type (code " + std::to_string(t.code) + ", " + std::to_string(t.bits) +
                          " bits, " + std::to_string(t.lanes) + " lanes) is no type of the language");
  if (t.ndim < 1 || t.ndim > PHOBOS_MAX_RANK)
    return phobosFail(PHOBOS_INVALID_ARGUMENT, "the DLPack tensor has rank " + std::to_string(t.ndim) +
                                                   "; ranks 1 to 5 are supported");
  if (!t.shape)
    return phobosFail(PHOBOS_INVALID_ARGUMENT, "the DLPack tensor has no shape");
  if (t.deviceType != dlCpu && t.deviceType != dlCuda && t.deviceType != dlCudaHost &&
      t.deviceType != dlCudaManaged)
    return phobosFail(PHOBOS_INVALID_ARGUMENT, "the DLPack tensor is on a device of kind " +
                                                   std::to_string(t.deviceType) +
                                                   ", which is neither host memory nor a CUDA device");
  phobos_tensor r{};
  r.data = static_cast<char *>(t.data) + t.byteOffset;
  r.type = type;
  r.rank = t.ndim;
  std::memcpy(r.extents, t.shape, sizeof(int64_t) * static_cast<size_t>(t.ndim));
  r.has_strides = t.strides != nullptr;
  if (t.strides)
    std::memcpy(r.strides, t.strides, sizeof(int64_t) * static_cast<size_t>(t.ndim));
  r.device = t.deviceType == dlCpu    ? PHOBOS_DEVICE_HOST
             : t.deviceType == dlCuda ? t.deviceId
                                      : PHOBOS_DEVICE_UNKNOWN;
  *out = r;
  return PHOBOS_OK;
}

phobos_status phobos_tensor_from_array_interface(uint64_t data, const char *typestr, const int64_t *shape,
                                                 const int64_t *strides, int32_t rank, int32_t device,
                                                 phobos_tensor *out) {
  if (!typestr || !shape || !out)
    return phobosFail(PHOBOS_INVALID_ARGUMENT, "phobos_tensor_from_array_interface: a null pointer");
  static constexpr struct {
    const char *text;
    phobos_type type;
    int64_t bytes;
  } types[] = {{"|b1", PHOBOS_BOOL, 1}, {"|i1", PHOBOS_I8, 1},  {"|u1", PHOBOS_U8, 1},
               {"<i4", PHOBOS_I32, 4},  {"<u4", PHOBOS_U32, 4}, {"<i8", PHOBOS_I64, 8},
               {"<f2", PHOBOS_F16, 2},  {"<f4", PHOBOS_F32, 4}, {"<f8", PHOBOS_F64, 8}};
  if (rank < 1 || rank > PHOBOS_MAX_RANK)
    return phobosFail(PHOBOS_INVALID_ARGUMENT,
                      "the array has rank " + std::to_string(rank) + "; ranks 1 to 5 are supported");
  for (const auto &t : types) {
    if (std::strcmp(t.text, typestr) != 0)
      continue;
    phobos_tensor r{};
    r.data = reinterpret_cast<void *>(data);
    r.type = t.type;
    r.rank = rank;
    r.device = device;
    r.has_strides = strides != nullptr;
    for (int32_t axis = 0; axis < rank; ++axis) {
      r.extents[axis] = shape[axis];
      if (strides && strides[axis] % t.bytes != 0)
        return phobosFail(PHOBOS_INVALID_ARGUMENT, "the stride of dimension " + std::to_string(axis) +
                                                       " is " + std::to_string(strides[axis]) +
                                                       " bytes, not a whole number of elements");
      r.strides[axis] = strides ? strides[axis] / t.bytes : 0;
    }
    *out = r;
    return PHOBOS_OK;
  }
  return phobosFail(PHOBOS_INVALID_ARGUMENT,
                    "the array's type '" + std::string(typestr) + "' is no type of the language");
}

} // extern "C"

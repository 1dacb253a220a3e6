"""Launches a bundle's kernel on PyTorch tensors: ctypes over phobos.h, DLPack in, no build step.

    phobos-compile gemm.pho --target sm_90a --target cpu -o gemm.phx
    PHOBOS_RUNTIME=/usr/local/lib/libphobos-runtime.so python3 embed.py gemm.phx

The result is compared with PyTorch's own.
"""
import ctypes as c
import os
import sys

import torch

F32 = 11


class Tensor(c.Structure):
    _fields_ = [("data", c.c_void_p), ("type", c.c_int32), ("rank", c.c_int32), ("extents", c.c_int64 * 5), ("strides", c.c_int64 * 5),
                ("has_strides", c.c_int32), ("device", c.c_int32)]


class Arg(c.Structure):
    _fields_ = [("is_tensor", c.c_int32), ("type", c.c_int32), ("tensor", c.POINTER(Tensor)), ("f", c.c_double), ("i", c.c_int64)]


class ModuleOptions(c.Structure):
    _fields_ = [("target", c.c_char_p), ("device", c.c_int32)]


lib = c.CDLL(os.environ.get("PHOBOS_RUNTIME", "libphobos-runtime.so"))
lib.phobos_last_error.restype = c.c_char_p
lib.phobos_module_device_name.restype = c.c_char_p
lib.phobos_module_device_name.argtypes = [c.c_void_p]
c.pythonapi.PyCapsule_GetPointer.restype = c.c_void_p
c.pythonapi.PyCapsule_GetPointer.argtypes = [c.py_object, c.c_char_p]


def check(status):
    if status != 0:
        raise RuntimeError(lib.phobos_last_error().decode())


def tensor(t):
    """A view of a PyTorch tensor, through DLPack: the capsule points at a DLManagedTensor, whose first member is the DLTensor."""
    capsule = t.detach().__dlpack__()
    out = Tensor()
    check(lib.phobos_tensor_from_dlpack(c.c_void_p(c.pythonapi.PyCapsule_GetPointer(capsule, b"dltensor")), c.byref(out)))
    return out  # shape and strides were copied; the memory is the tensor's


def launch(kernel, stream, *args):
    tensors = [tensor(a) if isinstance(a, torch.Tensor) else None for a in args]
    list_ = (Arg * len(args))()
    for i, (a, t) in enumerate(zip(args, tensors)):
        list_[i] = Arg(1, 0, c.pointer(t), 0, 0) if t else Arg(0, F32, None, float(a), 0)
    check(lib.phobos_launch(kernel, c.c_void_p(stream), list_, c.c_size_t(len(args)), None))


gpu = torch.cuda.is_available()
options = ModuleOptions(b"cuda" if gpu else b"cpu", -1)
module, kernel = c.c_void_p(), c.c_void_p()
check(lib.phobos_module_load_file(sys.argv[1].encode(), c.byref(options), c.byref(module)))
check(lib.phobos_module_kernel(module, b"gemm", c.byref(kernel)))

torch.manual_seed(0)
device = "cuda" if gpu else "cpu"
a, b = torch.randn(500, 300, device=device), torch.randn(300, 700, device=device)
out = torch.full((500, 700), float("nan"), device=device)
launch(kernel, torch.cuda.current_stream().cuda_stream if gpu else None, a, b, out)
if gpu:
    torch.cuda.synchronize()
error = (out.double() - a.double() @ b.double()).norm() / out.double().norm()
print(f"gemm on {lib.phobos_module_device_name(module).decode()}: relative error {error:.2e}")
assert error < 1e-5

try:
    launch(kernel, None, a, b[:-1], out)
    raise AssertionError("unequal extents were accepted")
except RuntimeError as e:
    print("refused as it should be:", e)

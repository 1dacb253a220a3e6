# Two interface targets: phobos-llvm (LLVM with the X86 and NVPTX back ends and ORC) and phobos-mlir (the dialects and
# passes we use, with LLVM). Shared libraries by default; PHOBOS_STATIC takes the archives.

find_package(LLVM 22.1 CONFIG REQUIRED)
find_package(MLIR 22.1 CONFIG REQUIRED)
list(APPEND CMAKE_MODULE_PATH ${MLIR_CMAKE_DIR} ${LLVM_CMAKE_DIR})
include(TableGen)
include(AddLLVM)
include(AddMLIR)
include_directories(SYSTEM ${MLIR_INCLUDE_DIRS} ${LLVM_INCLUDE_DIRS}) # mlir_tablegen reads the directory property

add_library(phobos-llvm INTERFACE)
add_library(phobos-mlir INTERFACE)
foreach(t phobos-llvm phobos-mlir)
  target_include_directories(${t} SYSTEM INTERFACE ${LLVM_INCLUDE_DIRS} ${MLIR_INCLUDE_DIRS})
endforeach()

if(PHOBOS_STATIC)
  # Debian's imported MLIR targets name the shared LLVM in their interface; put the archives in its place.
  get_property(mlirLibs GLOBAL PROPERTY MLIR_ALL_LIBS)
  foreach(l IN LISTS mlirLibs)
    if(TARGET ${l})
      get_target_property(deps ${l} INTERFACE_LINK_LIBRARIES)
      if(deps)
        list(REMOVE_ITEM deps LLVM)
        set_target_properties(${l} PROPERTIES INTERFACE_LINK_LIBRARIES "${deps};LLVMSupport;LLVMCore")
      endif()
    endif()
  endforeach()
  if(TARGET ZLIB::ZLIB)
    set_target_properties(ZLIB::ZLIB PROPERTIES IMPORTED_LOCATION /usr/lib/x86_64-linux-gnu/libz.a
                                                IMPORTED_LOCATION_RELEASE /usr/lib/x86_64-linux-gnu/libz.a)
  endif()
  if(TARGET zstd::libzstd_shared)
    set_target_properties(zstd::libzstd_shared PROPERTIES IMPORTED_LOCATION /usr/lib/x86_64-linux-gnu/libzstd.a
                                                          IMPORTED_LOCATION_RELEASE /usr/lib/x86_64-linux-gnu/libzstd.a
                                                          IMPORTED_LOCATION_NONE /usr/lib/x86_64-linux-gnu/libzstd.a)
  endif()
  target_link_libraries(phobos-llvm INTERFACE LLVMOrcJIT LLVMPasses LLVMTarget LLVMNVPTXCodeGen LLVMNVPTXDesc LLVMNVPTXInfo
    LLVMX86CodeGen LLVMX86Desc LLVMX86Info LLVMX86AsmParser LLVMCore LLVMSupport)
  target_link_libraries(phobos-mlir INTERFACE MLIRArithDialect MLIRArithTransforms MLIRSCFDialect MLIRSCFTransforms MLIRSCFUtils
    MLIRFuncDialect MLIRFuncInlinerExtension MLIRControlFlowDialect MLIRParser MLIRPass MLIRTransforms MLIRTransformUtils MLIRIR
    MLIRSupport MLIROptLib phobos-llvm)
else()
  target_link_libraries(phobos-llvm INTERFACE LLVM)
  target_link_libraries(phobos-mlir INTERFACE MLIR LLVM)
endif()

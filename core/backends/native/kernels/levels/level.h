// CROSSDOCK_LEVEL: the namespace of the instruction set level that a file is being compiled for (set by CMake).
#pragma once

#ifndef CROSSDOCK_LEVEL
#error "levels/*.cpp are compiled once per level, with -DCROSSDOCK_LEVEL=v2|v3|v4|generic"
#endif

// Bytes of a vector register.
#if defined(__AVX512F__)
#define CROSSDOCK_VECTOR_BYTES 64
#elif defined(__AVX__)
#define CROSSDOCK_VECTOR_BYTES 32
#else
#define CROSSDOCK_VECTOR_BYTES 16
#endif

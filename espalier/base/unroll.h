// ESPALIER_UNROLL before a loop with a few steps, whose number the compiler knows: no loop is left. With -O2,
// g++ 12 would keep loops of three steps, and arrays of vectors in them in memory instead of registers.
#pragma once

#if defined(__clang__)
#define ESPALIER_UNROLL _Pragma("clang loop unroll(full)")
#else
#define ESPALIER_UNROLL _Pragma("GCC unroll 8")
#endif

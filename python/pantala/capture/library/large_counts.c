// The functions with counts of 64 bits (MPI 4.0, section 2.5.8): MPI_Send_c and so on.

#include "recorded.h"

#include <stdlib.h>

#if MPI_VERSION >= 4

#define COUNT MPI_Count
#define PLACE MPI_Aint
#define SIZED(name) WITH_SUFFIX(name)
#define WITH_SUFFIX(name) name##_c
#define SUFFIX "_c"

#include "sized_collectives.h"
#include "sized_messages.h"
#include "sized_neighborhoods.h"
#include "sized_windows.h"

#endif

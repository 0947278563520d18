// The functions with counts of the type `int`.

#include "recorded.h"

#include <stdlib.h>

#define COUNT int
#define PLACE int
#define SIZED(name) name
#define SUFFIX ""

#include "sized_collectives.h"
#include "sized_messages.h"
#include "sized_neighborhoods.h"
#include "sized_windows.h"

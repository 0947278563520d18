// The calls that make windows and move data in them, in a form for each type of count.
//
// Included by counts.c and large_counts.c, which define
//   COUNT         the type of a number of elements
//   PLACE         the type of a place in a buffer
//   SIZED(name)   the name of the function for this COUNT; SUFFIX is what it adds

#define MAKES_WINDOW(name, PARAMETERS, ARGUMENTS)                                                  \
    int SIZED(MPI_##name)(PARAMETERS) {                                                            \
        enter("MPI_" #name SUFFIX);                                                                \
        int result = SIZED(PMPI_##name)(ARGUMENTS);                                                \
        if (tracked(result))                                                                       \
            make_window(*window, comm);                                                            \
        return leave(result);                                                                      \
    }
#define CREATED                                                                                    \
    void *base, MPI_Aint size, PLACE unit, MPI_Info info, MPI_Comm comm, MPI_Win *window
#define CREATED_ARGUMENTS base, size, unit, info, comm, window
#define ALLOCATED                                                                                  \
    MPI_Aint size, PLACE unit, MPI_Info info, MPI_Comm comm, void *base, MPI_Win *window
#define ALLOCATED_ARGUMENTS size, unit, info, comm, base, window
MAKES_WINDOW(Win_create, CREATED, CREATED_ARGUMENTS)
MAKES_WINDOW(Win_allocate, ALLOCATED, ALLOCATED_ARGUMENTS)
MAKES_WINDOW(Win_allocate_shared, ALLOCATED, ALLOCATED_ARGUMENTS)

#define ORIGIN const void *data, COUNT count, MPI_Datatype type
#define ORIGIN_ARGUMENTS data, count, type
#define TARGET int target, MPI_Aint place, COUNT target_count, MPI_Datatype target_type
#define TARGET_ARGUMENTS target, place, target_count, target_type
#define RESULT void *result_data, COUNT result_count, MPI_Datatype result_type
#define RESULT_ARGUMENTS result_data, result_count, result_type

// Defines a call that moves data, of these bytes to the target and from it.
#define MOVES(name, PARAMETERS, ARGUMENTS, put, got)                                               \
    int SIZED(MPI_##name)(PARAMETERS) {                                                            \
        enter("MPI_" #name SUFFIX);                                                                \
        int result = SIZED(PMPI_##name)(ARGUMENTS);                                                \
        if (recorded(result))                                                                      \
            moved(window, target, put, got);                                                       \
        return leave(result);                                                                      \
    }
#define PUT ORIGIN, TARGET, MPI_Win window
#define PUT_ARGUMENTS ORIGIN_ARGUMENTS, TARGET_ARGUMENTS, window
#define RPUT PUT, MPI_Request *request
#define RPUT_ARGUMENTS PUT_ARGUMENTS, request
#define ACCUMULATE ORIGIN, TARGET, MPI_Op op, MPI_Win window
#define ACCUMULATE_ARGUMENTS ORIGIN_ARGUMENTS, TARGET_ARGUMENTS, op, window
#define RACCUMULATE ACCUMULATE, MPI_Request *request
#define RACCUMULATE_ARGUMENTS ACCUMULATE_ARGUMENTS, request
#define GET void *data, COUNT count, MPI_Datatype type, TARGET, MPI_Win window
#define RGET GET, MPI_Request *request
#define GET_ACCUMULATE ORIGIN, RESULT, TARGET, MPI_Op op, MPI_Win window
#define GET_ACCUMULATE_ARGUMENTS                                                                   \
    ORIGIN_ARGUMENTS, RESULT_ARGUMENTS, TARGET_ARGUMENTS, op, window
#define RGET_ACCUMULATE GET_ACCUMULATE, MPI_Request *request
#define RGET_ACCUMULATE_ARGUMENTS GET_ACCUMULATE_ARGUMENTS, request

MOVES(Put, PUT, PUT_ARGUMENTS, bytes_of(count, type), NOTHING)
MOVES(Accumulate, ACCUMULATE, ACCUMULATE_ARGUMENTS, bytes_of(count, type), NOTHING)
MOVES(Get, GET, PUT_ARGUMENTS, NOTHING, bytes_of(count, type))
MOVES(Get_accumulate, GET_ACCUMULATE, GET_ACCUMULATE_ARGUMENTS, bytes_of(count, type),
      bytes_of(result_count, result_type))
// Those with a request are for epochs of locks only.
MOVES(Rput, RPUT, RPUT_ARGUMENTS, bytes_of(count, type), NOTHING)
MOVES(Raccumulate, RACCUMULATE, RACCUMULATE_ARGUMENTS, bytes_of(count, type), NOTHING)
MOVES(Rget, RGET, RPUT_ARGUMENTS, NOTHING, bytes_of(count, type))
MOVES(Rget_accumulate, RGET_ACCUMULATE, RGET_ACCUMULATE_ARGUMENTS, bytes_of(count, type),
      bytes_of(result_count, result_type))

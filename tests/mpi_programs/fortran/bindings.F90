! The same exchange by each binding of Fortran: compile with -DF08, -DMODULE, or neither (mpif.h).
subroutine traffic() bind(c, name="traffic_")
#ifdef F08
  use mpi_f08
#elif defined MODULE
  use mpi
#endif
  implicit none
#if !defined F08 && !defined MODULE
  include 'mpif.h'
#endif
  integer :: rank, ranks, next, last, error, turn
#ifdef F08
  type(MPI_Request) :: requests(2)
  type(MPI_Comm) :: half
  type(MPI_Status) :: status, statuses(2)
#else
  integer :: requests(2), half, status(MPI_STATUS_SIZE), statuses(MPI_STATUS_SIZE, 2)
#endif
  real(8) :: from(100), to(100), all(400)
  from = 1
  all = 0
  call MPI_Comm_rank(MPI_COMM_WORLD, rank, error)
  call MPI_Comm_size(MPI_COMM_WORLD, ranks, error)
  next = mod(rank + 1, ranks)
  last = mod(rank + ranks - 1, ranks)
  call MPI_Comm_split(MPI_COMM_WORLD, mod(rank, 2), rank, half, error)
  do turn = 1, 2
    call MPI_Pcontrol(1)
    call MPI_Irecv(to, 100, MPI_DOUBLE_PRECISION, MPI_ANY_SOURCE, MPI_ANY_TAG, MPI_COMM_WORLD, &
                   requests(1), error)
    call MPI_Isend(from, 100, MPI_DOUBLE_PRECISION, next, 7, MPI_COMM_WORLD, requests(2), error)
    if (turn == 1) then
      call MPI_Waitall(2, requests, statuses, error)
    else
      call MPI_Waitall(2, requests, MPI_STATUSES_IGNORE, error)
    end if
    call MPI_Allreduce(MPI_IN_PLACE, from, 30, MPI_DOUBLE_PRECISION, MPI_SUM, half, error)
  end do
  call MPI_Pcontrol(0)
  call MPI_Sendrecv(from, 60, MPI_INTEGER, next, 8, to, 60, MPI_INTEGER, last, 8, MPI_COMM_WORLD, &
                    status, error)
  call MPI_Bcast(MPI_BOTTOM, 0, MPI_INTEGER, 1, MPI_COMM_WORLD, error)
  call MPI_Bcast(from, 50, MPI_REAL, 1, MPI_COMM_WORLD, error)
  call MPI_Alltoall(MPI_IN_PLACE, 0, MPI_INTEGER, all, 100, MPI_DOUBLE_PRECISION, MPI_COMM_WORLD, error)
  if (rank == 0) call MPI_Send(from, 10, MPI_COMPLEX, 1, 9, MPI_COMM_WORLD, error)
  if (rank == 1) call MPI_Recv(to, 10, MPI_COMPLEX, MPI_ANY_SOURCE, 9, MPI_COMM_WORLD, &
                               MPI_STATUS_IGNORE, error)
  call MPI_Barrier(MPI_COMM_WORLD, error)
  call MPI_Comm_free(half, error)
end subroutine

// The start of a capture: the folder of the job, the file of the rank, and the notes about both.

#include "capture.h"

#include <errno.h>
#include <fcntl.h>
#include <link.h>
#include <sched.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <time.h>
#include <unistd.h>

enum { MOST_JOBS = 100000 };

static char directory[3072];

// Opens a file of this process for text, in a folder that may be open to other users.
static FILE *append_to(const char *path) {
    int file = open(path, O_WRONLY | O_CREAT | O_APPEND | O_CLOEXEC | O_NOFOLLOW, 0644);
    FILE *text = file < 0 ? NULL : fdopen(file, "a");
    if (text == NULL && file >= 0)
        close(file);
    return text;
}

FILE *note_file(void) {
    char path[sizeof directory + 64];
    snprintf(path, sizeof path, "%s/rank-%06u.note", directory, world_rank());
    return append_to(path);
}

// --- A program of another MPI library --------------------------------------------------------

// Libraries whose handles differ. The last has the ABI of version 5 of MPI.
enum family { NO_MPI, OPEN_MPI_FAMILY, MPICH_FAMILY, ABI_FAMILY };
#if defined MPI_ABI_VERSION
static const enum family own_family = ABI_FAMILY;
#elif defined OPEN_MPI
static const enum family own_family = OPEN_MPI_FAMILY;
#else
static const enum family own_family = MPICH_FAMILY;
#endif

static enum family family_of(const char *name) {
    if (strncmp(name, "libmpi_abi.so", 13) == 0)
        return ABI_FAMILY;
    if (strcmp(name, "libmpi.so.40") == 0 || strcmp(name, "libmpi.so.20") == 0)
        return OPEN_MPI_FAMILY;
    bool mpich = strncmp(name, "libmpich.so", 11) == 0 || strncmp(name, "libmpi_cray", 11) == 0 ||
                 strcmp(name, "libmpi.so.12") == 0;
    return mpich ? MPICH_FAMILY : NO_MPI;
}

static int is_foreign(struct dl_phdr_info *object, size_t size, void *data) {
    (void)size;
    const char *name = strrchr(object->dlpi_name, '/');
    enum family family = family_of(name == NULL ? object->dlpi_name : name + 1);
    bool foreign = family != NO_MPI && family != own_family;
    if (foreign)
        *(const char **)data = object->dlpi_name;
    return foreign;
}

void refuse_foreign_library(void) {
    const char *found = NULL, *chosen = getenv("PANTALA_CAPTURE_DIR");
    dl_iterate_phdr(is_foreign, &found);
    if (found == NULL || chosen == NULL)
        return;
    char path[4096];
    snprintf(path, sizeof path, "%s/foreign.note", chosen);
    FILE *notes = append_to(path);
    if (notes != NULL) {
        fprintf(notes, "refused: MPI_Init: the program uses %s, and the capture library is built for"
                       " another MPI library; set MPICC to the compiler of the program's library\n",
                found);
        fclose(notes);
    }
    _exit(86); // handles of one library are no handles of another: nothing can go on
}

// --- The folder of the job -------------------------------------------------------------------

// Makes the folder of the job, which rank 0 names, and a number that all files of the job have.
static bool make_folder(const char *chosen, uint64_t *run) {
    uint64_t said[2] = {MOST_JOBS, 0};
    char path[sizeof directory];
    if (world_rank() == 0 && chosen != NULL && strlen(chosen) < sizeof directory - 32) {
        for (said[0] = 0; said[0] < MOST_JOBS; said[0]++) {
            snprintf(path, sizeof path, "%s/job-%05u", chosen, (unsigned)said[0]);
            if (mkdir(path, 0755) == 0)
                break;
            if (errno != EEXIST) {
                fprintf(stderr, "pantala capture: %s: cannot be made: %s\n", path, strerror(errno));
                said[0] = MOST_JOBS;
            }
        }
        struct timespec now;
        clock_gettime(CLOCK_REALTIME, &now);
        said[1] = ((uint64_t)now.tv_sec << 30 | (uint64_t)now.tv_nsec) ^ (uint64_t)getpid() << 40;
    }
    PMPI_Bcast(said, 2, MPI_UINT64_T, 0, MPI_COMM_WORLD);
    if (said[0] >= MOST_JOBS || chosen == NULL)
        return false;
    snprintf(directory, sizeof directory, "%.3000s/job-%05u", chosen, (unsigned)said[0]);
    *run = said[1];
    return true;
}

// Returns whether more ranks than processors of a host measure wall-clock time, and notes it once per
// host.
static bool note_sharing(void) {
    MPI_Comm host;
    int ranks, rank;
    cpu_set_t processors;
    PMPI_Comm_split_type(MPI_COMM_WORLD, MPI_COMM_TYPE_SHARED, 0, MPI_INFO_NULL, &host);
    PMPI_Comm_size(host, &ranks);
    PMPI_Comm_rank(host, &rank);
    // A launcher may bind each rank to a processor of its own, or several to the same.
    uint64_t own[16] = {0}, all[16];
    if (sched_getaffinity(0, sizeof processors, &processors) == 0)
        for (int each = 0; each < 1024; each++)
            own[each / 64] |= (uint64_t)(CPU_ISSET(each, &processors) != 0) << each % 64;
    PMPI_Allreduce(own, all, 16, MPI_UINT64_T, MPI_BOR, host);
    int count = 0;
    for (int each = 0; each < 16; each++)
        count += __builtin_popcountll(all[each]);
    PMPI_Comm_free(&host);
    bool shared = count > 0 && ranks > count;
    FILE *notes = rank == 0 && shared ? note_file() : NULL;
    if (notes != NULL) {
        fprintf(notes, "shared: %d: %d\n", ranks, count);
        fclose(notes);
    }
    return shared;
}

bool start_job(bool *cpu_time, bool *shared) {
    const char *source = getenv("PANTALA_CAPTURE_CLOCK");
    *cpu_time = source != NULL && strcmp(source, "cpu") == 0;
    uint64_t run;
    if (!make_folder(getenv("PANTALA_CAPTURE_DIR"), &run))
        return false;
    int size;
    PMPI_Comm_size(MPI_COMM_WORLD, &size);
    if (!open_file(directory, (uint32_t)size, world_rank(), run))
        return false;
    *shared = !*cpu_time && note_sharing();
    set_region(getenv("PANTALA_CAPTURE_FROM"), getenv("PANTALA_CAPTURE_TO"));
    return true;
}

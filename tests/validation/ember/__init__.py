"""MPI jobs of SST Ember, measured from end to end, and Pantala's repetition of them."""

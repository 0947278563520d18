"""The study of Wang et al. (IPDPS 2020): experiments, claims and their measures."""

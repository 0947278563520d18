"""The study of Yang et al. (SC 2016): experiments, claims and measures."""

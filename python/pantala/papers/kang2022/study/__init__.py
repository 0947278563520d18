"""The study of Kang et al. (SC 2022): experiments, claims and their measures."""

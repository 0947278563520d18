"""The study of Chunduri et al. (IPDPS 2021)."""

"""The study of Prisacari et al.: experiments, the exact model, and the measures of the claims."""

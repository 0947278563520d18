"""The report: one HTML page that shows which job slows which, by how much, when and where."""

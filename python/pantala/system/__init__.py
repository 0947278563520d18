"""The operating system: its errors, its memory, and processes."""

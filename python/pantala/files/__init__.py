"""Files: read with limits, written whole; run directories and files of links."""

"""Development tool that writes all files made from the compiled core's catalogue.

With ``--check`` it finds stale files.
"""

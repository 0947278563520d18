"""Development tool: writes every file that is made from the catalogue of the compiled core, and checks that none is stale."""

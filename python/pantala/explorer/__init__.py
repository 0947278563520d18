"""`pantala explore`: the cube of a run, the tables of its page, and what shows the page."""

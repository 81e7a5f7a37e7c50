"""The owner's side: design a survey, watch its estimates, mine, and take the data home.

Nothing is loaded here: `frankly convert` needs the formats of survey files, and no server.
"""

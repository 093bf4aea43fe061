"""Labels bought one at a time where judges disagree: the question for the study loop."""

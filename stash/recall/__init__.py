"""What joins the apps for a reader. So far: the briefing that a session receives when it starts."""

"""What may be concluded from rewards: intervals that hold at every look, stopping, and what another
policy would have earned."""

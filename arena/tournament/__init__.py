"""Who is strongest of many agents, and who beats whom? Every pair on the same mirrored deals, one scale for all."""

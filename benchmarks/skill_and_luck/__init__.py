"""How much of a result is skill, and how much is luck? The measurements behind the page of that name."""

"""The measurements behind the page *Skill and luck*."""

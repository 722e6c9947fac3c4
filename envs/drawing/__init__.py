"""The table as a picture: cards drawn from curves, and a deal laid out on felt. Needs Pillow (the extra ``render``)."""

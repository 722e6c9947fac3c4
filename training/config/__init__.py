"""What can be set in a training run, and how is it read?"""

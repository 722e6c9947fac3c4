"""Which card does best in sampled worlds?"""

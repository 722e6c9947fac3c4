"""What are the layers of a policy network, and how are they evaluated?"""

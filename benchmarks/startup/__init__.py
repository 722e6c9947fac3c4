"""How long does a new process take to start?"""

"""How are many deals, one deal or one match stepped?"""

"""What does a deal look like as a picture?"""

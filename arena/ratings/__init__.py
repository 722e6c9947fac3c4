"""What do the results of many pairs say together? Bradley-Terry ratings, and Nash averaging where strength cycles."""

"""Did the model change, how, and how few calls does it take to know?"""

"""The whole platform under load, with faults: does it keep up, and is anything lost?"""

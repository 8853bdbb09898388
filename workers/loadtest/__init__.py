"""Load tests of the whole platform, with and without faults: does it keep up, and are samples lost?"""

"""Models, dynamics and checks behind *What One Attention Layer Learns*.

The package is flat: one idea, one module.  Nothing is imported here, so that a
chapter depends on exactly the modules that it names.
"""

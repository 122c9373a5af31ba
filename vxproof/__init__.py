"""vxproof: proves placement promises of GPU tile kernels before they are compiled."""

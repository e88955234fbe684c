"""A simulated Windows guest for tests: our real guest server over HTTP, on a stand-in for the platform.

It is no Windows. It knows the files of a home folder, a small registry, the few commands that checks and oracles use, and the keys that oracles
press in Notepad, Calculator and Paint. So it shows that tasks, checks and the remote machine fit together, and that near misses fail; it does not
show that Windows does what its documentation says.
"""

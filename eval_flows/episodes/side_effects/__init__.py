"""Side effects: what an agent changed in the home folder beyond what the tasks of its episode may change.

`home` takes a snapshot, `compare` compares two snapshots under the declared changes, and each other module compares files of one kind by their parts.
"""

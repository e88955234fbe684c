"""Side effects: changes of an agent in the home folder that the tasks of its episode do not allow.

`home` takes a snapshot, `compare` compares two snapshots under the declared changes, and each other module compares one kind of files.
"""

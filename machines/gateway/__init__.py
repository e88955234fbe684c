"""Machines for OSWorld's harness: each one listens on a port of this host and speaks the protocol of OSWorld's guest server.

The translation is on the host, in front of the client of our guest server. So images stay as small as they are, machines of every kind that is
started here can be offered, the sandbox keeps its one way out, and no port of a machine is open to a network. Only pyautogui and pyperclip, which
the harness sends programs for, are put into a machine when it begins: `in_guest` has ours.
"""

"""The guest on Windows (64 bit): SendInput, GDI and window handles by ctypes, and UI Automation by comtypes.

Everything here can be imported on any system; the libraries of Windows are loaded when the platform is made.
"""

"""The guest on Linux: X11, AT-SPI over D-Bus, and processes by procfs, with Debian packages only."""

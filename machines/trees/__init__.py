"""Reading accessibility trees: of AT-SPI and of UI Automation, into the same elements."""

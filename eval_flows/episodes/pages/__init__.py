"""What all pages share that people open in a browser: who may see them and who may act (`access`), and how they are served (`serve`)."""

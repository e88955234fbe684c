"""The pages of the site: each module asks what its pages show, and writes them."""

"""The pages of the site: each module queries the content of its pages and writes them."""

"""Local mirrors of sites, which stand in for the web on machines that reach no network."""

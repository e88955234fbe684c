"""Reports: tables, figures and pages, made from the warehouse alone."""

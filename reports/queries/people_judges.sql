-- The judges of pairs.
from judges

"""Numbers with realistic distributions: skewed amounts, round percentages, common sizes."""

import math
from random import Random

from atomic_tasks.arguments.locales import locales
from atomic_tasks.arguments.registry import Given, generator


def _log_normal(random: Random, middle: float, spread: float) -> float:
    """Draw a skewed positive number with the median `middle`."""
    return random.lognormvariate(math.log(middle), spread)


def _currency(given: Given) -> str:
    return locales()[given.locale].currency


@generator()
def amount(random: Random, given: Given) -> str:
    """Money in the locale's currency: skewed, often with odd cents."""
    value = min(_log_normal(random, 180, 1.2), 48_000)
    return _currency(given) + (f"{round(value):,}" if random.random() < 0.4 else f"{value:,.2f}")


@generator()
def price_limit(random: Random, given: Given) -> str:
    """A round sum that a shopper sets as a limit."""
    return f"{_currency(given)}{random.choice([15, 20, 25, 30, 40, 50, 60, 75, 80, 100, 120, 150, 200, 250, 300, 500, 800])}"


@generator()
def percentage(random: Random, given: Given) -> str:
    """A share, mostly a round one."""
    return f"{random.choice([5, 5, 7.5, 8, 10, 10, 12, 12.5, 15, 15, 18, 20, 20, 22, 25, 30, 33, 40, 50, 60, 75, 80])}%"


@generator()
def level_percent(random: Random, given: Given) -> str:
    """The setting of a slider."""
    return f"{random.choice([10, 15, 20, 25, 30, 35, 40, 45, 50, 55, 60, 65, 70, 75, 80, 85, 90])}%"


@generator()
def small_count(random: Random, given: Given) -> str:
    """A small number of things; smaller numbers more often."""
    return str(random.choices(range(2, 11), weights=[9, 9, 8, 7, 5, 2, 3, 1, 3])[0])


@generator()
def count(random: Random, given: Given) -> str:
    """A larger number of things."""
    value = _log_normal(random, 80, 0.9)
    return str(max(11, round(value / 5) * 5 if random.random() < 0.6 else round(value)))


@generator()
def temperature(random: Random, given: Given) -> str:
    """A temperature in Fahrenheit or Celsius."""
    return random.choice([f"{random.randint(20, 104)}°F", f"{random.randint(-8, 38)}°C"])


@generator()
def angle(random: Random, given: Given) -> str:
    """An angle in degrees."""
    return f"{random.choice([5, 10, 12, 15, 30, 45, 45, 60, 90, 90, 120, 180, 270])} degrees"


@generator()
def cell(random: Random, given: Given) -> str:
    """A cell of a spreadsheet, near its top left corner."""
    return f"{random.choice('ABBCCDDEFGHJK')}{2 + int(random.expovariate(1 / 14))}"


@generator()
def cell_range(random: Random, given: Given) -> str:
    """A range of cells. Its end comes after its start."""
    first = random.randrange(4)
    top = random.choice([1, 1, 2, 2, 3, 5])
    return f"{'ABCD'[first]}{top}:{'BCDEFGHK'[first + random.randint(0, 4)]}{top + random.choice([8, 10, 12, 20, 30, 48, 95, 120])}"


@generator()
def column_letter(random: Random, given: Given) -> str:
    """A column of a spreadsheet."""
    return random.choice("ABCDDEEFFGHJK")


@generator()
def row_number(random: Random, given: Given) -> str:
    """A row of a spreadsheet."""
    return str(2 + int(random.expovariate(1 / 20)))


@generator()
def page_number(random: Random, given: Given) -> str:
    """A page; early ones more often."""
    return str(2 + int(random.expovariate(1 / 8)))


@generator()
def page_range(random: Random, given: Given) -> str:
    """Pages from and to."""
    first = 1 + int(random.expovariate(1 / 5))
    return f"{first}-{first + random.randint(1, 9)}"


@generator()
def slide_number(random: Random, given: Given) -> str:
    """A slide of an ordinary deck."""
    return str(2 + min(int(random.expovariate(1 / 6)), 30))


@generator()
def font_size(random: Random, given: Given) -> str:
    """A size that the size lists offer."""
    return random.choice(["9", "10", "10.5", "11", "12", "14", "14", "16", "18", "20", "24", "28", "32", "36"])


@generator()
def pixel_size(random: Random, given: Given) -> str:
    """Width and height in pixels of a common format."""
    return random.choice(
        ["1920x1080", "1280x720", "1080x1080", "1080x1920", "800x600", "3840x2160", "1200x628", "2560x1440", "1024x768", "1500x500", "512x512"]
    )


@generator()
def frame_rate(random: Random, given: Given) -> str:
    """A common number of frames per second."""
    return random.choice(["24", "25", "30", "30", "60", "60", "120"])


@generator()
def file_size(random: Random, given: Given) -> str:
    """A size of files, as limits and complaints state it."""
    return random.choice(["5 MB", "8 MB", "10 MB", "20 MB", "25 MB", "50 MB", "100 MB", "200 MB", "500 MB", "1 GB", "2 GB", "4 GB"])


@generator()
def port_number(random: Random, given: Given) -> str:
    """A port that services use."""
    return random.choice(["80", "443", "3000", "3306", "5000", "5001", "5432", "6379", "8000", "8080", "8443", "9000", "27017"])


@generator()
def ip_address(random: Random, given: Given) -> str:
    """An address of a private network."""
    return random.choice(["192.168.{}.{}", "10.0.{}.{}", "172.16.{}.{}"]).format(random.choice([0, 1, 1, 4, 10]), random.randint(2, 254))


@generator()
def hostname(random: Random, given: Given) -> str:
    """A computer in a company's network."""
    kind = random.choice(["build", "web", "db", "files", "print", "lab", "jump", "vpn", "app", "backup", "mail", "nas"])
    number = random.randint(1, 24)
    return random.choice([f"{kind}{number:02}", f"{kind}-{number:02}", f"srv-{kind}{number}", f"{kind}{number}.lan", f"{kind}-{number}.local"])


@generator(later=["that page", "the same page"])
def url(random: Random, given: Given) -> str:
    """A page's address."""
    return "https://" + random.choice(
        [
            "docs.python.org/3/", "www.nasa.gov/missions", "en.wikipedia.org/wiki/Alan_Turing", "developer.mozilla.org/en-US/",
            "www.bbc.com/weather", "news.ycombinator.com", "www.gutenberg.org/ebooks", "stackoverflow.com/questions", "arxiv.org/list/cs.AI/recent",
            "www.nps.gov/yell", "www.imdb.com/chart/top", "www.rijksmuseum.nl/en", "www.allrecipes.com", "www.weather.gov", "archive.org",
        ]
    )  # fmt: skip


@generator()
def version_number(random: Random, given: Given) -> str:
    """A version of a program."""
    return f"{random.randint(1, 12)}.{random.randint(0, 14)}" + (f".{random.randint(0, 9)}" if random.random() < 0.6 else "")


@generator()
def playback_speed(random: Random, given: Given) -> str:
    """A speed that players offer."""
    return random.choice(["0.5x", "0.75x", "1.25x", "1.25x", "1.5x", "1.5x", "1.75x", "2x", "2x"])


@generator()
def decimal_number(random: Random, given: Given) -> str:
    """A number with decimals."""
    return f"{_log_normal(random, 60, 1.1):.{random.choice([1, 2, 2])}f}"


@generator()
def line_number(random: Random, given: Given) -> str:
    """A line of a source file."""
    return str(3 + int(random.expovariate(1 / 140)))


@generator()
def distance(random: Random, given: Given) -> str:
    """A distance that people travel or walk."""
    return f"{random.choice([2, 3, 5, 5, 8, 10, 12, 20, 26, 40, 60, 100])} {random.choice(['miles', 'miles', 'km'])}"


@generator()
def weight(random: Random, given: Given) -> str:
    """A weight of luggage, people and parcels."""
    return f"{random.choice([2, 5, 8, 12, 15, 23, 40, 68, 75, 150, 180])} {random.choice(['kg', 'pounds', 'pounds'])}"

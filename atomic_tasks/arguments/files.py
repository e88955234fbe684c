"""File and folder names as people write them: topic, date or version, and a fitting ending."""

from random import Random

from atomic_tasks.arguments.locales import locales, topics
from atomic_tasks.arguments.registry import Given, generator

_YEARS = ["2022", "2023", "2024", "2024", "2025", "2025"]


def _suffix(random: Random, locale: str) -> str:
    """Draw a text that people append to a topic: mostly nothing or a year, sometimes a version or a date."""
    kind = random.random()
    suffixes = locales()[locale].file_suffixes
    if kind < 0.35:
        return ""
    if kind < 0.65:
        return "_" + random.choice(_YEARS)
    if kind < 0.75:
        return "_" + random.choice(suffixes.periods)
    if kind < 0.9:
        return "_" + random.choice(suffixes.versions)
    return f"_{random.randint(1, 12):02}{random.randint(1, 28):02}"


def _register(topic: str, endings: list[str], later: list[str], spaces: bool = False, suffix: bool = True) -> None:
    """Register a generator of file names of the topic. `spaces` writes a space before the suffix, as office users do."""

    def draw(random: Random, given: Given) -> str:
        tail = _suffix(random, given.locale) if suffix else ""
        return random.choice(topics(given.locale, topic)) + (tail.replace("_", " ") if spaces else tail) + random.choice(endings)

    draw.__name__ = f"{topic}_file"
    generator(later=later)(draw)


_register("spreadsheet", [".xlsx"] * 9 + [".xlsm"], ["that workbook", "that spreadsheet", "the same file"])
_register("csv", [".csv"], ["that CSV", "the same file"])
_register("document", [".docx"] * 9 + [".doc"], ["that document", "the same document"], spaces=True)
_register("presentation", [".pptx"], ["that deck", "the same presentation"], spaces=True)
_register("pdf", [".pdf"], ["that PDF", "the same PDF"])
_register("text", [".txt"], ["that file", "the same file"])
_register("log", [".log"], ["that log", "the same log"])
_register("markdown", [".md"], ["that file", "the same file"], suffix=False)
_register("image", [".png", ".png", ".jpg", ".jpg", ".jpeg"], ["that picture", "the same picture"])
_register("video", [".mp4", ".mp4", ".mp4", ".mov", ".mkv"], ["that video", "the same video"])
_register("audio", [".wav", ".mp3", ".mp3", ".m4a"], ["that recording", "the same recording"])
_register("archive", [".zip", ".zip", ".7z", ".rar"], ["that archive", "the same archive"])
_register("installer", [".exe", ".exe", ".msi"], ["that installer"], suffix=False)
_register("disk_image", [".iso"], ["that ISO", "the same image"], suffix=False)
_register("subtitle", [".srt", ".srt", ".ass"], ["those subtitles"], suffix=False)
_register("capture", [".pcapng", ".pcapng", ".pcap"], ["that capture", "the same capture"])
_register("python", [".py"], ["that script", "the same script"], suffix=False)
_register("code", [""], ["that file", "the same file"], suffix=False)
_register("script", [".ps1", ".ps1", ".bat"], ["that script", "the same script"], suffix=False)
_register("latex", [".tex"], ["that file"], suffix=False)
_register("blend", [".blend"], ["that scene", "the same file"])


@generator(later=["that photo", "the same photo"])
def photo_file(random: Random, given: Given) -> str:
    """A file name from a camera or phone."""
    number = random.randint(11, 9899)
    day = f"{random.randint(2023, 2026)}{random.randint(1, 12):02}{random.randint(1, 28):02}"
    second = f"{random.randint(7, 22):02}{random.randint(0, 59):02}{random.randint(0, 59):02}"
    return random.choice([f"IMG_{number:04}.jpg", f"IMG_{number:04}.jpeg", f"DSC{number:05}.JPG", f"IMG_{day}_{second}.jpg", f"{day}_{second}.jpg"])


@generator(later=["that folder", "the same folder"])
def folder(random: Random, given: Given) -> str:
    """The name of a folder."""
    return random.choice(locales()[given.locale].folders)


@generator(later=["that folder", "the same folder"])
def folder_path(random: Random, given: Given) -> str:
    """The whole path of a folder."""
    root = random.choice(["C:\\Users\\Public", "D:\\Backups", "D:\\Work", "C:\\Projects", "E:\\Archive", "D:\\Media", "C:\\Temp"])
    return f"{root}\\{random.choice(locales()[given.locale].folders).replace(' ', '_') if random.random() < 0.6 else random.choice(_YEARS)}"


@generator()
def user_folder(random: Random, given: Given) -> str:
    """A folder that every Windows user has."""
    return random.choice(["Downloads", "Downloads", "Documents", "Desktop", "Pictures", "Videos", "Music"])


@generator(later=["that drive", "the same drive"])
def drive(random: Random, given: Given) -> str:
    """A drive letter."""
    return random.choice(["C:", "D:", "D:", "E:", "F:", "G:"])


@generator()
def file_extension(random: Random, given: Given) -> str:
    """A file ending with its dot."""
    return random.choice([".png", ".jpg", ".pdf", ".docx", ".xlsx", ".mp4", ".zip", ".tmp", ".log", ".txt", ".psd", ".csv"])

"""File and folder names, shaped as people name them: topic, date or version, and the ending that fits."""

from collections.abc import Callable
from random import Random

from atomic_tasks.arguments.registry import generator

_TOPICS: dict[str, list[str]] = {
    "spreadsheet": [
        "budget", "vendors", "sales", "inventory", "payroll_hours", "expenses", "leads", "invoice_tracker",
        "shift_roster", "regional_totals", "price_list", "forecast", "attendance", "project_costs", "headcount",
        "rent_ledger", "purchase_orders", "survey_results", "grades", "meal_plan", "stock_count", "donations",
        "commission_rates", "travel_costs", "kpi_dashboard", "mailing_list", "loan_schedule", "team_fixtures",
    ],
    "document": [
        "Cover letter", "Offer letter", "Lease agreement", "Meeting minutes", "Project charter", "Press release",
        "Employee handbook", "Grant proposal", "Thesis chapter 2", "Recipe collection", "Client brief", "Annual report",
        "Newsletter", "Research summary", "Statement of work", "Onboarding guide", "Complaint letter", "Lab report",
        "Travel itinerary", "Board memo", "Wedding speech", "Book review", "Job description", "Tenancy notice",
    ],
    "presentation": [
        "Q3 kickoff", "Sales pitch", "Town hall", "Product roadmap", "Investor update", "Thesis defense",
        "New hire orientation", "Budget review", "Brand guidelines", "Safety training", "Customer case study",
        "Quarterly results", "Workshop intro", "Science fair", "Market analysis", "Design critique", "Roadshow",
    ],
    "pdf": [
        "lease_signed", "tax_return", "user_manual", "invoice", "contract", "syllabus", "boarding_pass", "floor_plan",
        "insurance_policy", "bank_statement", "application_form", "white_paper", "warranty", "medical_report",
        "annual_report", "brochure", "datasheet", "course_reader", "W-9_form", "quote", "exam_paper",
    ],
    "text": ["todo", "notes", "readme", "passphrases_hint", "draft", "shopping", "ideas", "changelog", "hosts_backup",
             "meeting_notes", "serials", "lyrics", "license_keys", "quotes", "config_notes", "packing_list"],
    "log": ["setup", "install", "error", "server", "access", "update", "build", "crash", "backup", "sync", "debug"],
    "markdown": ["README", "CHANGELOG", "ideas", "release_notes", "roadmap", "weekly-review", "blog_draft", "CONTRIBUTING"],
    "image": ["banner_final", "logo_dark", "team_photo", "product_shot", "header", "flyer", "menu_scan", "profile_pic",
              "poster_draft", "album_cover", "floorplan", "icon_set", "receipt", "thumbnail", "map_sketch", "invitation",
              "background", "infographic", "storefront", "sunset", "screenshot_error", "family_portrait"],
    "video": ["drone_take2", "wedding_ceremony", "tutorial_part1", "birthday", "interview", "demo_walkthrough",
              "vacation_cut", "match_highlights", "trailer", "webinar_recording", "unboxing", "graduation", "timelapse",
              "recital", "bike_ride", "product_teaser", "lecture_05", "puppy_first_day"],
    "audio": ["interview_07", "voice_memo", "podcast_ep12", "lecture_week3", "rehearsal", "guitar_idea", "meeting_audio",
              "narration_take4", "dictation", "field_recording", "choir_practice", "ringtone", "ambience_rain"],
    "archive": ["photos_backup", "project_files", "old_invoices", "assets", "logs_march", "thesis_sources", "fonts",
                "website_export", "driver_pack", "client_delivery", "mod_pack", "scans_2023", "dataset", "samples"],
    "installer": ["printer_setup", "vpn_client", "scanner_driver", "zoom_installer", "gpu_driver_552", "audio_interface",
                  "label_maker", "keyboard_tool", "updater", "game_launcher"],
    "disk_image": ["ubuntu-24.04-desktop-amd64", "Win11_23H2_English_x64", "debian-12.5.0-amd64-netinst",
                   "linuxmint-21.3-cinnamon", "fedora-workstation-40", "kali-linux-2024.1", "memtest86", "gparted-live-1.6",
                   "clonezilla-live-3.1", "proxmox-ve_8.2", "rescue-disk", "archlinux-2024.05.01"],
    "subtitle": ["movie", "lecture_05", "episode_3", "interview", "documentary", "trailer", "webinar"],
    "capture": ["trace_lobby", "voip_drops", "login_failure", "dns_issue", "printer_vlan", "slow_upload", "tls_handshake"],
    "python": ["clean_data", "train_model", "scrape_prices", "app", "utils", "send_report", "rename_photos", "main",
               "parse_logs", "backup_db", "fetch_weather", "plot_results", "manage", "convert_csv"],
    "code": ["server.ts", "index.html", "styles.css", "app.js", "main.go", "config.json", "docker-compose.yml", "schema.sql",
             "routes.py", "Button.tsx", "settings.xml", "package.json", "utils.rs", "Program.cs", "query.sql", "main.cpp"],
    "script": ["backup", "deploy", "cleanup_temp", "add_users", "map_drives", "nightly_sync", "rotate_logs", "install_fonts"],
    "latex": ["thesis_ch2", "paper", "abstract", "cv", "appendix", "slides", "introduction", "related_work", "main"],
    "blend": ["robot_arm", "living_room", "donut", "spaceship", "logo_spin", "character_rig", "kitchen_render", "lowpoly_forest"],
    "csv": ["export", "contacts", "transactions", "sensor_readings", "orders", "survey", "students", "temperatures",
            "web_traffic", "bookings", "penguins", "store_locations"],
}  # fmt: skip
_FOLDERS = [
    "Invoices 2024", "Vacation photos", "Client contracts", "Old projects", "Tax documents", "Resumes", "Recipes",
    "Screenshots", "Wedding album", "Course material", "Team shared", "Marketing assets", "Receipts", "Backups",
    "Band recordings", "House renovation", "Research papers", "Game mods", "Scanned letters", "Family videos",
    "Site photos", "HR forms", "Templates", "Design drafts", "Newsletter issues", "Thesis",
]  # fmt: skip
_YEARS = ["2022", "2023", "2024", "2024", "2025", "2025"]


def _suffix(random: Random) -> str:
    """What people append to a topic: mostly nothing or a year, sometimes a version or a date."""
    kind = random.random()
    if kind < 0.35:
        return ""
    if kind < 0.65:
        return "_" + random.choice(_YEARS)
    if kind < 0.75:
        return "_" + random.choice(["jan", "feb", "mar", "apr", "may", "jun", "sep", "oct", "nov", "Q1", "Q2", "Q3", "Q4"])
    if kind < 0.9:
        return random.choice(["_v2", "_v3", "_final", "_final2", "_draft", "_old", "_copy", "_updated"])
    return f"_{random.randint(1, 12):02}{random.randint(1, 28):02}"


def _named(topic: str, endings: list[str], spaces: bool = False, suffix: bool = True) -> Callable[[Random], str]:
    """A file name of the topic; `spaces` writes suffixes as an office user does."""

    def make(random: Random) -> str:
        tail = _suffix(random) if suffix else ""
        return random.choice(_TOPICS[topic]) + (tail.replace("_", " ") if spaces else tail) + random.choice(endings)

    return make


def _register(name: str, make: Callable[[Random], str], later: list[str]) -> None:
    def draw(random: Random, of: str | None) -> str:
        return make(random)

    draw.__name__ = name
    generator(later=later)(draw)


_register("spreadsheet_file", _named("spreadsheet", [".xlsx"] * 9 + [".xlsm"]), ["that workbook", "that spreadsheet", "the same file"])
_register("csv_file", _named("csv", [".csv"]), ["that CSV", "the same file"])
_register("document_file", _named("document", [".docx"] * 9 + [".doc"], spaces=True), ["that document", "the same document"])
_register("presentation_file", _named("presentation", [".pptx"], spaces=True), ["that deck", "the same presentation"])
_register("pdf_file", _named("pdf", [".pdf"]), ["that PDF", "the same PDF"])
_register("text_file", _named("text", [".txt"]), ["that file", "the same file"])
_register("log_file", _named("log", [".log"]), ["that log", "the same log"])
_register("markdown_file", _named("markdown", [".md"], suffix=False), ["that file", "the same file"])
_register("image_file", _named("image", [".png", ".png", ".jpg", ".jpg", ".jpeg"]), ["that picture", "the same picture"])
_register("video_file", _named("video", [".mp4", ".mp4", ".mp4", ".mov", ".mkv"]), ["that video", "the same video"])
_register("audio_file", _named("audio", [".wav", ".mp3", ".mp3", ".m4a"]), ["that recording", "the same recording"])
_register("archive_file", _named("archive", [".zip", ".zip", ".7z", ".rar"]), ["that archive", "the same archive"])
_register("installer_file", _named("installer", [".exe", ".exe", ".msi"], suffix=False), ["that installer"])
_register("disk_image_file", _named("disk_image", [".iso"], suffix=False), ["that ISO", "the same image"])
_register("subtitle_file", _named("subtitle", [".srt", ".srt", ".ass"], suffix=False), ["those subtitles"])
_register("capture_file", _named("capture", [".pcapng", ".pcapng", ".pcap"]), ["that capture", "the same capture"])
_register("python_file", _named("python", [".py"], suffix=False), ["that script", "the same script"])
_register("code_file", _named("code", [""], suffix=False), ["that file", "the same file"])
_register("script_file", _named("script", [".ps1", ".ps1", ".bat"], suffix=False), ["that script", "the same script"])
_register("latex_file", _named("latex", [".tex"], suffix=False), ["that file"])
_register("blend_file", _named("blend", [".blend"]), ["that scene", "the same file"])


@generator(later=["that photo", "the same photo"])
def photo_file(random: Random, of: str | None) -> str:
    """Names that cameras and phones give."""
    number = random.randint(11, 9899)
    return random.choice([f"IMG_{number:04}.jpg", f"DSC_{number:04}.JPG", f"PXL_2024{random.randint(1, 12):02}14_{number:04}.jpg"])


@generator(later=["that folder", "the same folder"])
def folder(random: Random, of: str | None) -> str:
    """A folder by name."""
    return random.choice(_FOLDERS)


@generator(later=["that folder", "the same folder"])
def folder_path(random: Random, of: str | None) -> str:
    """A folder by its whole path."""
    root = random.choice(["C:\\Users\\Public", "D:\\Backups", "D:\\Work", "C:\\Projects", "E:\\Archive", "D:\\Media", "C:\\Temp"])
    return f"{root}\\{random.choice(_FOLDERS).replace(' ', '_') if random.random() < 0.6 else random.choice(_YEARS)}"


@generator()
def user_folder(random: Random, of: str | None) -> str:
    """A folder that every Windows user has."""
    return random.choice(["Downloads", "Downloads", "Documents", "Desktop", "Pictures", "Videos", "Music"])


@generator(later=["that drive", "the same drive"])
def drive(random: Random, of: str | None) -> str:
    """A drive letter."""
    return random.choice(["C:", "D:", "D:", "E:", "F:", "G:"])


@generator()
def file_extension(random: Random, of: str | None) -> str:
    """A file ending with its dot."""
    return random.choice([".png", ".jpg", ".pdf", ".docx", ".xlsx", ".mp4", ".zip", ".tmp", ".log", ".txt", ".psd", ".csv"])

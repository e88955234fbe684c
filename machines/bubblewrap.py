"""The command that puts the guest server into a sandbox of its own: the same on a host and inside a virtual machine."""

import subprocess
from functools import cache

_OWN = [
    "--unshare-user",
    "--uid",
    "1000",
    "--gid",
    "1000",
    "--unshare-pid",
    "--unshare-ipc",
    "--unshare-net",
    "--unshare-uts",
    "--unshare-cgroup-try",
]
_NO_NESTED = "--disable-userns"  # since bubblewrap 0.8
_IN_MEMORY = {"/tmp": "0777", "/run": "0755", "/var/tmp": "0777", "/dev/shm": "0777"}

# The guest server answers in many short threads, and holds each picture for a moment: else every thread's own heap keeps what it took, 20 MB in all.
_GIVES_MEMORY_BACK = [
    word
    for name, value in {"MALLOC_ARENA_MAX": "1", "MALLOC_TRIM_THRESHOLD_": str(128 * 1024), "MALLOC_MMAP_THRESHOLD_": str(64 * 1024)}.items()
    for word in ("--setenv", name, value)
]


def guest_command(disk_mb: int, root: str, guest: str, home: str, user: str, nested: bool = False) -> list[str]:
    """Return the bubblewrap command over the image's root, the guest server's code and the template of the home folder of its user.

    `disk_mb` limits each of its memory file systems. `nested` lets programs make user namespaces, for a bubblewrap that cannot refuse them.
    """
    size = str(disk_mb * 2**20)
    memory = [
        word for folder, mode in {**_IN_MEMORY, f"/home/{user}": "0777"}.items() for word in ("--perms", mode, "--size", size, "--tmpfs", folder)
    ]
    return [
        "bwrap", *_OWN, *([] if nested else [_NO_NESTED]), "--hostname", "desk", "--die-with-parent", "--new-session", "--as-pid-1", "--clearenv",
        "--ro-bind", root, "/", "--dev", "/dev", "--proc", "/proc", *memory, "--perms", "0700", "--dir", "/run/user/1000",
        "--perms", "0755", "--tmpfs", "/opt", "--ro-bind", guest, "/opt/deskmill/machines/guest", "--ro-bind", home, "/opt/deskmill/home",
        "--remount-ro", "/opt",
        "--setenv", "PATH", "/usr/bin:/bin", "--setenv", "PYTHONPATH", "/opt/deskmill", "--setenv", "LANG", "C.UTF-8", *_GIVES_MEMORY_BACK,
        "--chdir", "/", "--",
        "/usr/bin/python3", "-B", "-m", "machines.guest",
    ]  # fmt: skip


@cache
def refuses_nested() -> bool:
    """Tell whether the bubblewrap of this host can refuse user namespaces to the programs in a sandbox."""
    return _NO_NESTED in subprocess.run(["bwrap", "--help"], capture_output=True, text=True, check=False).stdout

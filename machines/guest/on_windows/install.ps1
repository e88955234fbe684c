# Installs the guest server for the user who is logged on, and starts it at every logon. Run it in a PowerShell of an administrator:
#   powershell -ExecutionPolicy Bypass -File guest\on_windows\install.ps1 [-Port 5000] [-Folder C:\deskmill] [-Python python] [-Packages FOLDER]
# It may be run again: the token stays. -Packages names a folder of downloaded Python packages, for a machine without network.
param(
    [int]$Port = 5000,
    [string]$Folder = "C:\deskmill",
    [string]$Python = "python",
    [string]$Packages = ""
)
$ErrorActionPreference = "Stop"
$guest = Split-Path -Parent $PSScriptRoot
$task = "DeskmillGuest"
$configuration = Join-Path $Folder "guest.json"

& $Python -c "import sys; sys.exit(sys.version_info < (3, 11) or sys.maxsize < 2**32)"
if ($LASTEXITCODE -ne 0) { throw "The guest server needs a 64-bit Python 3.11 or newer. Install it, or name it with -Python." }

# The code, as the package machines.guest.
$code = Join-Path $Folder "machines\guest"
if ($guest -eq $code) { throw "Run this script from the folder that you copied here, not from the installed one: it is replaced." }
if (Get-ScheduledTask -TaskName $task -ErrorAction SilentlyContinue) { Stop-ScheduledTask -TaskName $task }
Get-NetTCPConnection -LocalPort $Port -State Listen -ErrorAction SilentlyContinue |
    ForEach-Object { Get-Process -Id $_.OwningProcess } | Where-Object ProcessName -EQ "pythonw" | Stop-Process -Force
if (Test-Path $code) { Remove-Item -Recurse -Force $code }
New-Item -ItemType Directory -Force -Path (Join-Path $Folder "machines") | Out-Null
Copy-Item -Recurse -Path $guest -Destination $code

# Python with the declared packages, apart from any other Python.
$environment = Join-Path $Folder "python"
if (-not (Test-Path $environment)) { & $Python -m venv $environment }
$pip = @("-m", "pip", "install", "--quiet", "--requirement", (Join-Path $PSScriptRoot "requirements.txt"))
if ($Packages) { $pip += @("--no-index", "--find-links", $Packages) }
& (Join-Path $environment "Scripts\python.exe") $pip
if ($LASTEXITCODE -ne 0) { throw "The packages in requirements.txt could not be installed." }

# A token that no one else knows.
if (Test-Path $configuration) { $token = (Get-Content -Raw $configuration | ConvertFrom-Json).token } else {
    $bytes = New-Object byte[] 32
    [System.Security.Cryptography.RandomNumberGenerator]::Create().GetBytes($bytes)
    $token = -join ($bytes | ForEach-Object { $_.ToString("x2") })
}
@{ token = $token; port = $Port } | ConvertTo-Json | Set-Content -Encoding UTF8 $configuration
icacls $configuration /inheritance:r /grant:r "$($env:USERNAME):(R,W)" "Administrators:(F)" | Out-Null

# The port, from outside.
Get-NetFirewallRule -DisplayName $task -ErrorAction SilentlyContinue | Remove-NetFirewallRule
New-NetFirewallRule -DisplayName $task -Direction Inbound -Protocol TCP -LocalPort $Port -Action Allow -Profile Any | Out-Null

# At logon, in the session of the user: only there is a desktop.
$script = Join-Path $code "on_windows\on-logon.ps1"
$action = New-ScheduledTaskAction -Execute "powershell.exe" -Argument "-ExecutionPolicy Bypass -WindowStyle Hidden -File `"$script`" -Folder `"$Folder`""
$trigger = New-ScheduledTaskTrigger -AtLogOn -User "$env:USERDOMAIN\$env:USERNAME"
$principal = New-ScheduledTaskPrincipal -UserId "$env:USERDOMAIN\$env:USERNAME" -LogonType Interactive -RunLevel Highest
$settings = New-ScheduledTaskSettingsSet -ExecutionTimeLimit ([TimeSpan]::Zero) -AllowStartIfOnBatteries -DontStopIfGoingOnBatteries
Register-ScheduledTask -Force -TaskName $task -Action $action -Trigger $trigger -Principal $principal -Settings $settings | Out-Null
Start-ScheduledTask -TaskName $task

Write-Host "The guest server listens on port $Port. Its token is in ${configuration}:"
Write-Host $token

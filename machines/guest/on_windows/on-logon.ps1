# Runs the guest server in the session of the user who has logged on, and starts it again if it ends.
param([string]$Folder = "C:\deskmill")
$env:PYTHONPATH = $Folder
Set-Location $Folder
while ($true) {
    Start-Process -Wait -WindowStyle Hidden -FilePath "$Folder\python\Scripts\pythonw.exe" -ArgumentList "-m", "machines.guest.on_windows", "`"$Folder\guest.json`"" -RedirectStandardError "$Folder\guest.log"
    Start-Sleep -Seconds 2
}

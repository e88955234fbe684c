# Lists a home folder of Windows for `windows_home.py`, which sets $asked before: home, own, watched, contents, digested and packed.
# The answer is JSON as base64: a console of Windows would change letters beyond ASCII. A file that cannot be read has no digest.

$ErrorActionPreference = 'SilentlyContinue'
$ProgressPreference = 'SilentlyContinue'
$found = New-Object System.Collections.ArrayList

function Is-Own($path) {
    foreach ($pattern in $asked.own) { if ($path -like $pattern) { return $true } }
    return $false
}

function Attributes-Of($item) {
    $said = ''
    if ($item.Attributes -band [IO.FileAttributes]::ReadOnly) { $said += 'R' }
    if ($item.Attributes -band [IO.FileAttributes]::Hidden) { $said += 'H' }
    if ($item.Attributes -band [IO.FileAttributes]::System) { $said += 'S' }
    return $said
}

function Add-Item($item, $path, $kind) {
    $entry = @{ path = $path; kind = $kind; mode = (Attributes-Of $item); size = 0 }
    if ($kind -eq 'f') {
        $entry.size = $item.Length
        if ($item.Length -le $asked.digested) { $entry.digest = (Get-FileHash -Algorithm SHA256 -LiteralPath $item.FullName).Hash }
        if ($asked.contents -and $item.Length -le $asked.packed) {
            $entry.content = [Convert]::ToBase64String([IO.File]::ReadAllBytes($item.FullName))
        }
    }
    [void]$found.Add($entry)
}

function Walk($folder, $before) {
    foreach ($item in Get-ChildItem -Force -LiteralPath $folder) {
        $path = $before + $item.Name
        if (Is-Own $path) { continue }
        if ($item.Attributes -band [IO.FileAttributes]::ReparsePoint) { Add-Item $item $path 'l' }
        elseif ($item.PSIsContainer) { Add-Item $item $path 'd'; Walk $item.FullName ($path + '/') }
        else { Add-Item $item $path 'f' }
    }
}

Walk $asked.home ''
foreach ($path in $asked.watched) {
    if (Is-Own $path) {
        $item = Get-Item -Force -LiteralPath (Join-Path $asked.home $path)
        if ($item -and -not $item.PSIsContainer) { Add-Item $item $path 'f' }
    }
}
$json = ConvertTo-Json -Compress -Depth 3 @{ entries = @($found) }
[Console]::Out.Write([Convert]::ToBase64String([Text.Encoding]::UTF8.GetBytes($json)))

# Installs the Stash client (the command `stash`) from the server named below, for you alone: no administrator rights,
# nothing from anywhere else. Running it again updates or repairs it.
$ErrorActionPreference = 'Stop'

& {
    $server = @SERVER@
    $wheel = @WHEEL@
    $address = @ADDRESS@
    $sha256 = @SHA256@
    $version = @VERSION@

    function Test-Command($name) { [bool](Get-Command $name -ErrorAction SilentlyContinue) }
    function Find-Python {
        foreach ($candidate in @('py', 'python3', 'python')) {
            if (-not (Test-Command $candidate)) { continue }
            $path = & $candidate -c 'import sys; print(sys.executable if sys.version_info >= (3, 9) else "")' 2>$null
            if ($LASTEXITCODE -eq 0 -and $path) { return $path }
        }
    }

    $python = Find-Python
    $way = if (Test-Command uv) { 'uv' } elseif (Test-Command pipx) { 'pipx' } else { 'venv' }
    if (-not $python -and $way -ne 'uv') { throw 'stash: Python 3.9 or newer is needed.' }

    Write-Output "The Stash client $version, from $server"
    Write-Output "  with $way; nothing is captured and no setting of your agents is changed until you say so"

    $work = Join-Path ([IO.Path]::GetTempPath()) ([Guid]::NewGuid())
    New-Item -ItemType Directory $work | Out-Null
    try {
        $file = Join-Path $work $wheel
        Invoke-WebRequest -UseBasicParsing "$server$address" -OutFile $file
        if ((Get-FileHash $file -Algorithm SHA256).Hash -ne $sha256) {
            throw "stash: what arrived is not what $server promised; nothing was installed."
        }
        if ($way -eq 'uv') {
            uv tool install --quiet --force --reinstall $file
            $bin = uv tool dir --bin
        } elseif ($way -eq 'pipx') {
            pipx install --force $file | Out-Null
            $bin = pipx environment --value PIPX_BIN_DIR
        } else {
            $own = Join-Path $env:LOCALAPPDATA 'stash-client'
            & $python -m venv $own
            & "$own\Scripts\python.exe" -m pip install --quiet --no-index --no-deps --force-reinstall $file
            $bin = "$own\Scripts"
        }
        if ($LASTEXITCODE -ne 0) { throw "stash: $way could not install it." }
        & "$bin\stash.exe" --version | Out-Null
        if ($LASTEXITCODE -ne 0) { throw "stash: $bin\stash.exe does not start." }
    } finally {
        Remove-Item -Recurse -Force $work
    }
    Write-Output "Installed: $bin\stash.exe"
    if (($env:Path -split ';') -notcontains $bin) { Write-Output "Add $bin to your Path to call it by its name." }
    Write-Output ''
    Write-Output "Next, in a repository of yours:  stash signin $server"
}

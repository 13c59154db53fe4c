#!/bin/sh
# Installs the Stash client (the command `stash`) from the server named below, for you alone: no sudo, nothing outside
# your home directory, nothing from anywhere else. Running it again updates or repairs it.
# STASH_INSTALL_WITH=uv, pipx or venv chooses how; STASH_PYTHON which Python (3.9 or newer).
set -eu

server=@SERVER@
wheel=@WHEEL@
address=@ADDRESS@
sha256=@SHA256@
version=@VERSION@

say() { printf '%s\n' "$*"; }
fail() { printf 'stash: %s\n' "$*" >&2; exit 1; }
have() { command -v "$1" >/dev/null 2>&1; }

find_python() {
    for candidate in ${STASH_PYTHON:+"$STASH_PYTHON"} python3 python3.14 python3.13 python3.12 python3.11 python3.10 \
        python3.9 python; do
        if have "$candidate" && "$candidate" -c 'import sys; sys.exit(sys.version_info < (3, 9))' 2>/dev/null; then
            command -v "$candidate"
            return
        fi
    done
}

choose_way() {
    case "${STASH_INSTALL_WITH:-}" in
        uv | pipx | venv) say "$STASH_INSTALL_WITH" ;;
        "")
            if [ -e "$own/bin/stash" ]; then say venv
            elif have uv; then say uv
            elif have pipx; then say pipx
            else say venv
            fi
            ;;
        *) fail "STASH_INSTALL_WITH is uv, pipx or venv" ;;
    esac
}

download() {
    if have curl; then curl -fsSL --retry 2 -o "$2" "$1"
    elif have wget; then wget -q -O "$2" "$1"
    else "$python" -I -c 'import sys, urllib.request as u; u.urlretrieve(sys.argv[1], sys.argv[2])' "$1" "$2"
    fi
}

checksum() {
    if have sha256sum; then sha256sum <"$1"
    elif have shasum; then shasum -a 256 <"$1"
    else "$python" -I -c 'import sys, hashlib as h; print(h.sha256(open(sys.argv[1], "rb").read()).hexdigest())' "$1"
    fi | cut -d " " -f 1
}

# A virtual environment needs no pip: the wheel is pure Python, so unpacking it is installing it. What unpacks stays
# there, for `stash upgrade`.
install_in_venv() {
    rm -rf "$own.new" "$own.old"
    mkdir -p "$(dirname "$own")" "$bin"
    "$python" -m venv --without-pip "$own.new" || fail "$python has no venv module (Debian: apt install python3-venv)"
    cat >"$own.new/install.py" <<'PYTHON'
"""install.py WHEEL HOME: unpacks the client's wheel into the environment of the Python that runs this."""
import configparser, os, shutil, sys, sysconfig, zipfile

wheel, home = sys.argv[1:]
site = sysconfig.get_path("purelib")
for name in os.listdir(site):
    if name.startswith("stash_client"):
        shutil.rmtree(os.path.join(site, name))
with zipfile.ZipFile(wheel) as archive:
    archive.extractall(site)
    about = next(name for name in archive.namelist() if name.endswith(".dist-info/entry_points.txt"))
    points = configparser.ConfigParser()
    points.optionxform = str
    points.read_string(archive.read(about).decode())
python = os.path.join(home, "bin", "python")
first = "#!" + python if " " not in python and len(python) < 120 else "#!/bin/sh\n'''exec' \"" + python + "\" \"$0\" \"$@\"\n' '''"
for name, target in points["console_scripts"].items():
    module, function = target.split(":")
    path = os.path.join(sys.prefix, "bin", name)
    with open(path, "w") as script:
        script.write(f"{first}\nimport sys\nfrom {module} import {function}\n")
        # Processes that Python starts read this file again and must not run the command again.
        script.write(f"if __name__ == \"__main__\":\n    sys.exit({function}())\n")
    os.chmod(path, 0o755)
with open(os.path.join(sys.prefix, "commands"), "w") as commands:
    commands.writelines(name + "\n" for name in points["console_scripts"])
PYTHON
    "$own.new/bin/python" -I "$own.new/install.py" "$1" "$own"
    if [ -e "$own" ]; then mv "$own" "$own.old"; fi
    mv "$own.new" "$own"
    rm -rf "$own.old"
    while read -r command; do
        ln -sf "$own/bin/$command" "$bin/$command"
    done <"$own/commands"
}

main() {
    own="${XDG_DATA_HOME:-$HOME/.local/share}/stash-client"
    bin="${XDG_BIN_HOME:-$HOME/.local/bin}"
    python=$(find_python)
    way=$(choose_way)
    [ -n "$python" ] || [ "$way" = uv ] || fail "Python 3.9 or newer is needed; set STASH_PYTHON to where it is"

    say "The Stash client $version, from $server"
    case "$way" in
        uv) say "  with uv, as a tool of its own" ;;
        pipx) say "  with pipx, as an application of its own" ;;
        venv) say "  in a virtual environment of its own: $own" ;;
    esac
    say "  nothing is captured and no setting of your agents is changed until you say so"

    work=$(mktemp -d)
    trap 'rm -rf "$work"' EXIT
    trap 'exit 130' INT TERM
    download "$server$address" "$work/$wheel" || fail "$server did not give $wheel; try again later"
    [ "$(checksum "$work/$wheel")" = "$sha256" ] || fail "what arrived is not what $server promised; nothing was installed"

    case "$way" in
        uv)
            uv tool install --quiet --force --reinstall ${python:+--python "$python"} "$work/$wheel"
            bin=$(uv tool dir --bin)
            ;;
        pipx)
            pipx install --force --python "$python" "$work/$wheel" >"$work/log" 2>&1 || { cat "$work/log" >&2; exit 1; }
            bin=$(pipx environment --value PIPX_BIN_DIR 2>/dev/null) || bin="$HOME/.local/bin"
            ;;
        venv) install_in_venv "$work/$wheel" ;;
    esac

    "$bin/stash" --version >/dev/null || fail "$bin/stash does not start"
    say "Installed: $bin/stash"
    stash=stash
    case ":$PATH:" in
        *":$bin:"*) ;;
        *)
            stash="$bin/stash"
            say "To call it by its name, add this to your shell's profile:  export PATH=\"$bin:\$PATH\""
            ;;
    esac
    say ""
    say "Next, in a repository of yours:  $stash signin $server"
}

main "$@"

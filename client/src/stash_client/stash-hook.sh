#!/bin/sh
# stash-hook HARNESS [EVENT]: what an agent runs at each of its hooks, with a payload on stdin.
#
# Written by Stash for the places its person connected, and written anew when they change: do not edit.
# It keeps the payload as one file in the inbox, from where the sender takes it. A checkout that is not connected is
# left before anything is kept. Whatever is wrong, it is silent and its status is 0.
# Forks are what costs time here: there is one for cat, one for its timer, one for mv. All else is builtins.

trap 'exit 0' EXIT # also where the shell itself gives up, which would be 2: to some agents that says no
exec 2>/dev/null
trap '' HUP INT PIPE # a closing terminal must not cut a record in two
umask 077
LC_ALL=C CDPATH=     # names are bytes; cd goes where it is told

home=@home@
python=@python@
library=@library@
everything=@everything@
anything=@anything@
inbox=$home/inbox
harness=$1 event=$2 cwd=$PWD
line_break='
'

# These two become part of a file's name.
case $harness-$event in *[!A-Za-z0-9._-]*) exit 0 ;; esac

# The last act: what the agent wants to read back when there is nothing to tell it.
finish() {
    case "$harness $event" in
    @answers@
    esac
    exit 0
}

# Start Python without anything it does not need: stash_client.$1:main, with what follows as arguments.
run() {
    cd /
    STASH_HOME=$home exec "$python" -I -S -c @start@ "$library" "$@"
}

# The slow path, 30 ms and more: decides what cannot be decided here, and answers by itself.
interpreter() {
    (run hook "$harness" "$event" "$cwd") && exit 0
    finish
}

# Descriptor 3 to stdout, for at most two seconds: some agents never close it. What came is kept.
take() {
    {
        ulimit -c 0
        ulimit -f 139264 # blocks of 512 bytes: 64 MiB, and a header
        exec cat <&3
    } &
    reader=$!
    (
        trap 'kill $timer; exit' TERM
        exec 3<&- >/dev/null
        sleep 2 &
        timer=$!
        wait $timer
        kill $reader
    ) &
    watch=$!
    wait $reader
    status=$?
    kill $watch
    [ $status -eq 0 ] || [ $status -gt 128 ]
}

# Nothing to keep. The payload is still read, by a process left behind: many agents call a broken pipe a failed hook.
leave() {
    { (exec >/dev/null && take) & } 3<&0
    finish
}

# Sets place: what consent is given for. That is the git directory, which worktrees share, or outside of git the
# folder; links resolved. The way git itself looks for it, but without starting git.
find_place() {
    cd -P -- "$1" || return
    place=dir$PWD above=$PWD
    while :; do
        if [ -e "$above/.git/HEAD" ]; then
            cd -P -- "$above/.git" && place=git$PWD
            return
        elif [ -f "$above/.git" ]; then # of a worktree or submodule: "gitdir: FOLDER"
            read -r _ folder <"$above/.git"
            cd -P -- "$above" && cd -P -- "$folder" || return
            [ ! -f commondir ] || { read -r folder <commondir && cd -P -- "$folder"; } || return
            place=git$PWD
            return
        fi
        [ "$above" ] || return 0
        above=${above%/*}
    done
}

is_connected() {
    [ "$1" ] && find_place "$1" || return
    case $place in
    @places@
    esac
    [ "$everything" ]
}

# An agent's hooks need not run where it works: some say so in a variable, others only in the payload.
anywhere_connected() {
    for folder in "$cwd" @project@; do
        is_connected "$folder" && return
    done
    return 1
}

# Their own folders are those of settings, and what a desktop starts programs in.
may_run_elsewhere() {
    case $cwd/ in // | "$HOME"/ | "$HOME"/.*) find_place "$cwd" ;; *) return 1 ;; esac
    case $place in git*) return 1 ;; esac
}

# A name with a line break would end the header early: left out, the payload tells it too.
header() {
    printf 'harness=%s\nevent=%s\n' "$harness" "$event" || return
    project=
    for folder in @project@; do project=${project:-$folder}; done
    for pair in "cwd=$cwd" "project_dir=$project" "memory=$STASH_MEMORY" "entrypoint=$CLAUDE_CODE_ENTRYPOINT" \
        "environment=${account:+$STASH_URL}"; do
        case $pair in *"$line_break"* | *=) ;; *) printf '%s\n' "$pair" || return ;; esac
    done
    printf '\n'
}

# Process ids come again, and a record of one that had this may lie there still: a file is made here or not touched.
keep() {
    [ -d "$inbox" ] || mkdir "$inbox"
    set -C
    for turn in 0 1 2 3 4 5 6 7 8 9; do
        name=$harness-$event-$PPID.$turn-$$
        true >"$inbox/.$name" && [ ! -e "$inbox/$name" ] && break
        name=
    done
    [ "$name" ] || leave
    if { header && take; } 3<&0 >>"$inbox/.$name"; then
        mv -f "$inbox/.$name" "$inbox/$name"
    else
        rm -f "$inbox/.$name" # the disk is full
    fi
}

# Only after the record lies there: a sender that ends now looks once more after it has taken its pid file away.
# Of many hooks at once one makes the file, and starts a sender, which removes it.
wake() {
    read -r pid <"$home/sender.pid" && kill -0 "$pid" && return
    if true >"$home/waking"; then (run sender </dev/null >/dev/null) & fi
}

account=
if [ "$STASH_URL" ] && [ "$STASH_KEY" ]; then account=environment everything=yes anything=yes; fi
[ "$anything" ] || leave
if ! anywhere_connected; then
    ! may_run_elsewhere || interpreter
    leave
fi
[ -x "$python" ] || leave # uninstalled: nobody would read it
[ ! -e "$home/paused" ] || interpreter
case "$harness $event" in
*' ' | @injecting@) interpreter ;;
@ending@) [ ! "$account" ] || interpreter ;;
esac
keep
wake
finish

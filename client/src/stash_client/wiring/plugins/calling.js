import { spawn, spawnSync } from "node:child_process"

const HOOK = "__STASH_HOOK__"
const WAITING = 500 // events kept while the hook is busy; more are dropped
const PATIENCE = 10000 // ms for one call of the hook
const BRIEFING = 1500 // ms that the first request of a session waits for the briefing
const PARTING = 2000 // ms for what still waits when the agent ends

const queue = [] // calls to come, the first of them running
const settings = { windowsHide: true, shell: process.platform === "win32" }

// What the hook says, "" when it does not work or takes too long.
function call({ name, body, cwd }, limit, started) {
  return new Promise((done) => {
    let said = ""
    let timer
    const end = () => (clearTimeout(timer), done(said))
    try {
      const stdio = ["pipe", limit ? "pipe" : "ignore", "ignore"]
      const child = spawn(HOOK, [HARNESS, name], { cwd, stdio, ...settings })
      started?.(child)
      timer = setTimeout(() => (child.unref?.(), end()), limit || PATIENCE)
      timer.unref?.()
      child.on("error", end)
      child.on("close", end)
      child.stdin.on("error", () => {})
      child.stdout?.on("data", (data) => (said += data))
      child.stdin.end(body)
    } catch {
      end()
    }
  })
}

// One after the other: the order of calls is the order of events.
function send(name, body, cwd) {
  if (queue.length >= WAITING) return
  queue.push({ name, body, cwd })
  if (queue.length === 1) work()
}

async function work() {
  while (queue.length) {
    const one = queue[0]
    await call(one, 0, (child) => (one.child = child))
    queue.shift()
  }
}

process.on("exit", () => {
  const until = Date.now() + PARTING
  for (const { name, body, cwd, child } of queue) {
    const timeout = until - Date.now()
    if (timeout < 50) return
    try {
      if (child?.stdin?.writableFinished) {
        Atomics.wait(new Int32Array(new SharedArrayBuffer(4)), 0, 0, 50) // it has all it needs: let it be first
        continue
      }
      child?.kill("SIGKILL")
      spawnSync(HOOK, [HARNESS, name], { cwd, input: body, stdio: ["pipe", "ignore", "ignore"], timeout, ...settings })
    } catch {
      // capture never breaks the session
    }
  }
})

// The hook answers in JSON, under the name this agent has for it, or in plain text.
function text(answer, ...names) {
  const plain = String(answer || "").trim()
  if (!plain.startsWith("{")) return plain
  try {
    const read = JSON.parse(plain)
    return names.map((name) => read[name]).find((found) => typeof found === "string") || ""
  } catch {
    return ""
  }
}

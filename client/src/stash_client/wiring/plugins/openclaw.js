// Stash: written by `stash hooks install`, removed by `stash hooks uninstall`.
// Hands what happens in a session to stash-hook, in order, beside the session: nothing here throws or waits.
import { spawn } from "node:child_process"

const HOOK = "__STASH_HOOK__"
const WAITING = 500 // events kept while the hook is busy; more are dropped
const BRIEFING = 1500 // ms that the first prompt of a session waits for the briefing
const LARGEST = 32 * 1024 * 1024
const SENT = [
  "session_start", "session_end", "before_message_write", "before_tool_call", "after_tool_call", "agent_end",
  "after_compaction", "subagent_spawned", "subagent_ended", "before_reset",
]

let chain = Promise.resolve()
let waiting = 0
const asked = new Map() // session -> its briefing, promised

function call(name, body, cwd, limit) {
  return new Promise((done) => {
    let said = ""
    let timer
    const end = () => (clearTimeout(timer), done(said))
    try {
      const child = spawn(HOOK, ["openclaw", name], {
        cwd,
        stdio: ["pipe", limit ? "pipe" : "ignore", "ignore"],
        windowsHide: true,
        shell: process.platform === "win32",
      })
      timer = setTimeout(() => (child.unref?.(), end()), limit || 10000)
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

function written(name, event, ctx) {
  const body = JSON.stringify({ hook: name, event, ctx })
  return body.length > LARGEST ? JSON.stringify({ hook: name, event: {}, ctx }) : body
}

function send(name, body, cwd) {
  if (waiting >= WAITING) return
  waiting += 1
  chain = chain.then(() => call(name, body, cwd)).finally(() => (waiting -= 1))
}

function text(answer) {
  const plain = String(answer || "").trim()
  if (!plain.startsWith("{")) return plain
  try {
    const read = JSON.parse(plain)
    const found = read.appendSystemContext || read.prependContext || read.context || read.additionalContext
    return typeof found === "string" ? found : ""
  } catch {
    return ""
  }
}

function briefing(event, ctx) {
  const session = ctx?.sessionId || ctx?.sessionKey
  if (!session) return Promise.resolve("")
  if (!asked.has(session)) {
    const body = written("before_prompt_build", { prompt: event?.prompt }, ctx)
    asked.set(session, call("before_prompt_build", body, ctx?.workspaceDir, BRIEFING).then(text))
  }
  return asked.get(session)
}

export default {
  id: "stash",
  name: "Stash",
  description: "Keeps sessions in the memory of your team",
  register(api) {
    for (const name of SENT) {
      // Two of these must not return a promise, so none does.
      api.on(name, (event, ctx) => {
        try {
          send(name, written(name, event, ctx), ctx?.workspaceDir)
          if (name === "session_end") asked.delete(event?.sessionId)
        } catch {
          // capture never breaks the session
        }
      })
    }
    api.on("before_prompt_build", async (event, ctx) => {
      try {
        const found = await briefing(event, ctx)
        return found ? { appendSystemContext: found } : undefined
      } catch {
        return undefined
      }
    })
  },
}

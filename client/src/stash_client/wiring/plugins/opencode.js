// Stash: written by `stash hooks install`, removed by `stash hooks uninstall`.
// Hands what happens in a session to stash-hook, in order, beside the session: nothing here throws or waits.
import { spawn } from "node:child_process"

const HOOK = "__STASH_HOOK__"
const WAITING = 500 // events kept while the hook is busy; more are dropped
const BRIEFING = 1500 // ms that the first request of a session waits for the briefing
const SENT = new Set(["session.created", "session.idle", "session.compacted", "session.deleted", "session.error"])

let chain = Promise.resolve()
let waiting = 0
const roots = new Map() // session -> its own directory
const replies = new Map() // session -> its last answer, by message
const asked = new Map() // session -> its briefing, promised

function call(name, body, cwd, limit) {
  return new Promise((done) => {
    let said = ""
    let timer
    const end = () => (clearTimeout(timer), done(said))
    try {
      const child = spawn(HOOK, ["opencode", name], {
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
    const found = read.context || read.additionalContext || read.hookSpecificOutput?.additionalContext
    return typeof found === "string" ? found : ""
  } catch {
    return ""
  }
}

export const Stash = async ({ directory } = {}) => {
  const where = (session) => roots.get(session) || directory || process.cwd()
  const quietly = (work) => async (...given) => {
    try {
      await work(...given)
    } catch {
      // capture never breaks the session
    }
  }
  const hand = (name, session, what) =>
    send(name, JSON.stringify({ hook: name, directory: where(session), ...what }), where(session))

  const event = ({ event }) => {
    const { type, properties = {} } = event || {}
    const session = properties.sessionID || properties.info?.id || properties.part?.sessionID
    if (type === "session.created" && properties.info?.directory) roots.set(session, properties.info.directory)
    if (type === "message.part.updated") return part(properties.part)
    if (!SENT.has(type)) return
    if (type === "session.idle") finish(session)
    hand(type, session, { type, properties })
    if (type === "session.deleted") for (const kept of [roots, replies, asked]) kept.delete(session)
  }

  // Text comes in pieces, each with all there is so far: the last one of a turn is the answer.
  const part = (part) => {
    if (part?.type === "text" && !part.synthetic && !part.ignored && part.time) replies.set(part.sessionID, part)
    if (part?.type === "tool" && part.state?.status === "error")
      hand("message.part.updated", part.sessionID, { type: "message.part.updated", properties: { part } })
  }

  const finish = (session) => {
    const reply = replies.get(session)
    if (reply) hand("message.part.updated", session, { type: "message.part.updated", properties: { part: reply } })
    replies.delete(session)
  }

  // Asked once for each session; every request then gets the same text, so that prompt caches hold.
  const briefing = (session, input) => {
    const name = "experimental.chat.system.transform"
    if (!asked.has(session)) {
      const body = JSON.stringify({ hook: name, directory: where(session), input })
      asked.set(session, call(name, body, where(session), BRIEFING).then(text))
    }
    return asked.get(session)
  }

  return {
    event: quietly(event),
    "chat.message": quietly((input, output) => hand("chat.message", input?.sessionID, { input, output })),
    "tool.execute.before": quietly((input, output) => hand("tool.execute.before", input?.sessionID, { input, output })),
    "tool.execute.after": quietly((input, output) => hand("tool.execute.after", input?.sessionID, { input, output })),
    "experimental.chat.system.transform": quietly(async (input, output) => {
      if (!input?.sessionID) return
      const found = await briefing(input.sessionID, input)
      if (found && Array.isArray(output?.system)) output.system.push(found)
    }),
  }
}

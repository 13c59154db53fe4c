// Stash: written by `stash hooks install`, removed by `stash hooks uninstall`.
// Hands what happens in a session to stash-hook, in order, beside the session: nothing here throws or waits.
const HARNESS = "openclaw"
// @include calling.js

const LARGEST = 32 * 1024 * 1024
const SENT = [
  "session_start", "session_end", "before_message_write", "before_tool_call", "after_tool_call", "agent_end",
  "after_compaction", "subagent_spawned", "subagent_ended", "before_reset",
]

const asked = new Map() // session -> its briefing, promised
const known = new Map() // slot of a session -> what other events told about it: its id, its folder
const folders = new Map() // agent -> its folder
let early = [] // what came before its agent's folder was known

// Not every event tells the session's id and folder: add what is known of its slot and its agent.
function completed(event, ctx) {
  const slot = ctx?.sessionKey || event?.sessionKey || ctx?.requesterSessionKey
  const all = { ...known.get(slot) }
  for (const name of ["sessionId", "workspaceDir", "agentId", "modelId"]) {
    const value = ctx?.[name] || event?.[name]
    if (value) all[name] = value
  }
  if (slot) known.set(slot, { ...all })
  const agent = all.agentId || slot?.split(":")[1] || "main"
  if (all.workspaceDir) folders.set(agent, all.workspaceDir)
  return { ...ctx, ...all, workspaceDir: all.workspaceDir || folders.get(agent) }
}

// Consent goes by folder, so an event waits until its agent's folder is known.
function keep(name, event, ctx) {
  const text = JSON.stringify(event ?? {})
  early.push({ name, text: text.length > LARGEST ? "{}" : text, ctx: completed(event, ctx) })
  if (early.length > WAITING) early.shift()
  const waiting = []
  for (const one of early) {
    const ctx = completed({}, one.ctx)
    if (ctx.workspaceDir) send(one.name, body(one.name, one.text, ctx), ctx.workspaceDir)
    else waiting.push(one)
  }
  early = waiting
}

function body(name, event, ctx) {
  return `{"hook":${JSON.stringify(name)},"event":${event},"ctx":${JSON.stringify(ctx)}}`
}

function briefing(event, ctx) {
  const session = ctx?.sessionId || ctx?.sessionKey
  if (!session) return Promise.resolve("")
  if (!asked.has(session)) {
    const name = "before_prompt_build"
    const said = body(name, JSON.stringify({ prompt: event?.prompt }), ctx)
    const names = ["appendSystemContext", "prependContext", "context"]
    const asking = call({ name, body: said, cwd: ctx.workspaceDir }, BRIEFING)
    asked.set(session, asking.then((answer) => text(answer, ...names)))
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
          keep(name, event, ctx)
          if (name === "session_end") asked.delete(event?.sessionId)
        } catch {
          // capture never breaks the session
        }
      })
    }
    api.on("before_prompt_build", async (event, ctx) => {
      try {
        const all = completed(event, ctx)
        const found = await briefing(event, all)
        return found ? { appendSystemContext: found } : undefined
      } catch {
        return undefined
      }
    })
  },
}

// Stash: an extension for Pi and Oh My Pi.
// Hands what happens in a session to stash-hook, in order, beside the session: nothing here throws or waits.
const HARNESS = "__HARNESS__"
// @include calling.js

const SENT = [
  "session_start", "session_switch", "session_stop", "session_shutdown", "tool_call", "tool_result", "message_end",
  "agent_settled", "session_compact",
]

export default function (pi) {
  const completed = (event, ctx) => {
    const manager = ctx?.sessionManager
    const session = manager?.getSessionId?.() || event?.session_id
    return JSON.stringify({ ...event, sessionId: session, cwd: ctx?.cwd || process.cwd() })
  }
  for (const name of SENT) {
    pi.on(name, (event, ctx) => {
      try {
        send(name, completed(event, ctx), ctx?.cwd)
      } catch {
        // capture never breaks the session
      }
    })
  }
  pi.on("before_agent_start", async (event, ctx) => {
    try {
      const { systemPrompt, ...rest } = event
      const asking = { name: "before_agent_start", body: completed(rest, ctx), cwd: ctx?.cwd }
      const said = JSON.parse((await call(asking, BRIEFING)) || "{}")
      return said.message ? said : undefined
    } catch {
      return undefined
    }
  })
}

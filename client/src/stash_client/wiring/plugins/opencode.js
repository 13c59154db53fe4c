// Stash: written by `stash hooks install`, removed by `stash hooks uninstall`.
// Hands what happens in a session to stash-hook, in order, beside the session: nothing here throws or waits.
const HARNESS = "opencode"
// @include calling.js

const SENT = new Set(["session.created", "session.idle", "session.compacted", "session.deleted", "session.error"])

const roots = new Map() // session -> its own directory
const parents = new Map() // session -> the one that started it
const turns = new Map() // session -> the message that began its turn
const replies = new Map() // session -> its last answer, by message
const asked = new Map() // session -> its briefing, promised

export const Stash = async ({ directory } = {}) => {
  const where = (session) => roots.get(session) || directory || process.cwd()
  const quietly = (work) => async (...given) => {
    try {
      await work(...given)
    } catch {
      // capture never breaks the session
    }
  }
  const hand = (name, session, what) => {
    const known = { sessionID: session, directory: where(session), parentID: parents.get(session), turn: turns.get(session) }
    send(name, JSON.stringify({ hook: name, ...known, ...what }), where(session))
  }

  const event = ({ event }) => {
    const { type, properties = {} } = event || {}
    const session = properties.sessionID || properties.info?.id || properties.part?.sessionID
    if (type === "session.created") {
      if (properties.info?.directory) roots.set(session, properties.info.directory)
      if (properties.info?.parentID) parents.set(session, properties.info.parentID)
    }
    if (type === "message.part.updated") return part(properties.part)
    if (!SENT.has(type)) return
    if (type === "session.idle") finish(session)
    hand(type, session, { type, properties })
    if (type === "session.deleted") for (const kept of [roots, parents, turns, replies, asked]) kept.delete(session)
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
      asked.set(session, call({ name, body, cwd: where(session) }, BRIEFING).then((said) => text(said, "context")))
    }
    return asked.get(session)
  }

  return {
    event: quietly(event),
    "chat.message": quietly((input, output) => {
      turns.set(input?.sessionID, output?.message?.id || input?.messageID)
      hand("chat.message", input?.sessionID, { input, output })
    }),
    "tool.execute.before": quietly((input, output) => hand("tool.execute.before", input?.sessionID, { input, output })),
    "tool.execute.after": quietly((input, output) => hand("tool.execute.after", input?.sessionID, { input, output })),
    "experimental.chat.system.transform": quietly(async (input, output) => {
      if (!input?.sessionID) return
      const found = await briefing(input.sessionID, input)
      if (found && Array.isArray(output?.system)) output.system.push(found)
    }),
  }
}

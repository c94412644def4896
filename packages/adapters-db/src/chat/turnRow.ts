import { type BeginTurnInput, type EndTurn, ownerKey, storableText, storedBytes } from "@parley/core/adapter"

/** JSON for jsonb: its texts cleaned of what Postgres refuses there. */
const storableJson = (value: unknown): string =>
  JSON.stringify(value, (_key, inner: unknown) => (typeof inner === "string" ? storableText(inner) : inner))

/** The beginning of a turn, as `begin_turn` takes it. */
export const beginRow = ({ chatId, continues, documentIds = [], messages, owner, reply, title }: BeginTurnInput) => {
  const { userId, bot, visitor } = ownerKey(owner)
  const { content, ...begun } = reply
  const state = content === undefined ? "streaming" : "complete"
  const all: Array<object> = []
  let bytes = storedBytes(content ?? "", reply.sources)
  for (const message of messages) {
    all.push({ role: message.role, content: message.content, state: "complete" })
    bytes += storedBytes(message.content)
  }
  all.push({ ...begun, role: "assistant", content: content ?? "", state })
  return {
    of_user: userId,
    of_bot: bot,
    of_visitor: visitor,
    of_chat: chatId,
    title: storableText(title),
    messages: all.length,
    reply: reply.id,
    given: storableJson(all),
    continues,
    bytes,
    documents: documentIds
  }
}

/** The end of a turn, as `write_credits` takes it. */
export const endRow = ({ begin, chatId, content, owner, replyId, state }: EndTurn) => {
  const { userId, bot, visitor } = ownerKey(owner)
  const begun = begin && beginRow(begin)
  return {
    ...begun,
    ...(begun && { given: JSON.parse(begun.given) as unknown }),
    of_user: userId,
    of_bot: bot,
    of_visitor: visitor,
    of_chat: chatId,
    reply: replyId,
    content: storableText(content),
    state
  }
}

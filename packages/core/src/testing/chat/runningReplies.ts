import { Effect } from "effect"
import { type CreditPorts, CreditRecords } from "../../credits/CreditLedger.ts"
import { testedLedger } from "../credits/testedLedger.ts"
import { type BeginTurnInput, ChatStore } from "../../chat/store/ChatStore.ts"
import { ownerKey } from "../../chat/store/StoredChat.ts"
import { type EndTurn, RunningReplies } from "../../chat/reply/RunningReplies.ts"
import { replyKey } from "../../credits/rules/decideReply.ts"
import { openAccount } from "../../credits/rules/openAndClose.ts"
import { reserve, settle } from "../../credits/rules/decideHold.ts"
import { receiptDraft, reservation } from "../credits/creditFixtures.ts"
import { newTurn, newUserId } from "../storage/storageFixtures.ts"

export type Stores = ChatStore | CreditPorts | RunningReplies

export const MODEL = "model-a-mini"
export const LONG = 60_000
/** A lifetime of almost zero milliseconds: the writing process counts as dead at once. */
export const DEAD = 1
export const HELD = 50

/** Opens a hold for a reply. */
export const held = Effect.fnUntraced(function* (
  { owner, reply }: Pick<BeginTurnInput, "owner" | "reply">,
  ttlMs = LONG
) {
  const ledger = yield* testedLedger
  const { userId } = ownerKey(owner)
  const key = replyKey(reply.id)
  yield* ledger.run(openAccount({ userId, tier: "free", allowance: 100 }))
  const draft = { ...receiptDraft, usage: { ...receiptDraft.usage, output: 0 } }
  yield* ledger.run(reserve(reservation(userId, key, HELD, { ttlMs, draft }), crypto.randomUUID()))
  return { userId, key }
})

export const nameOf = ({ owner, chatId, reply }: BeginTurnInput) => ({ owner, chatId, replyId: reply.id })
export const holdOf = ({ owner, replyId }: Name) => ({ userId: ownerKey(owner).userId, key: replyKey(replyId) })

/** Stores a turn whose reply has begun. */
export const begun = Effect.fnUntraced(function* (
  turn: BeginTurnInput = newTurn(newUserId()),
  { joinable = true, ttlMs = LONG } = {}
) {
  const hold = yield* held(turn, ttlMs)
  yield* (yield* ChatStore).beginTurn({ ...turn, running: { hold, joinable, ttlMs } })
  return nameOf(turn)
})

export type Name = ReturnType<typeof nameOf>

export const beat = (
  reply: Name,
  start: number,
  text: string,
  { ttlMs = LONG, outputTokens = start + text.length } = {}
) =>
  RunningReplies.use((replies) =>
    Effect.map(
      replies.write({
        beats: [
          { hold: { ...holdOf(reply), outputTokens }, reply: { ...reply, model: MODEL, joinable: true, start, text } }
        ],
        ttlMs
      }),
      ([answer]) => answer
    )
  )
/** Writes text; returns the stored length and whether a stop was requested; undefined if nothing was written. */
export const write = (reply: Name, start: number, text: string, ttlMs = LONG) =>
  Effect.map(beat(reply, start, text, { ttlMs }), (answer) =>
    answer?.length === undefined ? undefined : { length: answer.length, stopAsked: answer.stopAsked }
  )
export const read = (reply: Name, from = 0) => RunningReplies.use((replies) => replies.read({ ...reply, from }))
export const messageOf = ({ replyId, ...chat }: Name) =>
  ChatStore.use((chats) =>
    Effect.map(chats.transcript({ ...chat, limit: 10 }), (found) => found?.messages.find(({ id }) => id === replyId))
  )
export const balanceOf = ({ owner }: Name) => CreditRecords.use((ledger) => ledger.account(ownerKey(owner).userId))
export const settled = (reply: Name, amount: number, end: Pick<EndTurn, "content" | "state"> & Partial<EndTurn>) => ({
  ...settle({ ...holdOf(reply), amount, draft: receiptDraft }),
  companion: { _tag: "EndTurn", begin: undefined, ...reply, ...end } satisfies EndTurn
})
/** Ends every hold that has expired, once the ledger's clock has passed this time. */
export const sweepAll = Effect.gen(function* () {
  const ledger = yield* testedLedger
  const from = yield* ledger.now
  while ((yield* ledger.now) <= from + DEAD) yield* Effect.yieldNow
  for (;;) {
    const { charged, released } = yield* ledger.sweep({ limit: 50 })
    if (charged + released === 0) return
  }
})

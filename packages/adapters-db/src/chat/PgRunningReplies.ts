import {
  type ConversationOwner,
  isUuid,
  ownerKey,
  type ReplyName,
  type RunningProgress,
  type RunningChat,
  RunningReplies
} from "@parley/core/adapter"
import type { MessageState } from "@parley/core"
import { Effect, Layer } from "effect"
import { beatHolds } from "../credits/renewHolds.ts"
import { makeLedgerTime } from "../credits/LedgerClock.ts"
import { Database, type Row } from "../database/Database.ts"
import { storing } from "../storage/storageFailed.ts"
import { runningReplySql } from "./runningReplySql.ts"

interface ReadRow extends Row {
  readonly running_model: string | null
  readonly alive: boolean | null
  readonly start: number | null
  readonly text: string | null
  readonly state: MessageState | null
  readonly model: string | null
  readonly content: string | null
}

interface FoundRow extends Row {
  readonly reply_id: string
  readonly model: string
  readonly started_at: Date
}

const keyOf = (owner: ConversationOwner): ReadonlyArray<string> => {
  const { userId, bot, visitor } = ownerKey(owner)
  return [userId, bot, visitor]
}
const chatParams = ({ owner, chatId }: RunningChat) => [...keyOf(owner), chatId]
const replyParams = (reply: ReplyName) => [...chatParams(reply), reply.replyId]

const progressOf = (row: ReadRow | undefined, from: number): RunningProgress => {
  if (row === undefined) return { _tag: "Lost", text: "" }
  const { alive, content, model, running_model: runningModel, state } = row
  const text = (row.text ?? "").slice(from - (row.start ?? 0))
  if (runningModel !== null)
    return alive === true ? { _tag: "Running", model: runningModel, text } : { _tag: "Lost", text }
  if (state === null || state === "streaming") return { _tag: "Lost", text: "" }
  return { _tag: "Ended", model: model ?? undefined, text: (content ?? "").slice(from), state }
}

const make = Effect.gen(function* () {
  const database = yield* Database
  const time = yield* makeLedgerTime
  const sqlTexts = runningReplySql(database.schema)

  /** Reads as the person whose rows they are, which a bot's owner may do with a visitor's. */
  const asOwner = <R extends Row>({ owner }: RunningChat, text: string, params: ReadonlyArray<unknown>) =>
    database.statementAsUser<R>(ownerKey(owner).userId, text, params)

  /** Writes as the person whose conversation it is; for a visitor, who is no person known here, as the service. */
  const asAuthor = <R extends Row>({ owner }: RunningChat, text: string, params: ReadonlyArray<unknown>) =>
    "person" in owner ? database.statementAsUser<R>(owner.person, text, params) : database.statement<R>(text, params)

  return RunningReplies.of({
    write: ({ beats, ttlMs }) =>
      time.given.pipe(
        Effect.flatMap((now) => beatHolds(database, beats, ttlMs, now)),
        Effect.map((rows) =>
          rows.map((row) => ({
            isHoldGone: row.hold_gone,
            isChatGone: row.chat_gone,
            length: row.length ?? undefined,
            stopAsked: row.stop_asked === true
          }))
        ),
        storing("RunningReplies.write", "maintenance")
      ),
    read: ({ from, ...reply }) =>
      storing("RunningReplies.read")(
        Effect.map(asOwner<ReadRow>(reply, sqlTexts.read, [...replyParams(reply), from]), ([row]) =>
          progressOf(row, from)
        )
      ),
    find: ({ replyId, ...chat }) =>
      storing("RunningReplies.find")(
        isUuid(chat.chatId)
          ? Effect.map(asOwner<FoundRow>(chat, sqlTexts.find, [...chatParams(chat), replyId ?? null]), ([row]) =>
              row === undefined
                ? undefined
                : { messageId: row.reply_id, model: row.model, startedAt: row.started_at.getTime() }
            )
          : Effect.succeed(undefined)
      ),
    askToStop: (chat) =>
      storing("RunningReplies.askToStop")(
        isUuid(chat.chatId)
          ? Effect.map(asAuthor(chat, sqlTexts.askToStop, chatParams(chat)), (rows) => rows.length > 0)
          : Effect.succeed(false)
      )
  })
})

/** The running records of replies in Postgres or PGlite. */
export const PgRunningRepliesLayer: Layer.Layer<RunningReplies, never, Database> = Layer.effect(RunningReplies, make)

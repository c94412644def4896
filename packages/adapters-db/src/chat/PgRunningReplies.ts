import {
  type ConversationOwner,
  isUuid,
  ownerKey,
  type ReplyName,
  type RunningProgress,
  type RunningChat,
  RunningReplies,
  storableText
} from "@parley/core/adapter"
import type { MessageState } from "@parley/core"
import { Effect, Layer } from "effect"
import { Database, type Row } from "../database/Database.ts"
import { storing } from "../storage/storageFailed.ts"
import { runningReplySql } from "./runningReplySql.ts"

interface WrittenRow extends Row {
  readonly length: number
  readonly stop_asked: boolean
}

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

const make = Effect.map(Database, (database) => {
  const sqlTexts = runningReplySql(database.schema)

  /** Reads as the person whose rows they are, which a bot's owner may do with a visitor's. */
  const asOwner = <R extends Row>({ owner }: RunningChat, text: string, params: ReadonlyArray<unknown>) =>
    database.statementAsUser<R>(ownerKey(owner).userId, text, params)

  /** Writes as the person whose conversation it is; for a visitor, who is no person known here, as the service. */
  const asAuthor = <R extends Row>({ owner }: RunningChat, text: string, params: ReadonlyArray<unknown>) =>
    "person" in owner ? database.statementAsUser<R>(owner.person, text, params) : database.statement<R>(text, params)

  const endDead = Effect.fnUntraced(function* (limit: number) {
    const found = yield* database.statement(sqlTexts.findDead, [limit])
    let ended = 0
    for (const { user_id, bot, visitor, chat_id, reply_id } of found) {
      const params = [user_id, bot, visitor, chat_id, reply_id]
      ended += (yield* database.statement(sqlTexts.endDead, params)).length
    }
    return ended
  })

  return RunningReplies.of({
    write: ({ model, start, text, ttlMs, ...reply }) =>
      storing("RunningReplies.write")(
        Effect.map(
          asAuthor<WrittenRow>(reply, sqlTexts.write, [
            ...replyParams(reply),
            model,
            start,
            text.length,
            storableText(text),
            Math.ceil(ttlMs)
          ]),
          ([row]) => row && { length: row.length, stopAsked: row.stop_asked }
        )
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
      ),
    end: ({ content, state, ...reply }) =>
      storing("RunningReplies.end")(
        Effect.asVoid(asAuthor(reply, sqlTexts.end, [...replyParams(reply), storableText(content), state]))
      ),
    forget: (reply) =>
      storing("RunningReplies.forget")(Effect.asVoid(asAuthor(reply, sqlTexts.forget, replyParams(reply)))),
    sweep: ({ limit }) => storing("RunningReplies.sweep", "maintenance")(endDead(limit))
  })
})

/** What is written of replies that go on without their reader, in Postgres or PGlite, for every process to read. */
export const PgRunningRepliesLayer: Layer.Layer<RunningReplies, never, Database> = Layer.effect(RunningReplies, make)

import {
  type Answered,
  type AnswerInput,
  type AskForPersonInput,
  GONE_AFTER_MS,
  type Handover,
  Handovers,
  type HandoverState,
  isWithPerson,
  MAX_VISITOR_MAILS,
  type OwnedChat,
  type SayInput,
  storableText,
  storedBytes,
  type VisitorChat
} from "@parley/core/adapter"
import { Effect, Layer } from "effect"
import { Database, type Row, type Sql } from "../database/Database.ts"
import { storing } from "../storage/storageFailed.ts"
import { keyOf, uuidOrNil } from "./chatSql.ts"
import { handoverTexts } from "./handoverSql.ts"

/** The columns of a hand-over. Times are dates in a row, and numbers in the JSON of `handoverOfChat`. */
interface Columns<Time> {
  readonly state: HandoverState
  readonly email: string | null
  readonly page: string | null
  readonly language: Handover["language"]
  readonly assignee: string | null
  readonly asked_at: Time
  readonly seen_at: Time
}
interface HandoverRow extends Row, Columns<Date> {}
export type HandoverJson = Columns<number>

export const handoverOf = ({
  asked_at,
  assignee,
  email,
  language,
  page,
  seen_at,
  state
}: Columns<Date> | Columns<number>): Handover => ({
  state,
  email: email ?? undefined,
  page: page ?? undefined,
  language,
  assignee: assignee ?? undefined,
  askedAt: Number(asked_at),
  seenAt: Number(seen_at)
})

type Texts = ReturnType<typeof handoverTexts>
type Key = ReadonlyArray<string>

const keyOfVisitor = ({ chatId, owner }: VisitorChat): Key => [...keyOf(owner), uuidOrNil(chatId)]

/** The steps from which transactions on one conversation are built. Each transaction locks the conversation first. */
const makeParts = (text: Texts) => {
  const lock = (sql: Sql, key: Key) => Effect.map(sql.query(text.lock, key), (rows) => rows.length > 0)
  const stateOf = (sql: Sql, key: Key) =>
    Effect.map(sql.query<{ state: HandoverState }>(text.state, key), ([row]) => row?.state)

  const add = Effect.fnUntraced(function* (
    sql: Sql,
    key: Key,
    message: Pick<Answered["message"], "id" | "role" | "content" | "author">,
    title: string
  ) {
    const content = storableText(message.content)
    const [grown] = yield* sql.query<{ last_position: number }>(text.grow, [...key, storedBytes(content), title])
    const params = [...key, grown?.last_position, message.id, message.role, content, message.author ?? null]
    const [row] = yield* sql.query<{ created_at: Date; parent_id: string | null }>(text.add, params)
    const stored: Answered["message"] = {
      ...message,
      content,
      parentId: row?.parent_id ?? null,
      versions: [],
      state: "complete",
      model: undefined,
      sources: [],
      unread: [],
      createdAt: row?.created_at.getTime() ?? 0
    }
    return stored
  })

  const moved = Effect.fnUntraced(function* (sql: Sql, key: Key, to: "open" | "solved", assignee: string) {
    const [row] = yield* sql.query<HandoverRow>(text.move, [...key, to, assignee])
    return row && handoverOf(row)
  })

  return { lock, stateOf, add, moved }
}

/** The operations of visitors on hand-overs, each in one transaction. */
const makeVisitors = (text: Texts) => {
  const { add, lock, stateOf } = makeParts(text)

  const ask = Effect.fnUntraced(function* (sql: Sql, input: AskForPersonInput) {
    const { continues, email = null, language, page = null } = input
    const key = keyOfVisitor(input)
    const isThere = yield* lock(sql, key)
    if (!isThere && continues) return undefined
    if (!isThere) yield* sql.query(text.begin, key)
    const before = yield* stateOf(sql, key)
    const isNew = !isWithPerson(before)
    const [row] = yield* sql.query<HandoverRow>(text.ask, [...key, isNew ? "waiting" : before, email, page, language])
    return row && { handover: handoverOf(row), isNew }
  })

  const say = Effect.fnUntraced(function* (sql: Sql, { content, title, ...chat }: SayInput) {
    const key = keyOfVisitor(chat)
    if (!(yield* lock(sql, key))) return undefined
    const state = yield* stateOf(sql, key)
    if (!isWithPerson(state)) return undefined
    yield* add(sql, key, { id: crypto.randomUUID(), role: "user", content }, storableText(title))
    yield* sql.query(text.saw, key)
    return state
  })

  return { ask, say }
}

/** The operations of the bot's owner on hand-overs, each in one transaction. */
const makeOwners = (text: Texts) => {
  const { add, lock, moved } = makeParts(text)

  /** Locks the conversation until the transaction ends, and returns its key; undefined if it does not exist. */
  const locked = Effect.fnUntraced(function* (sql: Sql, { bot, botOwner, chatId }: OwnedChat) {
    const [row] = yield* sql.query<{ visitor: string }>(text.visitor, [botOwner, bot, uuidOrNil(chatId)])
    const key = [botOwner, bot, row?.visitor ?? "", uuidOrNil(chatId)]
    return row !== undefined && (yield* lock(sql, key)) ? key : undefined
  })

  const answer = Effect.fnUntraced(function* (sql: Sql, { author, content, id, ...chat }: AnswerInput) {
    const key = yield* locked(sql, chat)
    if (key === undefined) return undefined
    const message = yield* add(sql, key, { id, role: "assistant", content, author: storableText(author) }, "")
    yield* moved(sql, key, "open", chat.botOwner)
    const counted = yield* sql.query(text.countMail, [...key, GONE_AFTER_MS, MAX_VISITOR_MAILS])
    return { message, mailDue: counted.length > 0 }
  })

  const move = Effect.fnUntraced(function* (sql: Sql, { to, ...chat }: OwnedChat & { readonly to: "open" | "solved" }) {
    const key = yield* locked(sql, chat)
    return key && (yield* moved(sql, key, to, chat.botOwner))
  })

  return { answer, move }
}

const make = Effect.map(Database, (database) => {
  const text = handoverTexts(database.schema)
  const { ask, say } = makeVisitors(text)
  const { answer, move } = makeOwners(text)
  const { asService, statement, statementAsUser } = database

  return Handovers.of({
    ask: (input) => storing("Handovers.ask")(asService((sql) => ask(sql, input))),
    say: (input) => storing("Handovers.say")(asService((sql) => say(sql, input))),
    look: (chat) =>
      storing("Handovers.look")(
        Effect.map(
          statement<HandoverRow & { readonly newest_id: string | null }>(text.look, keyOfVisitor(chat)),
          ([row]) => row && { handover: handoverOf(row), newestId: row.newest_id ?? undefined }
        )
      ),
    answer: (input) => storing("Handovers.answer")(asService((sql) => answer(sql, input))),
    move: (input) => storing("Handovers.move")(asService((sql) => move(sql, input))),
    counts: (botOwner, bot) =>
      storing("Handovers.counts")(
        Effect.map(
          statementAsUser<{ state: HandoverState; conversations: number }>(botOwner, text.counts, [botOwner, bot]),
          (rows) => {
            const counts = { waiting: 0, open: 0, solved: 0 }
            for (const { conversations, state } of rows) counts[state] = Number(conversations)
            return counts
          }
        )
      )
  })
})

/** Hand-overs in Postgres or PGlite. The service writes them, and every statement has a condition on the owner. */
export const PgHandoversLayer: Layer.Layer<Handovers, never, Database> = Layer.effect(Handovers, make)

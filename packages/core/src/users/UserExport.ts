import { Clock, Context, Effect, Layer, Option, Stream } from "effect"
import { AuditLog } from "../audit/AuditLog.ts"
import { BillingStore } from "../billing/BillingStore.ts"
import { PaymentEventStore } from "../billing/inbox/PaymentEventStore.ts"
import { BotStore } from "../bots/BotStore.ts"
import { MAX_IMAGE_BYTES } from "../chat/images/Image.ts"
import { ImageStore } from "../chat/images/ImageStore.ts"
import { ProjectStore } from "../chat/projects/ProjectStore.ts"
import { ChatRecords, ChatStore } from "../chat/store/ChatStore.ts"
import { MAX_PAGE_BYTES } from "../chat/store/StoredChat.ts"
import { CreditRecords } from "../credits/CreditLedger.ts"
import { CrmConnectionStore } from "../crm/CrmConnectionStore.ts"
import type { DocumentKey } from "../documents/Document.ts"
import { DocumentStore } from "../documents/storing/DocumentStore.ts"
import { FileStore } from "../documents/storing/FileStore.ts"
import { DeliveryRecords } from "../events/Outbox.ts"
import type { UserId } from "../identity/UserId.ts"
import { JobQueue } from "../jobs/JobQueue.ts"
import { PreferenceStore } from "../preferences/Preferences.ts"
import { SecurityEvents } from "../security/SecurityEvents.ts"
import { SignInStore } from "../signin/SignInStore.ts"
import { type Cursor, ownCursor } from "../storage/Cursor.ts"
import type { StorageFailed } from "../storage/StorageFailed.ts"
import { UserNotFound } from "./errors.ts"
import * as lines from "./exportLines.ts"
import { EXPORT_VERSION, type ExportLine } from "./exportLines.ts"
import { PersonalData } from "./PersonalData.ts"

export { EXPORT_KINDS, EXPORT_VERSION, type ExportKind, type ExportLine } from "./exportLines.ts"

/** The number of rows in one read; `LONG_PAGE` for rows that may be long. */
const PAGE = 100
const LONG_PAGE = 10

/** The number of bytes of a file in one read. */
const PIECE_BYTES = 256 * 1024

/** Reads all rows of a list page by page; each page begins after the last row of the previous one. */
const paged = <A, K>(
  limit: number,
  read: (after: K | undefined) => Effect.Effect<ReadonlyArray<A>, StorageFailed>,
  keyOf: (last: A) => K
): Stream.Stream<A, StorageFailed> =>
  Stream.paginate(undefined as K | undefined, (after) =>
    Effect.map(read(after), (page) => {
      const last = page.at(-1)
      return [page, last === undefined || page.length < limit ? Option.none() : Option.some(keyOf(last))] as const
    })
  )

/** The lines of the account and its payments. */
const makeAccountLines = Effect.gen(function* () {
  const billing = yield* BillingStore
  const events = yield* PaymentEventStore
  const records = yield* CreditRecords
  const preferences = yield* PreferenceStore
  const signIns = yield* SignInStore

  const signIn = (userId: UserId) =>
    Stream.fromArrayEffect(
      Effect.map(signIns.find(userId), (person) => (person === undefined ? [] : [lines.signInLine(person)]))
    )

  const credits = (userId: UserId) =>
    Stream.concat(
      Stream.fromEffect(Effect.map(records.account(userId), lines.accountLine)),
      Stream.paginate(undefined as number | undefined, (upto) =>
        Effect.map(
          records.history({ userId, limit: PAGE, offset: 0, type: undefined, upto }),
          ({ next, transactions }) => [transactions.map(lines.transactionLine), Option.fromUndefinedOr(next)] as const
        )
      )
    ).pipe(Stream.catchTag("AccountNotFound", () => Stream.empty))

  const payments = (userId: UserId) =>
    Stream.concat(
      Stream.fromArrayEffect(
        Effect.map(Effect.all([billing.account(userId), billing.bought(userId)]), ([account, bought]) => [
          ...lines.billingLines(account),
          ...bought.map(lines.purchaseLine)
        ])
      ),
      Stream.paginate(undefined as Cursor | undefined, (after) =>
        Effect.map(
          ownCursor(events.list({ state: undefined, userId, limit: LONG_PAGE, after })),
          ({ next, rows }) => [rows.map(lines.paymentEventLine), Option.fromUndefinedOr(next)] as const
        )
      )
    )

  const account = (userId: UserId) =>
    Stream.concat(credits(userId), signIn(userId)).pipe(
      Stream.concat(Stream.fromArrayEffect(Effect.map(preferences.get(userId), lines.preferenceLines)))
    )

  return { account, payments }
})

/** The lines of the images of chats; each image is read separately. */
const makeImageLines = Effect.map(
  ImageStore,
  (images) => (userId: UserId) =>
    paged(
      PAGE,
      (after: string | undefined) => images.list(userId, { after, limit: PAGE }),
      (id) => id
    ).pipe(
      Stream.mapEffect((id) => images.read(userId, [id], MAX_IMAGE_BYTES)),
      Stream.flatMap((read) => Stream.fromIterable(read.map(lines.imageLine)))
    )
)

/** The lines of chats, and of bots with their conversations. */
const makeChatLines = Effect.gen(function* () {
  const bots = yield* BotStore
  const chats = yield* ChatStore
  const chatRecords = yield* ChatRecords
  const crm = yield* CrmConnectionStore
  const imageLines = yield* makeImageLines
  const projects = yield* ProjectStore

  const messages = (userId: UserId, chatId: string) =>
    Stream.paginate(undefined as string | undefined, (before) =>
      Effect.map(
        chats.transcript({
          owner: { person: userId },
          chatId,
          branch: "all",
          limit: PAGE,
          before,
          maxBytes: MAX_PAGE_BYTES
        }),
        (page) => {
          // The chat was deleted meanwhile.
          if (page === undefined) return [[], Option.none<string>()] as const
          const said = page.messages.toReversed().map((message) => lines.messageLine(chatId, message))
          const first = page.messages[0]
          const head = before === undefined ? [lines.chatLine(page)] : []
          const next = page.hasEarlier && first !== undefined ? Option.some(first.id) : Option.none<string>()
          return [[...head, ...said], next] as const
        }
      )
    )

  const ofChats = (userId: UserId) =>
    Stream.concat(
      Stream.fromArrayEffect(Effect.map(projects.list(userId), (all) => all.map(lines.projectLine))),
      paged(
        PAGE,
        (after: string | undefined) => chatRecords.listById({ userId, after, limit: PAGE }),
        ({ id }) => id
      ).pipe(Stream.flatMap(({ id }) => messages(userId, id)))
    ).pipe(Stream.concat(imageLines(userId)))

  const ofBots = (owner: UserId) =>
    Stream.fromIterableEffect(bots.list(owner)).pipe(
      Stream.flatMap((bot) =>
        Stream.make(lines.botLine(bot)).pipe(
          Stream.concat(
            Stream.fromArrayEffect(
              Effect.map(crm.list({ owner, botId: bot.id }), (all) => all.map(lines.crmConnectionLine))
            )
          ),
          Stream.concat(
            paged(
              PAGE,
              (after: string | undefined) =>
                chatRecords.conversationsById({ botOwner: owner, bot: bot.id, after, limit: PAGE }),
              ({ id }) => id
            ).pipe(Stream.map(lines.conversationLine))
          )
        )
      )
    )

  return { ofChats, ofBots }
})

/** The lines of jobs, events and the audit log. */
const makeRecordLines = Effect.gen(function* () {
  const audit = yield* AuditLog
  const deliveries = yield* DeliveryRecords
  const jobs = yield* JobQueue

  const ofJobs = (owner: UserId) =>
    Stream.paginate(undefined as Cursor | undefined, (after) =>
      Effect.map(ownCursor(jobs.list(owner, { limit: PAGE, after })), ({ jobs: page, next }) => [
        page.map(lines.jobLine),
        Option.fromUndefinedOr(next)
      ])
    )

  const ofEvents = (account: UserId) =>
    paged(
      PAGE,
      (after: { readonly eventId: string; readonly destination: string } | undefined) =>
        deliveries.ofAccount({ account, after, limit: PAGE }),
      ({ destination, event }) => ({ eventId: event.id, destination })
    ).pipe(Stream.map(lines.eventLine))

  const ofAudit = (userId: UserId) =>
    paged(
      PAGE,
      (before: number | undefined) => audit.list({ userId, since: undefined, before, limit: PAGE }),
      ({ number }) => number
    ).pipe(Stream.map(lines.auditLine))

  return { ofJobs, ofEvents, ofAudit }
})

/**
 * Returns a function that is true if any data about a person is stored; first it checks the data that an erasure
 * counts.
 */
const makeIsKnown = Effect.gen(function* () {
  const billing = yield* BillingStore
  const bots = yield* BotStore
  const data = yield* PersonalData
  const images = yield* ImageStore
  const preferences = yield* PreferenceStore
  const projects = yield* ProjectStore
  const signIns = yield* SignInStore
  return Effect.fnUntraced(function* (userId: UserId) {
    const counted = yield* data.count(userId)
    if (counted.chats + counted.documents + counted.transactions > 0) return true
    if ((yield* bots.list(userId)).length > 0 || (yield* billing.bought(userId)).length > 0) return true
    if ((yield* signIns.find(userId)) !== undefined) return true
    if ((yield* projects.list(userId)).length > 0) return true
    if ((yield* images.list(userId, { after: undefined, limit: 1 })).length > 0) return true
    if (lines.preferenceLines(yield* preferences.get(userId)).length > 0) return true
    return lines.billingLines(yield* billing.account(userId)).length > 0
  })
})

/** The operator who requests an export, and the reason. */
export interface ExportAsked {
  readonly by: string
  readonly reason: string | undefined
}

/** Exports all stored data about a person, with which operators answer a request for access. */
export class UserExport extends Context.Service<
  UserExport,
  {
    /**
     * Returns all data about a person, one line after another, read in pages on demand: first a line `export`, last a
     * line `end` with the number of lines before it. The pages are read one after another, so concurrent changes may be
     * included or not. The export contains no access tokens, no messages of visitors of the person's bots (but the
     * files that they attached, which are documents of the person), and no data that is derived from the included data.
     * Records the request in the audit log, if the person exists.
     */
    lines(userId: UserId, asked: ExportAsked): Stream.Stream<ExportLine, UserNotFound | StorageFailed>
    /** Returns the uploaded bytes of a document, in chunks; empty if its owner has no such document. */
    file(document: DocumentKey): Stream.Stream<Uint8Array, StorageFailed>
  }
>()("@parley/core/users/UserExport") {
  static readonly layer = Layer.effect(
    UserExport,
    Effect.gen(function* () {
      const audit = yield* AuditLog
      const isKnown = yield* makeIsKnown
      const documents = yield* DocumentStore
      const files = yield* FileStore
      const security = yield* SecurityEvents
      const { account, payments } = yield* makeAccountLines
      const { ofBots, ofChats } = yield* makeChatLines
      const { ofAudit, ofEvents, ofJobs } = yield* makeRecordLines

      const everything = (userId: UserId): Stream.Stream<ExportLine, StorageFailed> => {
        const parts: ReadonlyArray<Stream.Stream<ExportLine, StorageFailed>> = [
          account(userId),
          payments(userId),
          ofChats(userId),
          Stream.fromArrayEffect(Effect.map(documents.list(userId), (all) => all.map(lines.documentLine))),
          ofBots(userId),
          ofJobs(userId),
          ofEvents(userId),
          ofAudit(userId)
        ]
        return Stream.flatMap(Stream.fromArray(parts), (part) => part)
      }

      return UserExport.of({
        file: (document) =>
          Stream.paginate(0, (offset) =>
            Effect.map(files.readSome({ ...document, offset, length: PIECE_BYTES }), (piece) =>
              piece === undefined || piece.byteLength === 0
                ? ([[], Option.none<number>()] as const)
                : ([[piece], Option.some(offset + piece.byteLength)] as const)
            )
          ),
        lines: (userId, { by, reason }) =>
          Stream.unwrap(
            Effect.gen(function* () {
              if (!(yield* isKnown(userId))) return yield* new UserNotFound({ userId })
              yield* audit.record({ action: "users export", by, userId, reason, details: "" })
              yield* security.record({ event: "exported", userId })
              const at = new Date(yield* Clock.currentTimeMillis).toISOString()
              let count = 1
              const first: ExportLine = { kind: "export", data: { version: EXPORT_VERSION, user: userId, at } }
              const rest = Stream.map(everything(userId), (line) => {
                count++
                return line
              })
              const end = Stream.suspend(() => Stream.make<[ExportLine]>({ kind: "end", data: { lines: count } }))
              return Stream.make<[ExportLine]>(first).pipe(Stream.concat(rest), Stream.concat(end))
            })
          )
      })
    })
  )
}

import type { BillingService } from "../billing/BillingService.ts"
import type { PaymentInbox } from "../billing/PaymentInbox.ts"
import type { BotService } from "../bots/BotService.ts"
import type { ChatRequest } from "../chat/ChatRequest.ts"
import type { ChatOwner, ChatService } from "../chat/ChatService.ts"
import type { OnDisconnect } from "../chat/reply/Reply.ts"
import type { ModelOffers } from "../chat/ModelOffers.ts"
import type { ReplyParties } from "../chat/reply/Reply.ts"
import type { Source } from "../chat/store/StoredChat.ts"
import type { CrmAccess } from "../crm/CrmAccess.ts"
import type { CrmService } from "../crm/CrmService.ts"
import type { DocumentFile, DocumentService, PartOfDocument } from "../documents/DocumentService.ts"
import type { UserId } from "../identity/UserId.ts"
import type { ImageService } from "../chat/images/ImageService.ts"
import type { ProjectService } from "../chat/projects/ProjectService.ts"
import type { PreferenceService } from "../preferences/Preferences.ts"
import type { ServiceKeys } from "../keys/ServiceKeys.ts"
import type { SignOut } from "../sessions/SignOut.ts"
import type { ActionAsked } from "../audit/ActionAsked.ts"
import type { EventService } from "../events/EventService.ts"
import type { JobService } from "../jobs/JobService.ts"
import type { MoneyReports } from "../users/MoneyReports.ts"
import type { OperatorReports } from "../users/OperatorReports.ts"
import type { UserAccess } from "../users/UserAccess.ts"
import type { ExportLine } from "../users/UserExport.ts"
import type { UserImport } from "../users/importing/UserImport.ts"
import type { UserService } from "../users/UserService.ts"
import type { ConversationService } from "../widget/ConversationService.ts"
import type { BotAnalytics } from "../widget/analytics/BotAnalytics.ts"
import type { HandoverService } from "../widget/handover/HandoverService.ts"
import type { CallersClient, CallersClients, CallersTransaction } from "../storage/CallersTransaction.ts"
import type { CallsOf } from "./callsOf.ts"
import type { CreditCalls, JoinedCreditCalls } from "./creditCalls.ts"
import type { ParleyRuntime } from "./ParleyCalls.ts"

/** A reply whose first words have arrived. */
export interface SentReply {
  readonly chatId: string
  readonly messageId: string
  /** The public id of the model that answers: the requested model, or its fallback. */
  readonly model: string
  readonly sources: ReadonlyArray<Source>
  /** The named documents that were left out because they are not ready. */
  readonly pendingDocuments: ReadonlyArray<string>
  /** The named documents that are ready, but of which the model read nothing: the first 100. */
  readonly unreadDocuments: ReadonlyArray<string>
  /** The maximum number of output tokens, if the balance did not cover the longest reply; otherwise undefined. */
  readonly limitedTo: number | undefined
  /**
   * The text as it is written. Ends when the reply is complete and charged; errors with `ModelFailed` if the model
   * failed half-way. Cancelling the stream stops the model and charges the delivered text, unless the reply was sent
   * with `continue`. Read the stream or cancel it.
   */
  readonly stream: ReadableStream<string>
  /** Reads the stream to its end. */
  text(): Promise<string>
}

/** A document with its bytes, or a part of them. Read the stream once, or cancel it. */
export interface OpenedFile extends Omit<DocumentFile, "bytes"> {
  readonly stream: ReadableStream<Uint8Array>
}

/** A running reply that a further reader joins. */
export type RejoinedReply = Pick<SentReply, "chatId" | "messageId" | "model" | "stream" | "text">

export interface SendOptions {
  readonly signal?: AbortSignal
  /**
   * With `continue`, the reply continues and is charged to its end if its stream is cancelled; otherwise it ends then.
   */
  readonly onDisconnect?: OnDisconnect
}

/**
 * Parley with promises. A promise rejects with the failure of its service, which is one of the exported error classes
 * (see `ParleyError`); with `InvalidInput` if a parameter does not match its type; or with the reason of the given
 * abort signal. Each group contains the calls that its services list (`inputs`); calls with a stream are declared here.
 */
export interface Parley {
  readonly chat: CallsOf<typeof ChatService> & {
    /**
     * Sends messages and returns the reply. Rejects with one of `SendFailed`; then nothing was charged. After a
     * `ModelFailed` with the `code` `provider_rate_limited` or `provider_unavailable` a retry may succeed, after
     * `retryAfterMs` if given. An abort after the first words cancels the stream. `sender` is one person who asks, pays
     * and owns the documents, or the parties of the reply.
     */
    send(sender: UserId | ReplyParties, request: ChatRequest, options?: SendOptions): Promise<SentReply>
    /**
     * Returns a running reply of a chat that continues without its reader, on any process, from its beginning;
     * undefined if none is running. It is the newest running reply unless `messageId` names another. The reply
     * continues if its stream is cancelled. Rejects with `ChatNotFound` or `ModelFailed`.
     */
    join(owner: ChatOwner, chatId: string, messageId?: string): Promise<RejoinedReply | undefined>
  }
  readonly documents: Omit<CallsOf<typeof DocumentService>, "file"> & {
    /** Returns the uploaded file, for example to show a page of a pdf. Rejects with `DocumentNotFound`. */
    file(userId: UserId, documentId: string, part?: PartOfDocument): Promise<OpenedFile>
  }
  readonly bots: CallsOf<typeof BotService> & CallsOf<typeof BotAnalytics>
  /** The conversations of visitors, for the owners of bots. */
  readonly conversations: CallsOf<typeof ConversationService> & CallsOf<typeof HandoverService>
  readonly crm: CallsOf<typeof CrmService> & CallsOf<typeof CrmAccess>
  readonly billing: CallsOf<typeof BillingService> & CallsOf<typeof PaymentInbox>
  readonly sessions: CallsOf<typeof SignOut>
  /** Keys with which back ends of the operator call the HTTP interface. */
  readonly keys: CallsOf<typeof ServiceKeys>
  /** The actions of operators on a person as a whole. */
  readonly users: CallsOf<typeof UserAccess> &
    CallsOf<typeof UserService> &
    CallsOf<typeof UserImport> & {
      /**
       * All stored data about a person, one line after another, read on demand: first a line `export`, last a line
       * `end`. The stream errors with `UserNotFound` if no data is stored. Recorded in the audit log.
       */
      export(userId: UserId, asked?: ActionAsked): Promise<ReadableStream<ExportLine>>
    }
  /**
   * The reports for operators: people, the audit log, the charges and payments of days, and the state of the service.
   */
  readonly reports: CallsOf<typeof OperatorReports> & CallsOf<typeof MoneyReports>
  /** The deliveries of events to hooks and webhooks. */
  readonly events: CallsOf<typeof EventService>
  /** Queued work of all people. */
  readonly jobs: CallsOf<typeof JobService>
  /** The images of people's messages. */
  readonly images: CallsOf<typeof ImageService>
  /** Folders of people's own chats, with instructions and documents for all replies in them. */
  readonly projects: CallsOf<typeof ProjectService>
  /** The preferences of people for replies to their own chats. */
  readonly preferences: CallsOf<typeof PreferenceService>
  /** The models of the person's tier. */
  readonly models: CallsOf<typeof ModelOffers>["models"]
  readonly credits: CreditCalls
  /**
   * Runs `work` in a transaction on a client of the caller's own pool, on the same Postgres server: `tx` is the client,
   * and `credits` are the calls that are part of the transaction. If `work` resolves, the caller's rows and the credits
   * are committed together. If it rejects, for example because a grant was refused, both are rolled back and the
   * promise rejects with the same error. Await each call before the next use of `tx`. Rejects with
   * `TransactionConflict` if another transaction changed the same rows first: call `transaction` again.
   */
  transaction<Client extends CallersClient, A>(
    pool: CallersClients<Client>,
    work: (tx: Client, credits: JoinedCreditCalls) => Promise<A>
  ): Promise<A>
  /**
   * The credit calls within a transaction that the caller has begun on the same Postgres server, for example with a
   * query builder: the changes of these calls are committed, or rolled back, together with the caller's rows. Await
   * each call before the next use of the client. A call that rejects undoes only its own changes, and the transaction
   * can continue; if a refusal must undo everything, the caller rolls back. Rejects with `TransactionNotJoined` if the
   * client has no transaction that the calls can join, and with `TransactionConflict` if only a new transaction can
   * succeed.
   */
  in(transaction: CallersTransaction): { readonly credits: JoinedCreditCalls }
  /** Ends open replies as if their readers had left, and the background work. The given adapters stay open. */
  close(): Promise<void>
}

/** The key of the runtime, which is the same in two copies of this package. */
const RUNTIME = Symbol.for("@parley/core/runtime")

export const withRuntime = (parley: Parley, runtime: ParleyRuntime): Parley =>
  Object.assign(parley, { [RUNTIME]: runtime })

/** Returns the services of a Parley that `createParley` made: for programs in Effect, and for the HTTP adapter. */
export const runtimeOf = (parley: Parley): ParleyRuntime => {
  const runtime = (parley as { readonly [RUNTIME]?: ParleyRuntime })[RUNTIME]
  if (runtime === undefined) throw new TypeError("Expected a Parley of createParley.")
  return runtime
}

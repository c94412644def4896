import type { ManagedRuntime } from "effect"
import type { CheckoutLinkInput, Offer, PortalLinkInput, SubscriptionState } from "../billing/BillingService.ts"
import type { Invoice, SignedEvent } from "../billing/PaymentGateway.ts"
import type { HandledEvent } from "../billing/inbox/catchUp.ts"
import type { CrmAccessToken } from "../crm/CrmAccess.ts"
import type { CrmConnectionName } from "../crm/CrmConnection.ts"
import type { Revocation } from "../crm/CrmRelease.ts"
import type { BegunConnection, CallbackInput, CallbackOutcome, ConnectInput, CrmOffer } from "../crm/CrmService.ts"
import type { Bot } from "../bots/Bot.ts"
import type { BotChange, BotDraft } from "../bots/BotDraft.ts"
import type { Chat, Source } from "../chat/store/StoredMessage.ts"
import type { ChatRequest } from "../chat/ChatRequest.ts"
import type { ChatOwner, ChatPage, OnDisconnect, ReadChat } from "../chat/ChatService.ts"
import type { ChatList, ListChatsInput } from "../chat/store/ChatStore.ts"
import type { ReplyParties } from "../chat/reply/ReplyParties.ts"
import type { Document } from "../documents/Document.ts"
import type { DocumentFile, ExcerptOfDocument, UploadInput } from "../documents/DocumentService.ts"
import type { UserId } from "../identity/UserId.ts"
import type { ParleyServices } from "../parleyLayer.ts"
import type { SignOutInput } from "../sessions/SignOut.ts"
import type { TierName } from "../tiers/Tier.ts"
import type { OfferedModel } from "../chat/ModelOffers.ts"
import type { CallersClient, CallersClients, CallersTransaction } from "../storage/CallersTransaction.ts"
import type { CreditCalls, JoinedCreditCalls } from "./CreditCalls.ts"

/** A reply whose first words have arrived. */
export interface SentReply {
  readonly chatId: string
  readonly messageId: string
  /** The public id of the model that answers: the one asked for, or its fallback. */
  readonly model: string
  readonly sources: ReadonlyArray<Source>
  /** Named documents that are not ready and were left out. */
  readonly pendingDocuments: ReadonlyArray<string>
  /** Where the balance bought less than the longest reply: the output tokens it bought. */
  readonly limitedTo: number | undefined
  /**
   * The text as it is written. Ends when the reply is complete and settled; errors with `ModelFailed` where the model
   * failed half-way. Cancelling it stops the model and charges what was delivered, unless the reply was sent to go on.
   * Read it, or cancel it.
   */
  readonly stream: ReadableStream<string>
  /** Reads the stream to its end. */
  text(): Promise<string>
}

/** Part of a text, in UTF-16 units, or of a file, in bytes: from `from` to before `to`, the whole unless given. */
export interface PartOfDocument {
  readonly from?: number
  readonly to?: number
}

/** A document with its bytes, or some of them. The stream is read once, at its reader's pace, or cancelled. */
export interface OpenedFile extends Omit<DocumentFile, "bytes"> {
  readonly stream: ReadableStream<Uint8Array>
}

/** A reply that runs already. */
export type RejoinedReply = Pick<SentReply, "chatId" | "messageId" | "model" | "stream" | "text">

export interface SendOptions {
  readonly signal?: AbortSignal
  /** With `continue` the reply goes on, and costs, when its stream is cancelled; it ends then unless given. */
  readonly onDisconnect?: OnDisconnect
}

/**
 * Parley with promises. Every rejection is one of the exported error classes (see `ParleyError`), or the reason of the
 * abort signal given.
 */
export interface Parley {
  readonly chat: {
    /**
     * Rejects with one of `SendFailed`; then nothing was charged. A `ModelFailed` whose `code` is
     * `provider_rate_limited` or `provider_unavailable` may pass, after `retryAfterMs` where the provider told it. An
     * abort after the first words cancels the stream. Who asks, pays and owns the documents is one person, or the parties
     * of the reply.
     */
    send(sender: UserId | ReplyParties, request: ChatRequest, options?: SendOptions): Promise<SentReply>
    /**
     * The reply of a chat that goes on without its reader, on whatever process, from its beginning; undefined where none
     * runs. Cancelling its stream ends nothing. Rejects with `ChatNotFound` or `ModelFailed`.
     */
    join(owner: ChatOwner, chatId: string): Promise<RejoinedReply | undefined>
    /** Ends the replies of a chat that go on without their reader. Rejects with `ChatNotFound`. */
    stop(owner: ChatOwner, chatId: string): Promise<void>
    list(input: ListChatsInput): Promise<ChatList>
    /** A page of a chat: its newest messages unless asked otherwise. Rejects with `ChatNotFound`. */
    get(owner: ChatOwner, chatId: string, page?: ChatPage): Promise<ReadChat>
    /** Rejects with `ChatNotFound`. */
    remove(owner: ChatOwner, chatId: string): Promise<void>
    /** Rejects with `InvalidChatChange` or `ChatNotFound`. */
    rename(userId: UserId, chatId: string, title: string): Promise<Chat>
    /** Gives the ids kept. Rejects with `InvalidChatChange`, `ChatNotFound`, `DocumentNotFound` or `DocumentForbidden`. */
    keepDocuments(userId: UserId, chatId: string, documentIds: ReadonlyArray<string>): Promise<ReadonlyArray<string>>
  }
  readonly documents: {
    /** Rejects with `FileRejected` or `DocumentQuotaExceeded`. */
    upload(input: UploadInput): Promise<Document>
    /** Rejects with `InvalidDocumentId`, `DocumentNotFound` or `DocumentForbidden`. */
    vectorize(userId: UserId, documentId: string): Promise<Document>
    list(userId: UserId): Promise<ReadonlyArray<Document>>
    /** Rejects with `DocumentNotFound`. */
    get(userId: UserId, documentId: string): Promise<Document>
    /**
     * The text around a citation: of the text that sources give the offsets of, what lies in `part`, at most `MAX_EXCERPT`
     * UTF-16 units, with the pages it is on. Rejects with `DocumentNotFound` or, before it is ready, `DocumentNotIndexed`.
     */
    excerpt(userId: UserId, documentId: string, part?: PartOfDocument): Promise<ExcerptOfDocument>
    /** The file as it was uploaded, for example to show the page of a pdf. Rejects with `DocumentNotFound`. */
    file(userId: UserId, documentId: string, part?: PartOfDocument): Promise<OpenedFile>
    /** Rejects with `DocumentNotFound`. */
    remove(userId: UserId, documentId: string): Promise<void>
  }
  readonly bots: {
    /** Rejects with `InvalidBot`, `TooManyBots`, `DocumentNotFound` or `DocumentForbidden`. */
    create(owner: UserId, draft: BotDraft): Promise<Bot>
    /** Rejects with `InvalidBot`, `BotNotFound`, `DocumentNotFound` or `DocumentForbidden`. */
    update(owner: UserId, botId: string, change: BotChange): Promise<Bot>
    /** Newest first. */
    list(owner: UserId): Promise<ReadonlyArray<Bot>>
    /** Rejects with `BotNotFound`. */
    get(owner: UserId, botId: string): Promise<Bot>
    /** Deletes the bot with its keys, conversations and connections to CRMs. Rejects with `BotNotFound`. */
    remove(owner: UserId, botId: string): Promise<void>
    /** Adds a public key beside the others. Rejects with `BotNotFound` or `TooManyBotKeys`. */
    addKey(owner: UserId, botId: string): Promise<Bot>
    /** Rejects with `BotNotFound`, `BotKeyNotFound` or, for the only key, `LastBotKey`. */
    retireKey(owner: UserId, botId: string, publicKey: string): Promise<Bot>
  }
  readonly crm: {
    /** Rejects with `CrmProviderNotFound`, `BotNotFound` or `CrmNotConfigured`. */
    connect(input: ConnectInput): Promise<BegunConnection>
    /** Rejects with `CrmStateUnknown` where the state names no bot; what else fails is in the outcome. */
    callback(input: CallbackInput): Promise<CallbackOutcome>
    /** Rejects with `BotNotFound`. */
    list(owner: UserId, botId: string): Promise<ReadonlyArray<CrmOffer>>
    /** Rejects with `CrmProviderNotFound`, `BotNotFound` or `CrmNotConnected`. */
    disconnect(owner: UserId, botId: string, provider: string): Promise<{ readonly revocation: Revocation }>
    /** A token that is valid for a minute at least. Rejects with one of `CrmAccessFailed`. */
    accessToken(name: CrmConnectionName): Promise<CrmAccessToken>
  }
  readonly credits: CreditCalls
  /**
   * Runs `work` in a transaction on a client of the caller's own pool, on the same Postgres server: `tx` is the client,
   * `credits` are the calls that take part in its transaction. If `work` resolves, the caller's rows and the credits are
   * committed together. If it rejects, for example because a grant was refused, both are rolled back and the promise
   * rejects with the same error. Await each call before the next use of `tx`. Rejects with `TransactionConflict` if
   * another transaction changed the same rows first: call `transaction` again.
   */
  transaction<Client extends CallersClient, A>(
    pool: CallersClients<Client>,
    work: (tx: Client, credits: JoinedCreditCalls) => Promise<A>
  ): Promise<A>
  /**
   * The credits within a transaction that the caller began on the same Postgres server, for example by a query builder:
   * what these calls do is committed, or rolled back, together with the caller's rows. Await each call before the next use
   * of the client. A call that rejects undoes what it did and no more, and the transaction can go on; if a refusal must undo
   * everything, the caller rolls back. Rejects with `TransactionNotJoined` if the client is in no transaction that can
   * take part, and with `TransactionConflict` if only a new transaction can succeed.
   */
  in(transaction: CallersTransaction): { readonly credits: JoinedCreditCalls }
  readonly billing: {
    /** Rejects with `PaymentsNotConfigured`, `PaymentUnavailable` or `PaymentRefused`, as all of these. */
    portal(input: PortalLinkInput): Promise<{ readonly url: string }>
    /** Rejects with `PriceNotOffered`. */
    generateCheckoutLink(input: CheckoutLinkInput): Promise<{ readonly url: string }>
    /** Everything on sale, with what it costs. */
    offers(): Promise<ReadonlyArray<Offer>>
    /** What a person has subscribed to, as far as it was reported. */
    subscription(userId: UserId): Promise<SubscriptionState>
    /** Newest first. Rejects with `CustomerNotFound` for a customer that is not the person's. */
    invoices(input: {
      readonly userId: UserId
      readonly customerId: string
      readonly limit: number
    }): Promise<ReadonlyArray<Invoice>>
    /** Takes in what the provider sent, by its raw bytes. Rejects with `InvalidSignature`. */
    receive(signed: SignedEvent): Promise<HandledEvent>
  }
  readonly sessions: {
    /** Ends a session before its token expires: the token is refused from then on, by other processes within two seconds. */
    signOut(input: SignOutInput): Promise<void>
    /** Whether a token belongs to a session that was ended: for servers that verify tokens by themselves. */
    isSignedOut(token: string): Promise<boolean>
  }
  /** What the person's tier offers. */
  models(userId: UserId): Promise<{ readonly tier: TierName; readonly models: ReadonlyArray<OfferedModel> }>
  /** The same services for Effect users and for the HTTP adapter. */
  readonly runtime: ManagedRuntime.ManagedRuntime<ParleyServices, never>
  /** Ends open replies as their readers' leaving would, and the background work. The adapters given stay open. */
  close(): Promise<void>
}

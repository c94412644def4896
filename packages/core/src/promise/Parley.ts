import type { ManagedRuntime } from "effect"
import type { Source } from "../chat/StoredMessage.ts"
import type { ChatRequest } from "../chat/ChatRequest.ts"
import type { ChatOwner, ChatPage } from "../chat/ChatService.ts"
import type { ChatList, ListChatsInput, Transcript } from "../chat/ChatStore.ts"
import type { ReplyParties } from "../chat/ReplyParties.ts"
import type { Balance } from "../credits/Account.ts"
import type { HistoryInput, HistoryPage } from "../credits/CreditLedger.ts"
import type { Receipt } from "../credits/Receipt.ts"
import type { Transaction } from "../credits/Transaction.ts"
import type { Document } from "../documents/Document.ts"
import type { UploadInput } from "../documents/DocumentService.ts"
import type { UserId } from "../identity/UserId.ts"
import type { ParleyServices } from "../parleyLayer.ts"
import type { TierName } from "../tiers/Tier.ts"
import type { OfferedModel } from "../chat/ModelOffers.ts"

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
   * failed half-way. Cancelling it stops the model and charges what was delivered. Read it, or cancel it.
   */
  readonly stream: ReadableStream<string>
  /** Reads the stream to its end. */
  text(): Promise<string>
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
    send(
      from: UserId | ReplyParties,
      request: ChatRequest,
      options?: { readonly signal?: AbortSignal }
    ): Promise<SentReply>
    list(input: ListChatsInput): Promise<ChatList>
    /** A page of a chat: its newest messages unless asked otherwise. Rejects with `ChatNotFound`. */
    get(owner: ChatOwner, chatId: string, page?: ChatPage): Promise<Transcript>
    /** Rejects with `ChatNotFound`. */
    remove(owner: ChatOwner, chatId: string): Promise<void>
  }
  readonly documents: {
    /** Rejects with `FileRejected` or `DocumentQuotaExceeded`. */
    upload(input: UploadInput): Promise<Document>
    /** Rejects with `InvalidDocumentId`, `DocumentNotFound` or `DocumentForbidden`. */
    vectorize(userId: UserId, documentId: string): Promise<Document>
    list(userId: UserId): Promise<ReadonlyArray<Document>>
    /** Rejects with `DocumentNotFound`. */
    get(userId: UserId, documentId: string): Promise<Document>
    /** Rejects with `DocumentNotFound`. */
    remove(userId: UserId, documentId: string): Promise<void>
  }
  readonly credits: {
    balance(userId: UserId): Promise<Balance>
    history(input: HistoryInput): Promise<HistoryPage>
    /** What a reply cost and why. Rejects with `ReceiptNotFound`. */
    receipt(userId: UserId, messageId: string): Promise<Receipt>
    /** Rejects with `AccountNotFound`, `InvalidAmount` or `KeyConflict`. */
    grant(input: { readonly userId: UserId; readonly amount: number; readonly key: string }): Promise<Transaction>
  }
  /** What the person's tier offers. */
  models(userId: UserId): Promise<{ readonly tier: TierName; readonly models: ReadonlyArray<OfferedModel> }>
  /** The same services for Effect users and for the HTTP adapter. */
  readonly runtime: ManagedRuntime.ManagedRuntime<ParleyServices, never>
  /** Ends open replies as their readers' leaving would, and the background work. The adapters given stay open. */
  close(): Promise<void>
}

import * as Base64 from "effect/encoding/Base64"
import type { StoredAuditEntry } from "../audit/AuditLog.ts"
import type { BillingAccount, BoughtCredits, StoredPaymentEvent } from "../billing/BillingAccount.ts"
import type { StoredBot } from "../bots/BotStore.ts"
import type { Project } from "../chat/projects/Project.ts"
import type { StoredImage } from "../chat/images/ImageStore.ts"
import type { BotConversation, Transcript } from "../chat/store/ChatStore.ts"
import type { StoredMessage } from "../chat/store/StoredChat.ts"
import type { Account } from "../credits/Account.ts"
import type { Transaction } from "../credits/Transaction.ts"
import type { StoredCrmConnection } from "../crm/CrmConnectionStore.ts"
import type { Document } from "../documents/Document.ts"
import type { AccountDelivery } from "../events/Outbox.ts"
import type { JobRecord } from "../jobs/JobRecord.ts"
import type { Preferences } from "../preferences/Preferences.ts"
import type { EmailPerson } from "../signin/SignInStore.ts"

/** The version of the format of lines; it increases if a field is removed or changes its meaning. */
export const EXPORT_VERSION = 1

/** The kinds of lines in an export, in the order of their first occurrence. */
export const EXPORT_KINDS = [
  "export",
  "account",
  "sign_in",
  "preferences",
  "transaction",
  "billing",
  "purchase",
  "payment_event",
  "project",
  "chat",
  "message",
  "image",
  "document",
  "bot",
  "crm_connection",
  "conversation",
  "job",
  "event",
  "audit",
  "end"
] as const
export type ExportKind = (typeof EXPORT_KINDS)[number]

/** One line of an export, to be written as JSON, which leaves out undefined fields. Times are ISO 8601, UTC. */
export interface ExportLine {
  readonly kind: ExportKind
  readonly data: Readonly<Record<string, unknown>>
}

/** A time in Unix milliseconds as text. */
const time = (ms: number | undefined): string | undefined => (ms === undefined ? undefined : new Date(ms).toISOString())

export const accountLine = (account: Account): ExportLine => ({
  kind: "account",
  data: {
    ...account,
    userId: undefined,
    anchor: time(account.anchor),
    periodStart: time(account.periodStart),
    nextResetAt: time(account.nextResetAt),
    renewedUntil: time(account.renewedUntil)
  }
})

/** The line of the preferences for replies; no line if none are stored. */
export const preferenceLines = (preferences: Preferences): ReadonlyArray<ExportLine> =>
  preferences.instructions === "" && preferences.modelId === null ? [] : [{ kind: "preferences", data: preferences }]

/** The address with which the person signs in by e-mail. */
export const signInLine = ({ createdAt, email, signedInAt }: EmailPerson): ExportLine => ({
  kind: "sign_in",
  data: { email, createdAt: time(createdAt), signedInAt: time(signedInAt) }
})

export const transactionLine = (row: Transaction): ExportLine => ({
  kind: "transaction",
  data: { ...row, createdAt: time(row.createdAt) }
})

/** The lines of billing; none if the payment provider does not know the person. */
export const billingLines = (known: BillingAccount): ReadonlyArray<ExportLine> =>
  known.customerId === undefined &&
  known.subscriptions.length === 0 &&
  known.followed === undefined &&
  known.invoiceReports.length === 0
    ? []
    : [{ kind: "billing", data: { ...known, userId: undefined } }]

export const purchaseLine = (bought: BoughtCredits): ExportLine => ({
  kind: "purchase",
  data: { ...bought, boughtAt: time(bought.boughtAt) }
})

/** A payment event in the form in which it was received. */
export const paymentEventLine = (event: StoredPaymentEvent): ExportLine => ({
  kind: "payment_event",
  data: { ...event, userId: undefined, createdAt: time(event.createdAt), receivedAt: time(event.receivedAt) }
})

export const projectLine = (project: Project): ExportLine => ({
  kind: "project",
  data: { ...project, createdAt: time(project.createdAt) }
})

export const chatLine = ({
  chat: { createdAt, id, projectId, title, updatedAt },
  documentIds,
  share
}: Pick<Transcript, "chat" | "documentIds" | "share">): ExportLine => ({
  kind: "chat",
  data: {
    ...{ id, title, projectId, documentIds },
    share: share && { ...share, sharedAt: time(share.sharedAt) },
    createdAt: time(createdAt),
    updatedAt: time(updatedAt)
  }
})

export const messageLine = (chatId: string, message: StoredMessage): ExportLine => ({
  kind: "message",
  data: { chatId, ...message, versions: undefined, createdAt: time(message.createdAt) }
})

/** An image of a chat, its bytes in base64. */
export const imageLine = ({ bytes, ...image }: StoredImage): ExportLine => ({
  kind: "image",
  data: { ...image, base64: Base64.encode(bytes) }
})

/** A document; for a file that a visitor attached, also the conversation, but not the visitor. */
export const documentLine = ({ conversation, ...document }: Document): ExportLine => ({
  kind: "document",
  data: {
    ...document,
    userId: undefined,
    conversation: conversation && { botId: conversation.bot, id: conversation.id },
    createdAt: time(document.createdAt)
  }
})

/** A bot with its public keys, which are also visible in the pages of its sites. */
export const botLine = (bot: StoredBot): ExportLine => ({
  kind: "bot",
  data: {
    ...bot,
    owner: undefined,
    keys: bot.keys.map(({ createdAt, publicKey }) => ({ publicKey, createdAt: time(createdAt) })),
    createdAt: time(bot.createdAt),
    updatedAt: time(bot.updatedAt)
  }
})

/**
 * A conversation that the person paid for, without the visitor's messages and browser id, which are data of another
 * person.
 */
export const conversationLine = ({
  createdAt,
  handover,
  id,
  messageCount,
  owner,
  updatedAt
}: BotConversation): ExportLine => ({
  kind: "conversation",
  // The visitor's address is data of another person.
  data: {
    ...{ bot: owner.bot, id, messageCount, state: handover?.state },
    createdAt: time(createdAt),
    updatedAt: time(updatedAt)
  }
})

/**
 * A connection without its tokens. The fields are listed one by one, so that a secret in a later field is not exported.
 */
export const crmConnectionLine = (connection: StoredCrmConnection): ExportLine => {
  const { account, botId, connectedAt, connectedBy, expiresAt, problem, provider, state } = connection
  return {
    kind: "crm_connection",
    data: {
      ...{ bot: botId, provider, account, state, problem, connectedBy },
      connectedAt: time(connectedAt),
      accessExpiresAt: time(expiresAt)
    }
  }
}

/** A job without its payload, which may contain a secret, for example a token to revoke. */
export const jobLine = ({ createdAt, dueAt, endedAt, id, kind, startedAt, state, tries }: JobRecord): ExportLine => ({
  kind: "job",
  data: {
    ...{ id, kind, state, tries },
    createdAt: time(createdAt),
    dueAt: time(dueAt),
    startedAt: time(startedAt),
    endedAt: time(endedAt)
  }
})

export const eventLine = ({ destination, event, state }: AccountDelivery): ExportLine => ({
  kind: "event",
  data: { ...event, destination, state }
})

export const auditLine = (entry: StoredAuditEntry): ExportLine => ({
  kind: "audit",
  data: { ...entry, userId: undefined, address: undefined, at: time(entry.at) }
})

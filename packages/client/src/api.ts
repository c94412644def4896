// Written by `npm run docs:tables` from the table of routes: change that.

/** The confirmation of an erasure. */
export interface AccountDeletion {
  /** Your own id: it confirms the deletion. */
  readonly userId: string
}

/** The credits of a person, in whole credits. */
export interface Balance {
  /** Rest of the credits of the tier for this period; spent first, not carried over. */
  readonly allowance: number
  /** Rest of the credits that were bought or granted; they never expire. */
  readonly topup: number
  /** Credits that running work has set aside. */
  readonly held: number
  /** Credits that were spent or refunded beyond the balance; the next credits repay them. */
  readonly debt: number
  /** Credits that can be spent now: `allowance + topup - held`. */
  readonly available: number
  /** When the next period begins and the allowance is renewed. */
  readonly nextResetAt: string
}

/** The time that one payment covers. */
export interface BillingPeriod {
  /** The unit of the period. */
  readonly unit: "day" | "week" | "month" | "year"
  /** The number of units. */
  readonly count: number
}

/** A bot with its settings and public keys. */
export interface Bot {
  /** The bot's id. */
  readonly id: string
  /** The name that visitors see. */
  readonly displayName: string
  /** The first message that visitors see. */
  readonly welcomeMessage: string
  /** The colour of the widget, as #rrggbb. */
  readonly primaryColor: string
  /** The model that answers: the first of the owner's plan if null, or if the plan no longer has it. */
  readonly modelId: string | null
  /** Instructions for the model, before every conversation: its purpose and its manner. */
  readonly instructions: string
  /** The documents it answers from, of the owner's own. */
  readonly documentIds: ReadonlyArray<string>
  /** The sites that may embed the widget; any site if none is named. */
  readonly allowedSites: ReadonlyArray<string>
  /** The most credits that this bot spends on one UTC day, running replies included; null for the operator's limits alone, which always hold as well. */
  readonly dailyCap: number | null
  /** The text that visitors see when the owner's credits are used up; a neutral sentence where null. */
  readonly declineText: string | null
  /** Questions that the widget offers to begin with. */
  readonly suggestedQuestions: ReadonlyArray<string>
  /** Whether visitors see the passages that a reply cites, with the documents' names. */
  readonly showSources: boolean
  /** Whether it answers. To visitors, one that does not is not there. */
  readonly active: boolean
  /** The public keys that address the bot, oldest first. Each works until it is retired. */
  readonly keys: ReadonlyArray<BotKey>
  /** When the bot was made. */
  readonly createdAt: string
  /** When the bot was last changed. */
  readonly updatedAt: string
}

/** The settings of a bot to change. */
export interface BotChange {
  /** The name that visitors see. */
  readonly displayName?: string
  /** The first message that visitors see. */
  readonly welcomeMessage?: string
  /** The colour of the widget, as #rrggbb. */
  readonly primaryColor?: string
  /** The model that answers: the first of the owner's plan if null, or if the plan no longer has it. */
  readonly modelId?: string | null
  /** Instructions for the model, before every conversation: its purpose and its manner. */
  readonly instructions?: string
  /** The documents it answers from, of the owner's own. */
  readonly documentIds?: ReadonlyArray<string>
  /** The sites that may embed the widget; any site if none is named. */
  readonly allowedSites?: ReadonlyArray<string>
  /** The most credits that this bot spends on one UTC day, running replies included; null for the operator's limits alone, which always hold as well. */
  readonly dailyCap?: number | null
  /** The text that visitors see when the owner's credits are used up; a neutral sentence where null. */
  readonly declineText?: string | null
  /** Questions that the widget offers to begin with. */
  readonly suggestedQuestions?: ReadonlyArray<string>
  /** Whether visitors see the passages that a reply cites, with the documents' names. */
  readonly showSources?: boolean
  /** Whether it answers. To visitors, one that does not is not there. */
  readonly active?: boolean
}

/** The settings of a new bot. */
export interface BotDraft {
  /** The name that visitors see. */
  readonly displayName: string
  /** The first message that visitors see. */
  readonly welcomeMessage?: string
  /** The colour of the widget, as #rrggbb. */
  readonly primaryColor?: string
  /** The model that answers: the first of the owner's plan if null, or if the plan no longer has it. */
  readonly modelId?: string | null
  /** Instructions for the model, before every conversation: its purpose and its manner. */
  readonly instructions?: string
  /** The documents it answers from, of the owner's own. */
  readonly documentIds?: ReadonlyArray<string>
  /** The sites that may embed the widget; any site if none is named. */
  readonly allowedSites?: ReadonlyArray<string>
  /** The most credits that this bot spends on one UTC day, running replies included; null for the operator's limits alone, which always hold as well. */
  readonly dailyCap?: number | null
  /** The text that visitors see when the owner's credits are used up; a neutral sentence where null. */
  readonly declineText?: string | null
  /** Questions that the widget offers to begin with. */
  readonly suggestedQuestions?: ReadonlyArray<string>
  /** Whether visitors see the passages that a reply cites, with the documents' names. */
  readonly showSources?: boolean
  /** Whether it answers. To visitors, one that does not is not there. */
  readonly active?: boolean
}

/** A public key of a bot. */
export interface BotKey {
  /** The key, as the widget of a site names it. */
  readonly publicKey: string
  /** When the key was created. */
  readonly createdAt: string
}

/** The bots of a person. */
export interface BotList {
  /** The bots, newest first. */
  readonly bots: ReadonlyArray<Bot>
}

/** A chat without its messages. */
export interface Chat {
  /** The chat's id. */
  readonly id: string
  /** The title: the owner's, or the beginning of the first message. */
  readonly title: string
  /** When the chat began. */
  readonly createdAt: string
  /** When the chat was last used. */
  readonly updatedAt: string
}

/** The change of a chat. */
export interface ChatChange {
  /** The title: trimmed, 1 to 200 characters. */
  readonly title: string
}

/** The documents of a chat. */
export interface ChatDocuments {
  /** The ids of the documents. */
  readonly documentIds: ReadonlyArray<string>
}

/** A page of chats. */
export interface ChatList {
  /** The chats, last used first. */
  readonly chats: ReadonlyArray<Chat>
  /** The number of all chats. */
  readonly total: number
  /** The most elements of a page, as requested. */
  readonly limit: number
  /** The number of skipped elements, as requested. */
  readonly offset: number
}

/** A message of a chat request. */
export interface ChatMessage {
  /** The author of the message. */
  readonly role: "user" | "assistant" | "system"
  /** The text of the message. */
  readonly content: string
}

/** Messages to answer. */
export interface ChatRequest {
  /** The messages; the last one is the new one of the `user`. In a stored chat only those after the last `assistant` are new. */
  readonly messages: ReadonlyArray<ChatMessage>
  /** The chat to continue; a new one begins without it. */
  readonly chatId?: string
  /** A model of GET /api/models; the first one unless given. */
  readonly modelId?: string
  /** The documents that the reply may read; none unless given. */
  readonly documentIds?: ReadonlyArray<string>
  readonly documentFilter?: DocumentFilter
}

/** A chat with a page of its messages. */
export interface ChatWithMessages {
  /** The chat's id. */
  readonly id: string
  /** The title: the owner's, or the beginning of the first message. */
  readonly title: string
  /** When the chat began. */
  readonly createdAt: string
  /** When the chat was last used. */
  readonly updatedAt: string
  /** The documents stored with the chat or, if none ever were, those of its last request. A reply reads the documents of its own request only. */
  readonly documentIds: ReadonlyArray<string>
  /** The running reply that continues without its reader: GET /api/chats/{id}/stream joins it. Its message is stored with its first words. */
  readonly running: RunningReply | null
  /** The messages, oldest first. */
  readonly messages: ReadonlyArray<Message>
  /** The most messages of a page, as requested. */
  readonly limit: number
  /** Send this as `before` to get the messages before these; null if these are the first. */
  readonly nextBefore: string | null
}

/** A request to pay. */
export interface Checkout {
  /** A price of GET /api/billing/plans. */
  readonly priceId: string
  /** `subscription` for a plan, `one-time` for credits. */
  readonly mode: "subscription" | "one-time"
  /** The page of this server to come back to, as a path; the first page unless given. */
  readonly returnTo?: string
}

/** A conversation of a visitor with a bot, without its messages. */
export interface Conversation {
  /** The conversation's id. */
  readonly id: string
  /** The same for all conversations of one visitor with the bot. */
  readonly visitor: string
  /** The beginning of the visitor's first message. */
  readonly firstQuestion: string
  /** The number of messages. */
  readonly messageCount: number
  /** The cost of its replies together. */
  readonly credits: number
  /** When the conversation began. */
  readonly createdAt: string
  /** When the last message was stored. */
  readonly updatedAt: string
}

/** A page of conversations. */
export interface ConversationList {
  /** The conversations, last used first. */
  readonly conversations: ReadonlyArray<Conversation>
  /** The most elements of a page, as requested. */
  readonly limit: number
  /** Pass this as `before` for the next page; null on the last page. A page of a search may be short, or empty, without being the last. */
  readonly nextBefore: string | null
}

/** A message of a visitor or a bot. */
export interface ConversationMessage {
  /** The message's id. */
  readonly id: string
  /** The author of the message. */
  readonly role: "user" | "assistant" | "system"
  /** The text of the message; of a reply, as far as it is written. */
  readonly content: string
  /** `streaming`: the reply is being written; `stopped`: it was ended before its end; `failed`: the model failed. */
  readonly state: "complete" | "streaming" | "stopped" | "failed"
  /** When the message was stored. */
  readonly createdAt: string
  /** The model that wrote it; null for the visitor's messages, and for declines. */
  readonly model: string | null
  /** The cost of the reply, once it is charged. */
  readonly credits: number | null
  /** The passages that the reply may cite. */
  readonly sources: ReadonlyArray<ConversationSource>
}

/** A passage of a document that a bot's reply was given. */
export interface ConversationSource {
  /** The number by which the reply cites it: `[1]`. */
  readonly number: number
  /** The document. */
  readonly documentId: string
  /** The document's name. */
  readonly filename: string
  /** The page on which the passage begins; null for a document without pages. */
  readonly page: number | null
  /** Beginning of the passage in the document's text, in UTF-16 units. */
  readonly start: number
  /** End of the passage, in UTF-16 units. */
  readonly end: number
  /** The passage. */
  readonly text: string
}

/** A conversation with a page of its messages. */
export interface ConversationWithMessages {
  /** The conversation's id. */
  readonly id: string
  /** The same for all conversations of one visitor with the bot. */
  readonly visitor: string
  /** The beginning of the visitor's first message. */
  readonly firstQuestion: string
  /** The number of messages. */
  readonly messageCount: number
  /** The cost of its replies together. */
  readonly credits: number
  /** When the conversation began. */
  readonly createdAt: string
  /** When the last message was stored. */
  readonly updatedAt: string
  /** The messages, oldest first. */
  readonly messages: ReadonlyArray<ConversationMessage>
  /** The most messages of a page, as requested. */
  readonly limit: number
  /** Send this as `before` to get the messages before these; null if these are the first. */
  readonly nextBefore: string | null
}

/** Credits that can be bought once. */
export interface CreditPack {
  /** The number of credits. */
  readonly credits: number
  /** The price's id, as a checkout takes it. */
  readonly priceId: string
  /** In major units of the currency; null if it is no fixed amount. */
  readonly amount: number | null
  /** The currency in lower case, as `eur`. */
  readonly currency: string
  /** The period of one payment; null for a one-time purchase. */
  readonly every: BillingPeriod | null
}

/** The account at the provider, as far as the provider tells. */
export interface CrmAccount {
  /** The account's id; null if it is unknown. */
  readonly id: string | null
  /** The account's name; null if it is unknown. */
  readonly name: string | null
}

/** A connection of a bot to a CRM. */
export interface CrmConnection {
  /** connected; needs_reconnect: access has ended, and the person must connect again; error: the last try failed, and the next may succeed. */
  readonly state: "connected" | "needs_reconnect" | "error"
  /** Why it is not connected; null if it is. */
  readonly problem: "expired" | "refused" | "answer_lost" | "client" | "unavailable" | "unreadable" | null
  /** When it was connected. */
  readonly connectedAt: string
  /** The person who connected it: an e-mail address, or a user's id. */
  readonly connectedBy: string
  readonly account: CrmAccount
}

/** The end of a connection. */
export interface CrmDisconnected {
  /** The state of the access at the provider. revoked: it was withdrawn; unsupported: the provider has no request for it; pending: the provider did not answer, and is asked again for about a day; failed: this server cannot ask the provider, so withdraw the access there. */
  readonly revocation: "revoked" | "unsupported" | "pending" | "failed"
}

/** A CRM provider, and the bot's connection to it. */
export interface CrmProvider {
  /** The provider's id. */
  readonly provider: "provider_one" | "provider_two"
  /** The name shown to people. */
  readonly name: string
  /** Whether a bot can be connected to it here and now. */
  readonly available: boolean
  /** The connection; null if there is none. */
  readonly connection: CrmConnection | null
}

/** The CRM providers of a bot. */
export interface CrmProviderList {
  /** The providers. */
  readonly providers: ReadonlyArray<CrmProvider>
}

/** An uploaded document and its state. */
export interface Document {
  /** The document's id. */
  readonly id: string
  /** The name of the uploaded file. */
  readonly filename: string
  /** The type of the document. */
  readonly type: "pdf" | "docx" | "xlsx" | "pptx" | "odt" | "ods" | "odp" | "epub" | "rtf" | "doc" | "xls" | "ppt" | "png" | "jpg" | "webp" | "heic" | "eml" | "html" | "md" | "txt" | "csv"
  /** The size of the file. */
  readonly bytes: number
  /** `processing`: the document is being read; `ready`: replies can use it; `failed`: it could not be read. */
  readonly status: "processing" | "ready" | "failed"
  /** The processed part, from 0 to 1. */
  readonly progress: number
  /** The reason of the failure: a sentence for people. */
  readonly reason: string | null
  /** The same for programs; null if it is unknown. */
  readonly reasonCode: "password" | "scan" | "no_text" | "damaged" | "incomplete" | "encoding" | "too_long" | "too_costly" | "unreadable" | "waiting" | "our_side" | null
  /** True if it failed, and another POST /api/rag may succeed; otherwise only another file helps. */
  readonly retryable: boolean
  /** A sentence for people if the document is ready and a part of the file has no readable text. */
  readonly notice: string | null
  /** The number of pages; null if it has none, or is not read yet. */
  readonly pages: number | null
  /** The number of passages that can be searched; null if it is not read yet. */
  readonly passages: number | null
  /** When the document was uploaded. */
  readonly createdAt: string
}

/** Narrows the documents that a request names, and the passages of them that are read. All given conditions must hold. */
export interface DocumentFilter {
  /** Only documents of these types. */
  readonly types?: ReadonlyArray<"pdf" | "docx" | "xlsx" | "pptx" | "odt" | "ods" | "odp" | "epub" | "rtf" | "doc" | "xls" | "ppt" | "png" | "jpg" | "webp" | "heic" | "eml" | "html" | "md" | "txt" | "csv">
  /** Only documents that were uploaded at this time or later. */
  readonly uploadedAfter?: string
  /** Only documents that were uploaded before this time. */
  readonly uploadedBefore?: string
  /** Only passages below or beginning a heading that contains this text, in any case. */
  readonly heading?: string
}

/** The documents of a person. */
export interface DocumentList {
  /** The documents, newest first. */
  readonly documents: ReadonlyArray<Document>
}

/** A part of a document's text. */
export interface DocumentText {
  /** The document's id. */
  readonly documentId: string
  /** The name of the uploaded file. */
  readonly filename: string
  /** The type of the document. */
  readonly type: "pdf" | "docx" | "xlsx" | "pptx" | "odt" | "ods" | "odp" | "epub" | "rtf" | "doc" | "xls" | "ppt" | "png" | "jpg" | "webp" | "heic" | "eml" | "html" | "md" | "txt" | "csv"
  /** Beginning of the part, in UTF-16 units. */
  readonly from: number
  /** End of the part, in UTF-16 units. */
  readonly to: number
  /** Length of the whole text, in UTF-16 units. */
  readonly length: number
  /** The part. */
  readonly text: string
  /** The pages of the part; null if the document has none. */
  readonly pages: ReadonlyArray<PageRange> | null
}

/** The erased data. */
export interface ErasedAccount {
  /** The number of erased chats. */
  readonly chats: number
  /** The number of erased documents. */
  readonly documents: number
  /** The rows of the ledger that stay, under a random name. */
  readonly transactions: number
}

/** A heading of a document. */
export interface Heading {
  /** The level of the heading; 1 is the highest. */
  readonly level: number
  /** The text of the heading. */
  readonly title: string
  /** Beginning of the heading in the document's text, in UTF-16 units. */
  readonly start: number
}

/** An invoice of the payment provider. */
export interface Invoice {
  /** The invoice's id at the payment provider. */
  readonly id: string
  /** The total in major units of the currency: 12.5; yen without decimals. */
  readonly amount: number
  /** The currency in lower case, as `eur`. */
  readonly currency: string
  /** The provider's state of the invoice, as `paid` or `open`; null if it has none. */
  readonly status: string | null
  /** When the invoice was created. */
  readonly date: string
  /** The page of the invoice; null if there is none. */
  readonly invoiceUrl: string | null
  /** The subject of the invoice; null if it has none. */
  readonly description: string | null
}

/** The invoices of a person. */
export interface InvoiceList {
  /** The invoices, newest first. */
  readonly invoices: ReadonlyArray<Invoice>
}

/** The prices of requests with many input tokens. */
export interface LongContextPrice {
  /** These prices count for requests with more input tokens than this. */
  readonly aboveInputTokens: number
  /** The price of 1,000 input tokens, in credits. */
  readonly creditsPer1kInput: number
  /** The price of 1,000 input tokens that the provider's cache holds, in credits. */
  readonly creditsPer1kCachedInput: number
  /** The price of 1,000 input tokens that are written to the provider's cache, in credits. */
  readonly creditsPer1kCacheWrite: number
  /** The price of 1,000 output tokens, in credits. */
  readonly creditsPer1kOutput: number
}

/** The signed-in person. */
export interface Me {
  /** Your id, as the identity provider names you. */
  readonly userId: string
  /** Your e-mail address; null if the identity provider does not tell it. */
  readonly email: string | null
  /** Your name, if the identity provider tells it. */
  readonly name?: string
  /** Your role as an operator, if you have one. */
  readonly role?: "owner" | "support"
  /** When you have to sign in again, where that is known. */
  readonly sessionExpiresAt: string | null
  readonly tier: Tier
  readonly uploads: UploadLimits
}

/** A message of a chat. */
export interface Message {
  /** The message's id. */
  readonly id: string
  /** The author of the message. */
  readonly role: "user" | "assistant" | "system"
  /** The text of the message; of a reply, as far as it is written. */
  readonly content: string
  /** `streaming`: the reply is being written; `stopped`: it was ended before its end; `failed`: the model failed. */
  readonly state: "complete" | "streaming" | "stopped" | "failed"
  /** When the message was stored. */
  readonly createdAt: string
  /** The model that wrote the reply; null for messages of people. */
  readonly model: string | null
  /** The cost of the reply, once it is charged. */
  readonly credits: number | null
  /** The receipt of the reply, once it is charged. */
  readonly receipt: Receipt | null
  /** The passages that the reply may cite. */
  readonly sources: ReadonlyArray<Source>
  /** Ids of documents that the question named and that were ready, and of which the model read nothing. */
  readonly unread: ReadonlyArray<string>
}

/** A model with its prices. */
export interface Model {
  /** The model's id, as `modelId` of a chat request takes it. */
  readonly id: string
  /** The name shown to people. */
  readonly name: string
  /** The price of 1,000 input tokens, in credits. */
  readonly creditsPer1kInput: number
  /** The price of 1,000 input tokens that the provider's cache holds, in credits. */
  readonly creditsPer1kCachedInput: number
  /** The price of 1,000 input tokens that are written to the provider's cache, in credits. */
  readonly creditsPer1kCacheWrite: number
  /** The price of 1,000 output tokens, in credits. */
  readonly creditsPer1kOutput: number
  /** Other prices for long requests; null if there are none. */
  readonly longContext: LongContextPrice | null
  /** The least price of a reply, in credits. */
  readonly minimumCredits: number
  /** The most output tokens of a reply. */
  readonly maxOutputTokens: number
  /** True if your tier includes it. */
  readonly allowed: boolean
  /** The tiers that include it. */
  readonly allowedTiers: ReadonlyArray<string>
  /** True if this server can run it. */
  readonly available: boolean
  /** The stand-in that answers for the model on this server; null if the model does. */
  readonly answeredBy: string | null
}

/** The models. */
export interface ModelList {
  /** Your tier. */
  readonly tier: string
  /** The models, the default first. */
  readonly models: ReadonlyArray<Model>
}

/** The place of a page in a document's text. */
export interface PageRange {
  /** The number of the page, from 1. */
  readonly page: number
  /** Beginning of the page, in UTF-16 units. */
  readonly start: number
  /** End of the page, in UTF-16 units. */
  readonly end: number
}

/** The buckets that paid. */
export interface PaidFrom {
  /** Credits from the allowance of the tier. */
  readonly allowance: number
  /** Credits that were bought or granted. */
  readonly topup: number
}

/** A page of the payment provider. */
export interface PaymentPage {
  /** The address to which the browser is led. */
  readonly url: string
}

/** A tier with its prices. */
export interface Plan {
  /** The tier's id. */
  readonly id: string
  /** The name shown to people. */
  readonly name: string
  /** The credits of each period. */
  readonly monthlyCredits: number
  /** Ids of the models it includes and this server can run, its default first. */
  readonly models: ReadonlyArray<string>
  readonly quotas: Quotas
  /** The prices of the tier; empty for a tier that is free or not on sale. */
  readonly prices: ReadonlyArray<Price>
}

/** Everything that is on sale. */
export interface Plans {
  /** The tiers, the free one first. */
  readonly plans: ReadonlyArray<Plan>
  /** The credits that can be bought once. */
  readonly credits: ReadonlyArray<CreditPack>
  /** The payment provider does not answer, so that no prices are known at the moment. Ask again later. */
  readonly pricesUnavailable: boolean
}

/** A price of the payment provider. */
export interface Price {
  /** The price's id, as a checkout takes it. */
  readonly priceId: string
  /** In major units of the currency; null if it is no fixed amount. */
  readonly amount: number | null
  /** The currency in lower case, as `eur`. */
  readonly currency: string
  /** The period of one payment; null for a one-time purchase. */
  readonly every: BillingPeriod | null
}

/** A request to process a document. */
export interface ProcessDocument {
  /** The document's id. */
  readonly documentId: string
}

/** The result of a request to process a document. */
export interface ProcessingStarted {
  /** Always true. */
  readonly success: boolean
  /** A sentence for people. */
  readonly message: string
}

/** The limits of a tier. */
export interface Quotas {
  /** The most documents of a person. */
  readonly maxDocuments: number
  /** The most bytes of a person's documents together. */
  readonly maxDocumentBytes: number
  /** The most bytes of a person's chats together. */
  readonly maxChatBytes: number
  /** The most replies of a person at once; null if they are not limited. */
  readonly maxConcurrentReplies: number | null
}

/** The receipt of a reply. */
export interface Receipt {
  /** The kind of the work: `chat`, `bot:<id>`, `meter:<name>` or `key:<id>`. */
  readonly source: string
  /** The credits that were held for it. */
  readonly held: number
  /** The credits that it cost. */
  readonly charged: number
  /** The way it ended: `completed`, `length`, `stopped`, `failed` or `expired`. */
  readonly ended: string
  readonly paid_from: PaidFrom
  /** The model that answered. */
  readonly model: string
  readonly price: ReceiptPrice
  readonly usage: TokenUsage
  /** True if the provider reported no usage and the server counted it. */
  readonly estimated: boolean
}

/** The prices of requests with many input tokens. */
export interface ReceiptLongContextPrice {
  /** These prices count for requests with more input tokens than this. */
  readonly above_input_tokens: number
  /** The price of 1,000 input tokens, in credits. */
  readonly credits_per_1k_input: number
  /** The price of 1,000 input tokens that the provider's cache held, in credits. */
  readonly credits_per_1k_cached_input: number
  /** The price of 1,000 input tokens that were written to the cache, in credits. */
  readonly credits_per_1k_cache_write: number
  /** The price of 1,000 output tokens, in credits. */
  readonly credits_per_1k_output: number
}

/** The prices by which the reply was charged. */
export interface ReceiptPrice {
  /** The price of 1,000 input tokens, in credits. */
  readonly credits_per_1k_input: number
  /** The price of 1,000 input tokens that the provider's cache held, in credits. */
  readonly credits_per_1k_cached_input: number
  /** The price of 1,000 input tokens that were written to the cache, in credits. */
  readonly credits_per_1k_cache_write: number
  /** The price of 1,000 output tokens, in credits. */
  readonly credits_per_1k_output: number
  /** The least price of a reply, in credits. */
  readonly minimum_credits: number
  /** Other prices for long requests; null if there are none. */
  readonly long_context: ReceiptLongContextPrice | null
}

/** The indexing of a person's documents. */
export interface Reindexing {
  /** The number of ready documents. */
  readonly documents: number
  /** The number of their passages. */
  readonly passages: number
  /** Those of them that were indexed by another embedder, parser or version of the indexing. */
  readonly outdated: number
  /** The number of passages of outdated documents. */
  readonly outdatedPassages: number
  /** The number of outdated documents that could not be indexed anew. */
  readonly failed: number
  /** The work; `stopped`: it ended before the last document, and goes on with another POST. */
  readonly work: "none" | "waiting" | "running" | "stopped"
  /** Passages of documents in work that are written already. */
  readonly passagesInWork: number
  /** The first hundred documents that failed. */
  readonly failures: ReadonlyArray<ReindexingFailure>
}

/** A document that could not be indexed anew. */
export interface ReindexingFailure {
  /** The document's id. */
  readonly documentId: string
  /** The name of the uploaded file. */
  readonly filename: string
  /** The reason. */
  readonly reasonCode: "password" | "scan" | "no_text" | "damaged" | "incomplete" | "encoding" | "too_long" | "too_costly" | "unreadable" | "waiting" | "our_side"
}

/** A reply that is being written. */
export interface RunningReply {
  /** The reply's id within the chat. */
  readonly messageId: string
  /** The model that answers. */
  readonly model: string
  /** When the reply began. */
  readonly startedAt: string
}

/** The session of a request. */
export interface Session {
  /** Null if no person is signed in. */
  readonly me: Me | null
}

/** The end of a session. */
export interface SignedOut {
  /** The address of the next page, if there is one. */
  readonly url: string | null
}

/** A passage of a document that a reply was given. */
export interface Source {
  /** The number by which the reply cites it: `[1]`. */
  readonly number: number
  /** The document. */
  readonly documentId: string
  /** The document's name. */
  readonly filename: string
  /** The page on which the passage begins; null for a document without pages. */
  readonly page: number | null
  /** Beginning of the passage in the document's text, in UTF-16 units. */
  readonly start: number
  /** End of the passage, in UTF-16 units. */
  readonly end: number
  /** The passage. */
  readonly text: string
  /** Those above the passage's start, then those that begin in it; with offsets like `start`. */
  readonly headings: ReadonlyArray<Heading>
}

/** A subscription at the payment provider. */
export interface Subscription {
  /** The subscription's id at the payment provider. */
  readonly id: string
  /** The tier that is paid for. */
  readonly tier: string
  /** The plan from the next period on, if it changes. */
  readonly nextTier: string | null
  /** The price that is paid; null if it is unknown. */
  readonly priceId: string | null
  /** The state of the subscription. */
  readonly status: "incomplete" | "trialing" | "active" | "past-due" | "unpaid" | "paused" | "ended"
  /** Paid for longer at once; its credits come month by month. */
  readonly givesMonthly: boolean
  /** The end of the paid period. */
  readonly paidUntil: string
  /** When it will end, where that is decided. */
  readonly endsAt: string | null
}

/** The subscriptions of a person. */
export interface SubscriptionState {
  /** Your customer id at the payment provider; null if you have none. */
  readonly customerId: string | null
  /** The subscription that gives you your tier; null if there is none. */
  readonly subscription: Subscription | null
  /** Further subscriptions, which are paid for beside this one and give nothing as long as it goes on. */
  readonly others: ReadonlyArray<Subscription>
}

/** A tier with its models and quotas. */
export interface Tier {
  /** The tier's id. */
  readonly id: string
  /** The name shown to people. */
  readonly name: string
  /** The credits of each period. */
  readonly monthlyCredits: number
  /** Ids of the models it includes and this server can run, its default first. */
  readonly models: ReadonlyArray<string>
  readonly quotas: Quotas
}

/** The tokens of a reply; no token is counted twice. */
export interface TokenUsage {
  /** Input tokens without those of the cache. */
  readonly fresh_input: number
  /** Input tokens that the provider's cache held. */
  readonly cache_read: number
  /** Input tokens that were written to the provider's cache. */
  readonly cache_write: number
  /** Output tokens. */
  readonly output: number
}

/** A change of a person's credits. */
export interface Transaction {
  /** The transaction's id. */
  readonly id: string
  /** The kind of the change. */
  readonly transaction_type: "usage" | "reset" | "topup" | "grant" | "refund" | "adjustment"
  /** The change of the balance: negative for spent credits. */
  readonly amount: number
  /** The part of the change in the allowance. */
  readonly allowance_amount: number
  /** The part of the change in the bought or granted credits. */
  readonly topup_amount: number
  /** `allowance + topup - debt` after the change. */
  readonly balance_after: number
  /** The model of a reply; null for other changes. */
  readonly model: string | null
  /** The kind of the work, as on its receipt; null if no work was paid. */
  readonly source: string | null
  /** The business event behind the change, as `reply:<message>`. */
  readonly reference: string
  /** When the change was written. */
  readonly created_at: string
  /** The receipt; null if no work was paid. */
  readonly receipt: Receipt | WorkReceipt | null
}

/** A page of credit transactions. */
export interface TransactionList {
  /** The transactions, newest first. */
  readonly transactions: ReadonlyArray<Transaction>
  /** The number of all transactions. */
  readonly total: number
  /** The most elements of a page, as requested. */
  readonly limit: number
  /** The number of skipped elements, as requested. */
  readonly offset: number
}

/** The limits of uploads. */
export interface UploadLimits {
  /** The most bytes of a file. */
  readonly maxBytes: number
  /** The types that may be uploaded. */
  readonly types: ReadonlyArray<string>
  /** The extensions of files of these types. */
  readonly extensions: ReadonlyArray<string>
}

/** A stored document, whose processing has begun. */
export interface UploadedDocument {
  /** The document's id. */
  readonly documentId: string
  /** The name of the uploaded file. */
  readonly filename: string
  /** `processing`: the document is being read; `ready`: replies can use it; `failed`: it could not be read. */
  readonly status: "processing" | "ready" | "failed"
  /** The id of your first document of the same bytes; absent if there is none. */
  readonly sameAs?: string
}

/** The usage of a day, by source and model. */
export interface Usage {
  /** The UTC day, as `2026-11-30`. */
  readonly day: string
  /** The kind of the work, as on its receipt. */
  readonly source: string
  /** The model; empty for metered work. */
  readonly model: string
  /** The number of charges. */
  readonly replies: number
  /** The spent credits. */
  readonly credits: number
  /** The input tokens. */
  readonly input_tokens: number
  /** The output tokens. */
  readonly output_tokens: number
}

/** The usage of some days. */
export interface UsageReport {
  /** The usage, oldest day first. */
  readonly usage: ReadonlyArray<Usage>
  /** The first day of the report. */
  readonly from: string
  /** The last day of the report. */
  readonly to: string
}

/** The receipt of metered work: its lines add up to the cost. */
export interface WorkReceipt {
  /** The kind of the work: `chat`, `bot:<id>`, `meter:<name>` or `key:<id>`. */
  readonly source: string
  /** The credits that were held for it. */
  readonly held: number
  /** The credits that it cost. */
  readonly charged: number
  /** The way it ended: `completed`, `length`, `stopped`, `failed` or `expired`. */
  readonly ended: string
  readonly paid_from: PaidFrom
  /** The charge for this work at the expiry of its hold; a part of the sum of the lines. */
  readonly charged_before: number
  /** The usage. */
  readonly lines: ReadonlyArray<WorkReceiptLine>
}

/** A line of a receipt. */
export interface WorkReceiptLine {
  /** The kind of usage. */
  readonly label: string
  /** The quantity of the line. */
  readonly quantity: number
  /** The credits per unit. */
  readonly unit_price: number
}

/** The operations of the HTTP interface, by their ids. */
export interface Operations {
  /** Sends messages and streams the reply. The text is streamed as it is written. Credits are held before the model is called, and charged for what was written; the sources, the receipt and the cost are in GET /api/chats/{id} afterwards. Callers are signed-in people. */
  readonly sendMessage: {
    readonly body: ChatRequest
    readonly response: Response
  }
  /** Lists your chats, last used first. Callers are signed-in people. */
  readonly listChats: {
    readonly query?: {
      /** The most elements in the response. */
      readonly limit?: number
      /** Number of elements to skip. */
      readonly offset?: number
      /** Only elements that contain this text, in upper or lower case. */
      readonly search?: string
    }
    readonly response: ChatList
  }
  /** Returns a chat with its newest messages and the sources of its replies, a page at a time. Callers are signed-in people. */
  readonly getChat: {
    readonly path: {
      readonly id: string
    }
    readonly query?: {
      /** The most messages in the response, which has fewer if they are long. */
      readonly limit?: number
      /** The id of a message: only messages before it are returned. */
      readonly before?: string
    }
    readonly response: ChatWithMessages
  }
  /** Renames a chat. Callers are signed-in people. */
  readonly renameChat: {
    readonly path: {
      readonly id: string
    }
    readonly body: ChatChange
    readonly response: Chat
  }
  /** Deletes a chat with its messages. Callers are signed-in people. */
  readonly deleteChat: {
    readonly path: {
      readonly id: string
    }
    readonly response: undefined
  }
  /** Stores documents with a chat, in place of the previous ones; a reply reads the documents of its own request only. Callers are signed-in people. */
  readonly setChatDocuments: {
    readonly path: {
      readonly id: string
    }
    readonly body: ChatDocuments
    readonly response: ChatDocuments
  }
  /** Joins the running reply of a chat's last request, from its beginning, on any server. Callers are signed-in people. */
  readonly joinReply: {
    readonly path: {
      readonly id: string
    }
    readonly response: Response
  }
  /** Ends the replies of a chat that continue without their reader, and their cost. Callers are signed-in people. */
  readonly stopReply: {
    readonly path: {
      readonly id: string
    }
    readonly response: undefined
  }
  /** Lists the models with their prices, the default first, and which of them your tier includes. Callers are signed-in people. */
  readonly listModels: {
    readonly response: ModelList
  }
  /** Returns the signed-in person, their tier and the limits of uploads. Callers are signed-in people. */
  readonly getMe: {
    readonly response: Me
  }
  /** Returns the signed-in person, as /api/me does, or null. Any client may call; a signed-in person is recognised. */
  readonly getSession: {
    readonly response: Session
  }
  /** Ends your session: its token is refused from now on, also if another person has copied it. Callers are signed-in people. */
  readonly signOut: {
    readonly response: SignedOut
  }
  /** Returns all stored data about you as lines of JSON; the last one has the kind `end`. Callers are people who signed in a short time ago. */
  readonly exportAccount: {
    readonly response: Response
  }
  /** Erases you: chats, documents, bots and credits are gone, subscriptions end at once and without a refund, and you are signed out everywhere. Callers are people who signed in a short time ago. */
  readonly deleteAccount: {
    readonly body: AccountDeletion
    readonly response: ErasedAccount
  }
  /** Uploads a document; its processing starts by itself. GET /api/documents/{id} shows its state; replies can use it when it is `ready`. Callers are signed-in people. */
  readonly uploadDocument: {
    readonly response: UploadedDocument
  }
  /** Starts the processing of an uploaded document, again if it failed. Callers are signed-in people. */
  readonly processDocument: {
    readonly body: ProcessDocument
    readonly response: ProcessingStarted
  }
  /** Lists your documents, newest first. Callers are signed-in people. */
  readonly listDocuments: {
    readonly response: DocumentList
  }
  /** Returns the state of a document. Callers are signed-in people. */
  readonly getDocument: {
    readonly path: {
      readonly id: string
    }
    readonly response: Document
  }
  /** Deletes a document with its bytes and passages. Callers are signed-in people. */
  readonly deleteDocument: {
    readonly path: {
      readonly id: string
    }
    readonly response: undefined
  }
  /** Returns a part of a document's text, by the offsets of cited passages. Callers are signed-in people. */
  readonly getDocumentText: {
    readonly path: {
      readonly id: string
    }
    readonly query?: {
      /** Beginning of the part, in UTF-16 units. */
      readonly from?: number
      /** End of the part. The response has at most 65536 units, also without this parameter. */
      readonly to?: number
    }
    readonly response: DocumentText
  }
  /** Returns a document as it was uploaded. Callers are signed-in people. */
  readonly getDocumentFile: {
    readonly path: {
      readonly id: string
    }
    readonly response: Response
  }
  /** Tells how many of your documents are on an older index, and how far their re-indexing is. Callers are signed-in people. */
  readonly getReindexing: {
    readonly response: Reindexing
  }
  /** Indexes your outdated documents anew, or goes on with it; costs no credits, and they stay searchable. Callers are signed-in people. */
  readonly reindexDocuments: {
    readonly response: Reindexing
  }
  /** Lists your bots, newest first. Callers are signed-in people. */
  readonly listBots: {
    readonly response: BotList
  }
  /** Makes a bot with its first public key. Callers are signed-in people. */
  readonly createBot: {
    readonly body: BotDraft
    readonly response: Bot
  }
  /** Returns a bot. Callers are signed-in people. */
  readonly getBot: {
    readonly path: {
      readonly id: string
    }
    readonly response: Bot
  }
  /** Changes the settings of a bot that are named, and leaves the others. Callers are signed-in people. */
  readonly updateBot: {
    readonly path: {
      readonly id: string
    }
    readonly body: BotChange
    readonly response: Bot
  }
  /** Deletes a bot with its public keys and its visitors' conversations. Callers are signed-in people. */
  readonly deleteBot: {
    readonly path: {
      readonly id: string
    }
    readonly response: undefined
  }
  /** Creates another public key of a bot; the others keep working until they are retired. Callers are signed-in people. */
  readonly createBotKey: {
    readonly path: {
      readonly id: string
    }
    readonly response: Bot
  }
  /** Retires a public key of a bot; its only one cannot be. Callers are signed-in people. */
  readonly deleteBotKey: {
    readonly path: {
      readonly id: string
      readonly key: string
    }
    readonly response: Bot
  }
  /** Lists the conversations of visitors with your bot, last used first, all or those that contain a text. Callers are signed-in people. */
  readonly listConversations: {
    readonly path: {
      readonly id: string
    }
    readonly query?: {
      /** The most elements in the response. */
      readonly limit?: number
      /** The `nextBefore` of the previous page: only elements that were used before it. */
      readonly before?: string
      /** Only elements that contain this text, in upper or lower case. */
      readonly search?: string
    }
    readonly response: ConversationList
  }
  /** Returns all conversations of your bot with their messages, each as a line of JSON. Callers are people who signed in a short time ago. */
  readonly exportConversationLines: {
    readonly path: {
      readonly id: string
    }
    readonly response: Response
  }
  /** Returns all messages of your bot's conversations, each as a row of a table. Callers are people who signed in a short time ago. */
  readonly exportConversationTable: {
    readonly path: {
      readonly id: string
    }
    readonly response: Response
  }
  /** Returns a conversation with its newest messages, their sources and costs, a page at a time. Callers are signed-in people. */
  readonly getConversation: {
    readonly path: {
      readonly id: string
      readonly conversationId: string
    }
    readonly query?: {
      /** The most messages in the response, which has fewer if they are long. */
      readonly limit?: number
      /** The id of a message: only messages before it are returned. */
      readonly before?: string
    }
    readonly response: ConversationWithMessages
  }
  /** Deletes a conversation of a visitor with your bot. Callers are signed-in people. */
  readonly deleteConversation: {
    readonly path: {
      readonly id: string
      readonly conversationId: string
    }
    readonly response: undefined
  }
  /** Lists the CRM providers that a bot is, or can be, connected to. Callers are signed-in people. */
  readonly listCrmConnections: {
    readonly path: {
      readonly id: string
    }
    readonly response: CrmProviderList
  }
  /** Removes a bot's connection and takes the access back at the provider, later where that cannot be reached now. Callers are signed-in people. */
  readonly deleteCrmConnection: {
    readonly path: {
      readonly id: string
      readonly provider: string
    }
    readonly response: CrmDisconnected
  }
  /** Returns your credits. Callers are signed-in people. */
  readonly getBalance: {
    readonly response: Balance
  }
  /** Lists your credit transactions, newest first. Callers are signed-in people. */
  readonly listTransactions: {
    readonly query?: {
      /** The most elements in the response. */
      readonly limit?: number
      /** Number of elements to skip. */
      readonly offset?: number
      /** Only transactions of this type; an unknown type returns an empty list. */
      readonly type?: string
    }
    readonly response: TransactionList
  }
  /** Returns your spent credits by day, source and model. Callers are signed-in people. */
  readonly getUsage: {
    readonly query?: {
      /** The first day, in UTC; 30 days up to the last one unless given. */
      readonly from?: string
      /** The last day, in UTC; today unless given. */
      readonly to?: string
    }
    readonly response: UsageReport
  }
  /** Lists the plans with their contents, and the prices of plans and credits; no prices if nothing is sold. Callers are signed-in people. */
  readonly getPlans: {
    readonly response: Plans
  }
  /** Says what you have subscribed to, as far as the payment provider has reported it, and your customer id there. Callers are signed-in people. */
  readonly getSubscription: {
    readonly response: SubscriptionState
  }
  /** Opens the payment provider's page where you pay for a plan or for credits. The credits are granted when the provider reports the payment, not when the browser returns. Callers are signed-in people. */
  readonly createCheckout: {
    readonly body: Checkout
    readonly response: PaymentPage
  }
  /** Opens the payment provider's page for your plan, means of payment and invoices. Callers are signed-in people. */
  readonly openPortal: {
    readonly query?: {
      /** The page of this server to come back to, as a path; the first page unless given. */
      readonly returnTo?: string
    }
    readonly response: PaymentPage
  }
  /** Lists your invoices, newest first. Callers are signed-in people. */
  readonly listInvoices: {
    readonly query: {
      /** Your customer id at the payment provider. */
      readonly customerId: string
    }
    readonly response: InvoiceList
  }
}

/** The method and the path of each operation. */
export const operations: { readonly [Id in keyof Operations]: string } = {
  sendMessage: "POST /api/chat",
  listChats: "GET /api/chats",
  getChat: "GET /api/chats/{id}",
  renameChat: "PATCH /api/chats/{id}",
  deleteChat: "DELETE /api/chats/{id}",
  setChatDocuments: "PUT /api/chats/{id}/documents",
  joinReply: "GET /api/chats/{id}/stream",
  stopReply: "DELETE /api/chats/{id}/stream",
  listModels: "GET /api/models",
  getMe: "GET /api/me",
  getSession: "GET /api/session",
  signOut: "POST /api/sign-out",
  exportAccount: "GET /api/account/export",
  deleteAccount: "DELETE /api/account",
  uploadDocument: "POST /api/upload",
  processDocument: "POST /api/rag",
  listDocuments: "GET /api/documents",
  getDocument: "GET /api/documents/{id}",
  deleteDocument: "DELETE /api/documents/{id}",
  getDocumentText: "GET /api/documents/{id}/text",
  getDocumentFile: "GET /api/documents/{id}/file",
  getReindexing: "GET /api/reindexing",
  reindexDocuments: "POST /api/reindexing",
  listBots: "GET /api/bots",
  createBot: "POST /api/bots",
  getBot: "GET /api/bots/{id}",
  updateBot: "PATCH /api/bots/{id}",
  deleteBot: "DELETE /api/bots/{id}",
  createBotKey: "POST /api/bots/{id}/keys",
  deleteBotKey: "DELETE /api/bots/{id}/keys/{key}",
  listConversations: "GET /api/bots/{id}/conversations",
  exportConversationLines: "GET /api/bots/{id}/conversations.jsonl",
  exportConversationTable: "GET /api/bots/{id}/conversations.csv",
  getConversation: "GET /api/bots/{id}/conversations/{conversationId}",
  deleteConversation: "DELETE /api/bots/{id}/conversations/{conversationId}",
  listCrmConnections: "GET /api/bots/{id}/crm",
  deleteCrmConnection: "DELETE /api/bots/{id}/crm/{provider}",
  getBalance: "GET /api/billing/balance",
  listTransactions: "GET /api/billing/credit-history",
  getUsage: "GET /api/billing/usage",
  getPlans: "GET /api/billing/plans",
  getSubscription: "GET /api/billing/subscription",
  createCheckout: "POST /api/billing/checkout",
  openPortal: "POST /api/billing/portal",
  listInvoices: "GET /api/billing/invoices"
}

/** The codes of failures, as the server sends them. */
export type ServerErrorCode =
  | "account_not_found"
  | "already_subscribed"
  | "blocked"
  | "body_already_read"
  | "bot_busy"
  | "bot_key_not_found"
  | "bot_misconfigured"
  | "bot_not_found"
  | "bot_rate_limited"
  | "bot_resting"
  | "challenge_unavailable"
  | "chat_not_found"
  | "conversation_not_found"
  | "conversation_rate_limited"
  | "crm_not_configured"
  | "crm_not_connected"
  | "crm_provider_not_found"
  | "crm_state_unknown"
  | "cron_not_configured"
  | "cron_unauthorized"
  | "cross_site_request"
  | "customer_not_found"
  | "daily_cap_reached"
  | "document_forbidden"
  | "document_not_found"
  | "document_not_indexed"
  | "document_quota"
  | "erasure_limited"
  | "file_rejected"
  | "fresh_sign_in_required"
  | "head_too_large"
  | "hold_not_found"
  | "holds_open"
  | "idempotency_conflict"
  | "identity_unavailable"
  | "insufficient_credits"
  | "internal_error"
  | "invalid_amount"
  | "invalid_bot"
  | "invalid_chat_change"
  | "invalid_chat_request"
  | "invalid_document_id"
  | "invalid_request"
  | "invalid_signature"
  | "invalid_upload"
  | "invalid_usage_range"
  | "invalid_work"
  | "last_bot_key"
  | "message_too_long"
  | "method_not_allowed"
  | "model_failed"
  | "model_misconfigured"
  | "model_not_allowed"
  | "model_unavailable"
  | "not_found"
  | "not_ready"
  | "payload_too_large"
  | "payment_provider_refused"
  | "payment_provider_unavailable"
  | "payments_not_configured"
  | "price_not_offered"
  | "prompt_builder_failed"
  | "prompt_too_long"
  | "provider_rate_limited"
  | "provider_unavailable"
  | "purchase_conflict"
  | "purchase_not_found"
  | "request_in_progress"
  | "request_too_slow"
  | "role_missing"
  | "scanner_unavailable"
  | "scope_missing"
  | "server_busy"
  | "service_key_invalid"
  | "storage_quota"
  | "storage_unavailable"
  | "too_many_abandoned_tries"
  | "too_many_bot_keys"
  | "too_many_bot_streams"
  | "too_many_bots"
  | "too_many_failures"
  | "too_many_replies"
  | "too_many_requests"
  | "too_many_visitor_streams"
  | "unauthorized"
  | "unknown_tier"
  | "user_not_found"
  | "visitor_challenge_required"
  | "visitor_day_used_up"
  | "visitor_rate_limited"
  | "visitor_reads_limited"
  | "widget_not_built"
  | "work_expired"

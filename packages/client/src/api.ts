// Written by `npm run docs:tables` from the table of routes: change that.

import type { ChatOperations } from "./api/chat.ts"
import type { SharingOperations } from "./api/sharing.ts"
import type { ProjectsOperations } from "./api/projects.ts"
import type { PersonOperations } from "./api/person.ts"
import type { DocumentsOperations } from "./api/documents.ts"
import type { BotsOperations } from "./api/bots.ts"
import type { ConversationsOperations } from "./api/conversations.ts"
import type { CrmOperations } from "./api/crm.ts"
import type { BillingOperations } from "./api/billing.ts"
import type { OperatorsOperations } from "./api/operators.ts"
import type { DevelopmentOperations } from "./api/development.ts"
import type { ReportsOperations } from "./api/reports.ts"

export type * from "./api/chat.ts"
export type * from "./api/sharing.ts"
export type * from "./api/projects.ts"
export type * from "./api/person.ts"
export type * from "./api/documents.ts"
export type * from "./api/bots.ts"
export type * from "./api/conversations.ts"
export type * from "./api/crm.ts"
export type * from "./api/billing.ts"
export type * from "./api/operators.ts"
export type * from "./api/development.ts"
export type * from "./api/reports.ts"
export type * from "./api/shared.ts"

/** The operations of the HTTP interface, by their ids. */
export interface Operations extends ChatOperations, SharingOperations, ProjectsOperations, PersonOperations, DocumentsOperations, BotsOperations, ConversationsOperations, CrmOperations, BillingOperations, OperatorsOperations, DevelopmentOperations, ReportsOperations {}

/** The method and the path of each operation. */
export const operations: { readonly [Id in keyof Operations]: string } = {
  sendMessage: "POST /api/chat",
  listChats: "GET /api/chats",
  getChat: "GET /api/chats/{id}",
  updateChat: "PATCH /api/chats/{id}",
  deleteChat: "DELETE /api/chats/{id}",
  setChatDocuments: "PUT /api/chats/{id}/documents",
  joinReply: "GET /api/chats/{id}/stream",
  stopReply: "DELETE /api/chats/{id}/stream",
  uploadImage: "POST /api/images",
  getImage: "GET /api/images/{id}",
  listModels: "GET /api/models",
  rateReply: "PUT /api/chats/{id}/messages/{message}/rating",
  deleteRating: "DELETE /api/chats/{id}/messages/{message}/rating",
  shareChat: "PUT /api/chats/{id}/share",
  unshareChat: "DELETE /api/chats/{id}/share",
  getSharedChat: "GET /api/shared/{share}",
  listProjects: "GET /api/projects",
  createProject: "POST /api/projects",
  updateProject: "PATCH /api/projects/{id}",
  deleteProject: "DELETE /api/projects/{id}",
  getMe: "GET /api/me",
  getSession: "GET /api/session",
  getPreferences: "GET /api/preferences",
  setPreferences: "PUT /api/preferences",
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
  listBotSites: "GET /api/bots/{id}/sites",
  listConversations: "GET /api/bots/{id}/conversations",
  exportConversationLines: "GET /api/bots/{id}/conversations.jsonl",
  exportConversationTable: "GET /api/bots/{id}/conversations.csv",
  getConversation: "GET /api/bots/{id}/conversations/{conversationId}",
  deleteConversation: "DELETE /api/bots/{id}/conversations/{conversationId}",
  getInbox: "GET /api/bots/{id}/inbox",
  getBotReport: "GET /api/bots/{id}/report",
  getBotReportTable: "GET /api/bots/{id}/report.csv",
  answerVisitor: "POST /api/bots/{id}/conversations/{conversationId}/answers",
  moveConversation: "PUT /api/bots/{id}/conversations/{conversationId}/state",
  listCrmConnections: "GET /api/bots/{id}/crm",
  deleteCrmConnection: "DELETE /api/bots/{id}/crm/{provider}",
  getBalance: "GET /api/billing/balance",
  listTransactions: "GET /api/billing/credit-history",
  getUsage: "GET /api/billing/usage",
  getPlans: "GET /api/billing/plans",
  getSubscription: "GET /api/billing/subscription",
  createCheckout: "POST /api/billing/checkout",
  openPortal: "POST /api/billing/portal",
  listInvoices: "GET /api/billing/invoices",
  listPeople: "GET /api/admin/users",
  getPerson: "GET /api/admin/users/{id}",
  getHistoryOfPerson: "GET /api/admin/users/{id}/history",
  blockPerson: "POST /api/admin/users/{id}/block",
  unblockPerson: "POST /api/admin/users/{id}/unblock",
  signOutPerson: "POST /api/admin/users/{id}/sign-out",
  grantCreditsToPerson: "POST /api/admin/users/{id}/grants",
  adjustCredits: "POST /api/admin/users/{id}/adjustments",
  refundCredits: "POST /api/admin/users/{id}/refunds",
  setTierOfPerson: "PUT /api/admin/users/{id}/tier",
  unpinTier: "POST /api/admin/users/{id}/unpin",
  listAudit: "GET /api/admin/audit",
  getServiceHealth: "GET /api/admin/health",
  getServiceReindexing: "GET /api/admin/reindexing",
  reindexService: "POST /api/admin/reindexing",
  estimateReindexing: "GET /api/admin/reindexing/estimate",
  getMoneyReport: "GET /api/admin/money",
  listPayments: "GET /api/admin/payments",
  getVerification: "GET /api/admin/verification",
  signInForDevelopment: "POST /dev/sign-in",
  signOutForDevelopment: "POST /dev/sign-out"
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
  | "cell_unavailable"
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
  | "hand_over_off"
  | "head_too_large"
  | "hold_not_found"
  | "holds_open"
  | "idempotency_conflict"
  | "identity_unavailable"
  | "image_not_found"
  | "insufficient_credits"
  | "internal_error"
  | "invalid_amount"
  | "invalid_bot"
  | "invalid_chat_change"
  | "invalid_chat_request"
  | "invalid_document_id"
  | "invalid_image"
  | "invalid_preferences"
  | "invalid_project"
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
  | "model_not_found"
  | "model_unavailable"
  | "no_room_for_file"
  | "not_found"
  | "not_ready"
  | "payload_too_large"
  | "payment_provider_refused"
  | "payment_provider_unavailable"
  | "payments_not_configured"
  | "price_not_offered"
  | "project_not_found"
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
  | "too_many_conversation_files"
  | "too_many_failures"
  | "too_many_projects"
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
  | "visitor_uploads_limited"
  | "visitor_uploads_off"
  | "widget_not_built"
  | "work_expired"

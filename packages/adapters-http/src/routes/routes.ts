import {
  postAdjustment,
  postBlock,
  postOperatorGrant,
  postRefund,
  postSignOutEverywhere,
  postUnblock,
  postUnpin,
  putTier
} from "./admin/actions.ts"
import { deleteAccount, getExport } from "./account/ownData.ts"
import { getMoney, getVerification, listPayments } from "./admin/money.ts"
import { getHistoryOfPerson, getPerson, listPeople } from "./admin/people.ts"
import { getAdminReindexing, getReindexingEstimate, postAdminReindexing } from "./admin/reindexing.ts"
import { getAdminHealth, listAudit } from "./admin/reports.ts"
import { getBalance, getCreditHistory, getInvoices, postPortal } from "./billing/billing.ts"
import {
  deleteConversation,
  exportConversationLines,
  exportConversationTable,
  getConversation,
  listConversations
} from "./bots/botConversations.ts"
import { deleteBot, deleteBotKey, getBot, listBots, patchBot, postBot, postBotKey } from "./bots/bots.ts"
import { getChat, postChat } from "./chats/chat.ts"
import { deleteCrmConnection, getCrmCallback, getCrmConnect, listCrmConnections } from "./bots/crm.ts"
import { getResetCredits } from "./server/cron.ts"
import { deleteChat, getOneChat, listChats, patchChat, putChatDocuments } from "./chats/chats.ts"
import { postDevelopmentSignIn, postDevelopmentSignOut } from "./server/development.ts"
import { getDocumentFile, getDocumentText } from "./documents/documentContents.ts"
import { deleteDocument, getDocument, listDocuments, postRag, postUpload } from "./documents/documents.ts"
import { getReindexing, postReindexing } from "./documents/reindexing.ts"
import { postRelease, postRenew, postReserve, postSettle } from "./billing/keyCredits.ts"
import { getMe, getSession } from "./server/me.ts"
import { listModels } from "./chats/models.ts"
import { getPlans, getSubscription, postCheckout } from "./billing/plans.ts"
import type { Route } from "./Route.ts"
import { deleteRunningReply, getRunningReply } from "./chats/runningReply.ts"
import { postSignOut } from "./server/signOut.ts"
import { getPersonBalance, getPersonHistory, getPersonTier, postGrant, putPersonTier } from "./services/people.ts"
import { getSignIn, postSignIn, postSignInCode } from "./signIn/emailSignIn.ts"
import { getEvents } from "./services/events.ts"
import { getUsage } from "./billing/usage.ts"
import { postPaymentWebhook } from "./billing/webhooks.ts"
import { getWidgetAsset, getWidgetFrame, getWidgetLoader } from "./widget/widgetFiles.ts"
import { getWidgetConfig, postWidgetChat, postWidgetConversation } from "./widget/widget.ts"
import { postPolicyReport } from "./server/policyReports.ts"
import { getHealth, getOpenApi, getReadiness } from "./server/server.ts"

/**
 * Every route. The router serves this list, the OpenAPI document describes it, and the tests of access and of hostile
 * input derive from it: a route that is missing here does not exist.
 */
export const routes: ReadonlyArray<Route> = [
  // Chat
  getChat,
  postChat,
  listChats,
  getOneChat,
  patchChat,
  deleteChat,
  putChatDocuments,
  getRunningReply,
  deleteRunningReply,
  listModels,
  getMe,
  getSession,
  postSignOut,
  getExport,
  deleteAccount,
  // Sign-in by e-mail
  getSignIn,
  postSignIn,
  postSignInCode,
  // Documents
  postUpload,
  postRag,
  listDocuments,
  getDocument,
  deleteDocument,
  getDocumentText,
  getDocumentFile,
  getReindexing,
  postReindexing,
  // Bots
  listBots,
  postBot,
  getBot,
  patchBot,
  deleteBot,
  postBotKey,
  deleteBotKey,
  listConversations,
  exportConversationLines,
  exportConversationTable,
  getConversation,
  deleteConversation,
  // Bots connected to CRMs
  getCrmConnect,
  getCrmCallback,
  listCrmConnections,
  deleteCrmConnection,
  // Visitors
  getWidgetConfig,
  postWidgetChat,
  postWidgetConversation,
  // Billing
  getBalance,
  getCreditHistory,
  getUsage,
  getPlans,
  getSubscription,
  postCheckout,
  postPortal,
  getInvoices,
  postPaymentWebhook,
  // Services with a key
  postReserve,
  postRenew,
  postSettle,
  postRelease,
  getPersonBalance,
  getPersonHistory,
  postGrant,
  getPersonTier,
  putPersonTier,
  getEvents,
  // Operators
  listPeople,
  getPerson,
  getHistoryOfPerson,
  postBlock,
  postUnblock,
  postSignOutEverywhere,
  postOperatorGrant,
  postAdjustment,
  postRefund,
  putTier,
  postUnpin,
  listAudit,
  getAdminHealth,
  getAdminReindexing,
  getReindexingEstimate,
  postAdminReindexing,
  getMoney,
  listPayments,
  getVerification,
  // The files for a visitor's browser
  getWidgetLoader,
  getWidgetFrame,
  getWidgetAsset,
  // Schedules
  getResetCredits,
  // Server
  getHealth,
  getReadiness,
  getOpenApi,
  postPolicyReport,
  // Development
  postDevelopmentSignIn,
  postDevelopmentSignOut
]

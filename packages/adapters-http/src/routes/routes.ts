import { getBalance, getCreditHistory, getInvoices, postPortal } from "./billing.ts"
import {
  deleteConversation,
  exportConversationLines,
  exportConversationTable,
  getConversation,
  listConversations
} from "./botConversations.ts"
import { deleteBot, deleteBotKey, getBot, listBots, patchBot, postBot, postBotKey } from "./bots.ts"
import { getChat, postChat } from "./chat.ts"
import { deleteCrmConnection, getCrmCallback, getCrmConnect, listCrmConnections } from "./crm.ts"
import { getResetCredits } from "./cron.ts"
import { patchChat, putChatDocuments } from "./chatChanges.ts"
import { deleteChat, getOneChat, listChats } from "./chats.ts"
import { postDevelopmentSignIn, postDevelopmentSignOut } from "./development.ts"
import { getDocumentFile, getDocumentText } from "./documentContents.ts"
import { deleteDocument, getDocument, listDocuments, postRag, postUpload } from "./documents.ts"
import { postRelease, postRenew, postReserve, postSettle } from "./keyCredits.ts"
import { getMe, getSession } from "./me.ts"
import { listModels } from "./models.ts"
import { getPlans, getSubscription, postCheckout } from "./plans.ts"
import type { Route } from "./Route.ts"
import { deleteRunningReply, getRunningReply } from "./runningReply.ts"
import { postSignOut } from "./signOut.ts"
import { getUsage } from "./usage.ts"
import { postPaymentWebhook } from "./webhooks.ts"
import { getWidgetAsset, getWidgetFrame, getWidgetLoader } from "./widgetFiles.ts"
import { getWidgetConfig, postWidgetChat, postWidgetConversation } from "./widget.ts"
import { getHealth, getOpenApi, getReadiness } from "./server.ts"

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
  // Documents
  postUpload,
  postRag,
  listDocuments,
  getDocument,
  deleteDocument,
  getDocumentText,
  getDocumentFile,
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
  // Development
  postDevelopmentSignIn,
  postDevelopmentSignOut
]

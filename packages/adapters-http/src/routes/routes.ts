import { getBalance, getCreditHistory } from "./billing.ts"
import { getChat, postChat } from "./chat.ts"
import { getResetCredits } from "./cron.ts"
import { deleteChat, getOneChat, listChats } from "./chats.ts"
import { postDevelopmentSignIn, postDevelopmentSignOut } from "./development.ts"
import { deleteDocument, getDocument, listDocuments, postRag, postUpload } from "./documents.ts"
import { listModels } from "./models.ts"
import type { Route } from "./Route.ts"
import { getUsage } from "./usage.ts"
import { getHealth, getOpenApi, getReadiness } from "./server.ts"

/**
 * Every route there is. The router serves this list, the OpenAPI document describes it, and the tests of access and
 * of hostile input are made from it: a route that is missing here does not exist.
 */
export const routes: ReadonlyArray<Route> = [
  // Chat
  getChat,
  postChat,
  listChats,
  getOneChat,
  deleteChat,
  listModels,
  // Documents
  postUpload,
  postRag,
  listDocuments,
  getDocument,
  deleteDocument,
  // Billing
  getBalance,
  getCreditHistory,
  getUsage,
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

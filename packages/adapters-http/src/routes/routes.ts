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
import { getPreferences, putPreferences } from "./account/preferences.ts"
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
import { getBotReport, getBotReportTable } from "./bots/botReport.ts"
import { getInbox, postAnswer, putConversationState } from "./bots/handovers.ts"
import { deleteBot, deleteBotKey, getBot, listBots, listBotSites, patchBot, postBot, postBotKey } from "./bots/bots.ts"
import { getChat, postChat } from "./chats/chat.ts"
import { deleteCrmConnection, getCrmCallback, getCrmConnect, listCrmConnections } from "./bots/crm.ts"
import { getResetCredits } from "./server/cron.ts"
import { deleteChat, getOneChat, listChats, patchChat, putChatDocuments } from "./chats/chats.ts"
import { deleteRating, deleteShare, getSharedChat, putRating, putShare } from "./chats/sharing.ts"
import { getImage, postImage } from "./chats/images.ts"
import { deleteProject, listProjects, patchProject, postProject } from "./chats/projects.ts"
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
import { getCompletionModels, postCompletion } from "./services/completions.ts"
import { getEvents } from "./services/events.ts"
import { getUsage } from "./billing/usage.ts"
import { postPaymentWebhook } from "./billing/webhooks.ts"
import { getWidgetAsset, getWidgetFrame, getWidgetLoader } from "./widget/widgetFiles.ts"
import {
  getWidgetConfig,
  postWidgetChat,
  postWidgetConversation,
  postWidgetFile,
  postWidgetPerson,
  postWidgetRating
} from "./widget/widget.ts"
import { postPolicyReport } from "./server/policyReports.ts"
import { getHealth, getOpenApi, getReadiness } from "./server/server.ts"

/** Routes of one subject, by the ids of their operations in the OpenAPI document. */
interface Area {
  readonly name: string
  readonly description: string
  readonly routes: Readonly<Record<string, Route>>
}

/**
 * Every route. The server answers from this table, the OpenAPI document describes it, clients take the names of
 * operations from it, and the tests of access and of hostile input are derived from it: a route that is missing here
 * does not exist.
 */
export const areas: ReadonlyArray<Area> = [
  {
    name: "Chat",
    description: "Chats with streamed replies, and the models that write them.",
    routes: {
      getChatHealth: getChat,
      sendMessage: postChat,
      listChats,
      getChat: getOneChat,
      updateChat: patchChat,
      deleteChat,
      setChatDocuments: putChatDocuments,
      joinReply: getRunningReply,
      stopReply: deleteRunningReply,
      uploadImage: postImage,
      getImage,
      listModels
    }
  },
  {
    name: "Shared chats and ratings",
    description: "Chats that others read by a link, and the opinions of replies' readers.",
    routes: {
      rateReply: putRating,
      deleteRating,
      shareChat: putShare,
      unshareChat: deleteShare,
      getSharedChat
    }
  },
  {
    name: "Projects",
    description: "Folders of chats with instructions and documents for all replies in them.",
    routes: {
      listProjects,
      createProject: postProject,
      updateProject: patchProject,
      deleteProject
    }
  },
  {
    name: "Person",
    description: "The signed-in person, and the data that is stored about them.",
    routes: {
      getMe,
      getSession,
      getPreferences,
      setPreferences: putPreferences,
      signOut: postSignOut,
      exportAccount: getExport,
      deleteAccount
    }
  },
  {
    name: "Sign-in",
    description: "Signing in by e-mail, if the server offers it.",
    routes: {
      getSignInPage: getSignIn,
      requestSignIn: postSignIn,
      confirmSignIn: postSignInCode
    }
  },
  {
    name: "Documents",
    description: "Uploaded documents, which replies can use.",
    routes: {
      uploadDocument: postUpload,
      processDocument: postRag,
      listDocuments,
      getDocument,
      deleteDocument,
      getDocumentText,
      getDocumentFile,
      getReindexing,
      reindexDocuments: postReindexing
    }
  },
  {
    name: "Bots",
    description: "Assistants for the visitors of sites.",
    routes: {
      listBots,
      createBot: postBot,
      getBot,
      updateBot: patchBot,
      deleteBot,
      createBotKey: postBotKey,
      deleteBotKey,
      listBotSites
    }
  },
  {
    name: "Conversations",
    description: "What visitors said to bots, and the answers of people in the place of bots.",
    routes: {
      listConversations,
      exportConversationLines,
      exportConversationTable,
      getConversation,
      deleteConversation,
      getInbox,
      getBotReport,
      getBotReportTable,
      answerVisitor: postAnswer,
      moveConversation: putConversationState
    }
  },
  {
    name: "CRM connections",
    description: "Bots that are connected to the CRMs of their owners.",
    routes: {
      connectCrm: getCrmConnect,
      completeCrmConnection: getCrmCallback,
      listCrmConnections,
      deleteCrmConnection
    }
  },
  {
    name: "Visitors",
    description: "The messages of a bot's visitors.",
    routes: {
      getWidgetConfig,
      sendVisitorMessage: postWidgetChat,
      getVisitorConversation: postWidgetConversation,
      askForPerson: postWidgetPerson,
      attachVisitorFile: postWidgetFile,
      rateVisitorReply: postWidgetRating
    }
  },
  {
    name: "Billing",
    description: "Credits, plans and payments of the signed-in person.",
    routes: {
      getBalance,
      listTransactions: getCreditHistory,
      getUsage,
      getPlans,
      getSubscription,
      createCheckout: postCheckout,
      openPortal: postPortal,
      listInvoices: getInvoices,
      receivePaymentEvent: postPaymentWebhook
    }
  },
  {
    name: "Services",
    description: "Metering, people, events and OpenAI's protocol for back ends with a service key.",
    routes: {
      reserveCredits: postReserve,
      renewHold: postRenew,
      settleHold: postSettle,
      releaseHold: postRelease,
      getPersonBalance,
      listPersonTransactions: getPersonHistory,
      grantCredits: postGrant,
      getPersonTier,
      setPersonTier: putPersonTier,
      listEvents: getEvents,
      createCompletion: postCompletion,
      listCompletionModels: getCompletionModels
    }
  },
  {
    name: "Operators",
    description: "Support and administration by signed-in operators.",
    routes: {
      listPeople,
      getPerson,
      getHistoryOfPerson,
      blockPerson: postBlock,
      unblockPerson: postUnblock,
      signOutPerson: postSignOutEverywhere,
      grantCreditsToPerson: postOperatorGrant,
      adjustCredits: postAdjustment,
      refundCredits: postRefund,
      setTierOfPerson: putTier,
      unpinTier: postUnpin,
      listAudit,
      getServiceHealth: getAdminHealth,
      getServiceReindexing: getAdminReindexing,
      estimateReindexing: getReindexingEstimate,
      reindexService: postAdminReindexing,
      getMoneyReport: getMoney,
      listPayments,
      getVerification
    }
  },
  {
    name: "Widget files",
    description: "The files that a visitor's browser loads.",
    routes: {
      getWidgetLoader,
      getWidgetFrame,
      getWidgetAsset
    }
  },
  {
    name: "Schedules",
    description: "Work that an external schedule starts.",
    routes: {
      resetCredits: getResetCredits
    }
  },
  {
    name: "Server",
    description: "The state and the description of the server.",
    routes: {
      getHealth,
      getReadiness,
      getOpenApi,
      reportPolicyViolation: postPolicyReport
    }
  },
  {
    name: "Development",
    description: "Signing in on a developer's machine.",
    routes: {
      signInForDevelopment: postDevelopmentSignIn,
      signOutForDevelopment: postDevelopmentSignOut
    }
  }
]

/** The routes of all areas. */
export const routes: ReadonlyArray<Route> = areas.flatMap(({ name: area, routes: ofArea }) =>
  Object.entries(ofArea).map(([id, route]) => ({ ...route, operation: { id, area } }))
)

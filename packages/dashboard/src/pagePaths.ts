/**
 * The addresses of the application's pages, as route patterns (`:name` stands for one segment). The server answers each
 * with the application, which shows the page. The dashboard answers no other address.
 */
export const PAGE_PATHS = {
  newChat: "/",
  chat: "/chats/:chatId",
  /** A shared chat, which people can read without signing in. */
  sharedChat: "/shared/:shareId",
  projects: "/projects",
  project: "/projects/:projectId",
  documents: "/documents",
  document: "/documents/:documentId",
  usage: "/usage",
  billing: "/billing",
  bots: "/bots",
  newBot: "/bots/new",
  bot: "/bots/:botId",
  botInstall: "/bots/:botId/install",
  botReport: "/bots/:botId/report",
  botConversations: "/bots/:botId/conversations",
  botConversation: "/bots/:botId/conversations/:conversationId",
  /**
   * The address to which other sites send people back for a bot. The application redirects from it to the bot's page.
   */
  foundBot: "/dashboard/bots/:botId",
  settings: "/settings",
  admin: "/admin",
  adminPeople: "/admin/people",
  adminPerson: "/admin/people/:userId",
  adminMoney: "/admin/money",
  adminDocuments: "/admin/documents",
  adminHealth: "/admin/health",
  adminAudit: "/admin/audit"
} as const

import { PAGE_PATHS } from "../../../src/pagePaths.ts"

/** Where a bot's page is. */
export const botPath = (botId: string): string => `${PAGE_PATHS.bots}/${encodeURIComponent(botId)}`

/** Where what visitors said to it is. */
export const conversationsPath = (botId: string): string => `${botPath(botId)}/conversations`

export const conversationPath = (botId: string, conversationId: string): string =>
  `${conversationsPath(botId)}/${encodeURIComponent(conversationId)}`

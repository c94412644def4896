import { PAGE_PATHS } from "../../../src/pagePaths.ts"

/** The address of a bot's page. */
export const botPath = (botId: string): string => `${PAGE_PATHS.bots}/${encodeURIComponent(botId)}`

/** The address of the bot's conversations. */
export const conversationsPath = (botId: string): string => `${botPath(botId)}/conversations`

/** The address of the page with which the bot is installed on a site. */
export const installPath = (botId: string): string => `${botPath(botId)}/install`

/** The address of the bot's report. */
export const reportPath = (botId: string): string => `${botPath(botId)}/report`

export const conversationPath = (botId: string, conversationId: string): string =>
  `${conversationsPath(botId)}/${encodeURIComponent(conversationId)}`

import type { BotConfig } from "./api/BotConfig.ts"
import type { WidgetApi } from "./api/WidgetApi.ts"

/**
 * The first and the longest pause between two tries, in milliseconds. Each pause is twice as long as the one before.
 */
const FIRST_MS = 2_000
const LONGEST_MS = 60_000

/** Reads a bot's configuration, and retries until the server answers. Returns undefined if the bot does not exist. */
export const readConfig = async (api: WidgetApi, onWait: () => void): Promise<BotConfig | undefined> => {
  for (let pauseMs = FIRST_MS; ; pauseMs = Math.min(pauseMs * 2, LONGEST_MS)) {
    const answer = await api.config()
    if (!("kind" in answer)) return answer
    if (answer.kind === "absent") return undefined
    onWait()
    const asked = answer.kind === "limit" ? answer.retryAfterSeconds * 1_000 : 0
    await new Promise((resolve) => setTimeout(resolve, Math.max(pauseMs, asked)))
  }
}

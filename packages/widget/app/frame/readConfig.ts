import type { BotConfig } from "./api/BotConfig.ts"
import type { WidgetApi } from "./api/WidgetApi.ts"

/** Before the first try again, and at most, in milliseconds; each time twice as long. */
const FIRST_MS = 2_000
const LONGEST_MS = 60_000

/** Reads a bot's configuration, and retries while the service does not answer. Undefined if the bot does not exist. */
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

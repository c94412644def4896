import { billing } from "./billing.ts"
import { bots } from "./bots.ts"
import { chat } from "./chat.ts"
import { documents } from "./documents.ts"
import { problems } from "./problems.ts"
import { settings } from "./settings.ts"
import { shell } from "./shell.ts"
import { usage } from "./usage.ts"

/** Every text of the application, in English. Each area has a file of its own; this one joins them. */
export const english = {
  ...shell,
  ...problems,
  ...chat,
  ...documents,
  ...usage,
  ...billing,
  ...bots,
  ...settings
} as const

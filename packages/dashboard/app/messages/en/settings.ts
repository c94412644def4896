import type { Message } from "../format.ts"

/** The settings. */
export const settings = {
  "settings.appearance": "Appearance",
  "settings.theme": "Colours",
  "settings.language": "Language",
  "settings.account": "Account",
  "settings.signedInAs": "Signed in as",
  "settings.plan": "Plan",
  "settings.planCredits": { one: "{count} credit a month", other: "{count} credits a month" },
  "settings.planDocuments": {
    one: "up to {count} document, {size} in all",
    other: "up to {count} documents, {size} in all"
  },
  "settings.costs": "What costs credits",
  "settings.costs.text":
    "A reply costs what its model reads and writes; documents cost nothing. A reply goes on, and goes on costing, when you close the page or lose the connection: it is there when you come back. “Stop” ends it, and what it costs."
} as const satisfies Record<string, Message>

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
  "settings.data": "Your data",
  "settings.export":
    "A copy of everything that is stored about you, as lines of JSON. Files are on the page of documents.",
  "settings.export.action": "Download",
  "settings.delete": "Deletes your account and all that belongs to it, for ever.",
  "settings.delete.action": "Delete account",
  "settings.delete.title": "Delete your account?",
  "settings.delete.text":
    "Your chats, documents and bots, and the credits that are left, will be gone. A plan that you pay for ends now, and nothing is paid back. This cannot be undone.",
  "settings.signInAgain": "Sign in again",
  "settings.costs": "What costs credits",
  "settings.costs.text":
    "A reply costs what its model reads and writes; documents cost nothing. A reply goes on, and goes on costing, when you close the page or lose the connection: it is there when you come back. “Stop” ends it, and what it costs."
} as const satisfies Record<string, Message>

import type { Message } from "../format.ts"

/** Texts of the shortcuts and of their dialogs. */
export const keys = {
  "keys.field": "Search chats and pages",
  "keys.results": "Found chats and pages",
  "keys.none": "Nothing was found.",
  "keys.title": "Keyboard shortcuts",
  "keys.search": "Search chats and pages",
  "keys.newChat": "Begin a new chat",
  "keys.focus": "Go to the field for your message",
  "keys.shortcuts": "Show the shortcuts",
  "keys.send": "Send the message",
  "keys.line": "Begin a new line in the message",
  "keys.stop": "Stop the reply",
  "keys.single": "Shortcuts of a single key"
} as const satisfies Record<string, Message>

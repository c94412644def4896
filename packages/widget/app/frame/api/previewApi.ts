import type { ConversationApi } from "./WidgetApi.ts"

/**
 * The text in the place of a public key with which the chat shows the settings that the dashboard sends, and calls no
 * route.
 */
export const PREVIEW = "preview"

const CONVERSATION = { conversationId: PREVIEW, hasEmail: false } as const

/** Answers each message with a sample reply, so that a preview costs nothing and stores nothing. */
export const previewApi = (sample: string): ConversationApi => ({
  ask: async () => ({
    kind: "reply",
    conversationId: PREVIEW,
    messageId: undefined,
    answeredBy: "bot",
    body: new Blob([sample]).stream()
  }),
  askForPerson: async () => ({ kind: "asked", ...CONVERSATION, state: "waiting", opensAt: undefined }),
  rate: async () => true,
  attach: async (_visitor, _conversation, { name }) => ({
    conversationId: PREVIEW,
    file: { name, state: "ready", words: "fileReady" }
  }),
  transcript: async () => ({ kind: "transcript", ...CONVERSATION, state: "waiting", messages: [], files: undefined })
})

import { TextStreamChatTransport, type UIMessage } from "ai"

const textOf = ({ parts }: UIMessage): string => parts.map((part) => (part.type === "text" ? part.text : "")).join("")

/** `useChat` over `POST /api/chat`: the messages as Parley takes them, the reply as the plain text that it streams. */
export const parleyTransport = (options: { readonly api?: string; readonly fetch?: typeof fetch } = {}) =>
  new TextStreamChatTransport<UIMessage>({
    api: "/api/chat",
    credentials: "same-origin",
    ...options,
    prepareSendMessagesRequest: ({ messages }) => ({
      body: { messages: messages.map((message) => ({ role: message.role, content: textOf(message) })) }
    })
  })

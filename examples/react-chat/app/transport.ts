import type { Balance, Receipt, Source } from "@parley/client"
import { DefaultChatTransport, type HttpChatTransportInitOptions, type UIMessage } from "ai"

/** A message with the parts that Parley adds to the text of a reply. */
export type ParleyMessage = UIMessage<
  { readonly chatId: string; readonly model: string },
  {
    readonly sources: ReadonlyArray<Source>
    readonly receipt: { readonly credits: number; readonly receipt: Receipt }
    readonly balance: Balance
  }
>

/**
 * `useChat` over `POST /api/chat`, which answers with the stream of the AI SDK if these headers ask for it. The newest
 * reply names the chat, and the server has all messages before it, so only that reply and what follows are sent.
 */
export const parleyTransport = (options: HttpChatTransportInitOptions<ParleyMessage> = {}) =>
  new DefaultChatTransport<ParleyMessage>({
    api: "/api/chat",
    credentials: "same-origin",
    headers: { accept: "text/event-stream", "x-vercel-ai-ui-message-stream": "v1" },
    prepareSendMessagesRequest: ({ body, headers, messages }) => ({
      ...(headers === undefined ? {} : { headers }),
      body: {
        ...body,
        messages: messages.slice(
          Math.max(
            0,
            messages.findLastIndex(({ role }) => role === "assistant")
          )
        )
      }
    }),
    ...options
  })

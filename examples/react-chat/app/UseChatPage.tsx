import { type Chat, useChat } from "@ai-sdk/react"
import type { UIMessage } from "ai"
import { type FormEvent, type ReactElement, useState } from "react"

/** The messages, and a line for the next one. */
export const UseChatPage = ({ chat }: { readonly chat: Chat<UIMessage> }): ReactElement => {
  const { error, messages, sendMessage, status } = useChat({ chat })
  const [text, setText] = useState("")
  const send = (event: FormEvent) => {
    event.preventDefault()
    setText("")
    void sendMessage({ text })
  }
  return (
    <main>
      {messages.map(({ id, parts, role }) => (
        <p key={id} className={role}>
          {parts.map((part) => (part.type === "text" ? part.text : ""))}
        </p>
      ))}
      {error && <p role="alert">{error.message}</p>}
      <form onSubmit={send}>
        <input value={text} onChange={(event) => setText(event.target.value)} />
        <button disabled={status === "streaming" || status === "submitted"}>Send</button>
      </form>
    </main>
  )
}

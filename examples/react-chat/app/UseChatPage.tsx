import { type Chat, useChat } from "@ai-sdk/react"
import { type FormEvent, type ReactElement, useState } from "react"
import type { ParleyMessage } from "./transport.ts"

type Part = ParleyMessage["parts"][number]

/** A part of a reply: its text, its sources, what it cost, or the credits that are left. */
const shown = (part: Part): ReactElement | string | null => {
  switch (part.type) {
    case "text":
      return part.text
    case "data-sources":
      return <small>{part.data.map(({ filename, number }) => `[${number}] ${filename} `)}</small>
    case "data-receipt":
      return <small>{` ${part.data.credits} credits`}</small>
    case "data-balance":
      return <small>{`, ${part.data.available} left`}</small>
    default:
      return null
  }
}

/** The sentence of a refusal: the error's message is the problem that Parley answered with. */
const sentenceOf = ({ message }: Error): string => {
  try {
    return (JSON.parse(message) as { readonly detail: string }).detail
  } catch {
    return message
  }
}

/** The messages, and a line for the next one. */
export const UseChatPage = ({ chat }: { readonly chat: Chat<ParleyMessage> }): ReactElement => {
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
        <article key={id} className={role}>
          {parts.map((part, place) => (
            <span key={place}>{shown(part)}</span>
          ))}
        </article>
      ))}
      {error && <p role="alert">{sentenceOf(error)}</p>}
      <form onSubmit={send}>
        <input aria-label="Message" value={text} onChange={(event) => setText(event.target.value)} />
        <button disabled={status === "streaming" || status === "submitted"}>Send</button>
      </form>
    </main>
  )
}

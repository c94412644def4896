import { useBalance, useDocuments, useParleyChat } from "@parley/react"
import { type FormEvent, type ReactElement, useState } from "react"

/** A chat over the person's documents, with its sources, its cost, and the rest of the credits. */
export const ChatPage = (): ReactElement => {
  const { balance } = useBalance()
  const { documents = [], upload, uploads } = useDocuments()
  const ready = documents.filter(({ status }) => status === "ready")
  const { error, messages, send, status, stop } = useParleyChat({
    chatId: location.hash.slice(1) || undefined,
    onChat: (chatId) => (location.hash = chatId),
    documentIds: ready.map(({ id }) => id)
  })
  const [text, setText] = useState("")
  const submit = async (event: FormEvent) => {
    event.preventDefault()
    if (await send(text)) setText("")
  }
  return (
    <main>
      <p>{balance?.available} credits</p>
      <input
        type="file"
        aria-label="Document"
        onChange={({ target }) => target.files?.[0] && upload(target.files[0])}
      />
      {uploads.map((each) => (
        <p key={each.id}>{each.error?.message ?? `${each.filename}: ${Math.round(100 * each.progress)} %`}</p>
      ))}
      <ul>
        {documents.map(({ filename, id, status: state }) => (
          <li key={id}>{`${filename}: ${state}`}</li>
        ))}
      </ul>
      {messages.map(({ content, credits, id, role, sources }) => (
        <article key={id} className={role}>
          <p>{content}</p>
          {sources.map(({ filename, number }) => (
            <small key={number}>{`[${number}] ${filename} `}</small>
          ))}
          {credits !== null && <small>{`${credits} credits`}</small>}
        </article>
      ))}
      {error && (
        <p role="alert">{error.code === "insufficient_credits" ? "You have no credits left." : error.message}</p>
      )}
      <form onSubmit={submit}>
        <input aria-label="Message" value={text} onChange={(event) => setText(event.target.value)} />
        {status === "streaming" ? (
          <button type="button" onClick={stop}>
            Stop
          </button>
        ) : (
          <button disabled={status !== "ready"}>Send</button>
        )}
      </form>
    </main>
  )
}

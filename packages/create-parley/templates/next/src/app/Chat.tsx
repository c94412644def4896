import { useBalance, useDocuments, useParleyChat } from "@parley/react"
import { type FormEvent, useState } from "react"

/** A chat over the person's documents, with sources, cost and the rest of the credits. */
export const Chat = () => {
  const { balance } = useBalance()
  const { documents = [], upload } = useDocuments()
  const ready = documents.filter(({ status }) => status === "ready")
  const { error, messages, send, status } = useParleyChat({ documentIds: ready.map(({ id }) => id) })
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
      {documents.map((document) => (
        <p key={document.id}>{`${document.filename}: ${document.status}`}</p>
      ))}
      {messages.map(({ content, credits, id, sources }) => (
        <article key={id}>
          <p>{content}</p>
          {sources.map(({ filename, number }) => (
            <small key={number}>{`[${number}] ${filename} `}</small>
          ))}
          {credits !== null && <small>{`${credits} credits`}</small>}
        </article>
      ))}
      {error && <p role="alert">{error.message}</p>}
      <form onSubmit={submit}>
        <input aria-label="Message" value={text} onChange={(event) => setText(event.target.value)} />
        <button disabled={status !== "ready"}>Send</button>
      </form>
    </main>
  )
}

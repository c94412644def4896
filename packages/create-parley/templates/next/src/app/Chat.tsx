import { useBalance, useDocuments, useParley, useParleyChat } from "@parley/react"
import { type FormEvent, useState } from "react"

/** A chat about the person's documents, with sources, costs and the remaining credits. */
export const Chat = () => {
  const client = useParley()
  const { balance } = useBalance()
  const { documents = [], upload } = useDocuments()
  const ready = documents.filter(({ status }) => status === "ready")
  const { error, messages, send, status } = useParleyChat({
    // The page's address contains the chat's id, so that a reload shows the same chat.
    chatId: location.hash.slice(1) || undefined,
    onChat: (chatId) => (location.hash = chatId),
    documentIds: ready.map(({ id }) => id)
  })
  const [text, setText] = useState("")
  const submit = async (event: FormEvent) => {
    event.preventDefault()
    if (await send(text)) setText("")
  }
  const signOut = async () => {
    const { url } = await client.signOut()
    location.assign(url ?? "/")
  }
  return (
    <main>
      <p>{balance?.available} credits</p>
      <a href="/">New chat</a> <button onClick={signOut}>Sign out</button>
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

import { Chat } from "@ai-sdk/react"
import { createParleyClient } from "@parley/client"
import { createRoot } from "react-dom/client"
import { parleyTransport } from "./transport.ts"
import { UseChatPage } from "./UseChatPage.tsx"

/** The page answers from all documents of the person. */
const start = async () => {
  const documents = await createParleyClient({ baseUrl: "" }).documents.list()
  const transport = parleyTransport({ body: { documentIds: documents.map(({ id }) => id) } })
  createRoot(document.body.appendChild(document.createElement("div"))).render(
    <UseChatPage chat={new Chat({ transport })} />
  )
}

void start()

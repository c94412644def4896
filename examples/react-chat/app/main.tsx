import { Chat } from "@ai-sdk/react"
import { createRoot } from "react-dom/client"
import { ChatPage } from "./ChatPage.tsx"
import { parleyTransport } from "./transport.ts"

const chat = new Chat({ transport: parleyTransport() })
createRoot(document.body.appendChild(document.createElement("div"))).render(<ChatPage chat={chat} />)

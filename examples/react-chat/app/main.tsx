import { ParleyProvider } from "@parley/react"
import { createRoot } from "react-dom/client"
import { ChatPage } from "./ChatPage.tsx"

createRoot(document.body.appendChild(document.createElement("div"))).render(
  <ParleyProvider baseUrl="">
    <ChatPage />
  </ParleyProvider>
)

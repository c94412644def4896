"use client"

import { ParleyProvider } from "@parley/react"
import { Chat } from "./Chat.tsx"
import { SignIn } from "./SignIn.tsx"

export default function Page() {
  return (
    <ParleyProvider baseUrl="">
      <SignIn />
      <Chat />
    </ParleyProvider>
  )
}

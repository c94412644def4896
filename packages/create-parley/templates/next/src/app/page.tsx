"use client"

import { ParleyProvider, useBalance } from "@parley/react"
import { Chat } from "./Chat.tsx"
import { SignIn } from "./SignIn.tsx"

/** Shows the chat of the signed-in person, or the sign-in if no person is signed in. */
const Person = () => {
  const { balance, error } = useBalance()
  if (balance) return <Chat />
  if (error?.status === 401) return <SignIn />
  return error ? <p role="alert">{error.message}</p> : <p>One moment…</p>
}

export default function Page() {
  return (
    <ParleyProvider baseUrl="">
      <Person />
    </ParleyProvider>
  )
}

"use client"

import { ParleyProvider, useBalance } from "@parley/react"
import { Chat } from "./Chat.tsx"
import { SignIn } from "./SignIn.tsx"

/** The chat of the person who is signed in, or the sign-in. */
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

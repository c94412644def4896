"use client"

import { type FormEvent, useState } from "react"

/** The development sign-in accepts any address, but only from a browser on this machine. */
export const SignIn = () => {
  const [email, setEmail] = useState("")
  const submit = async (event: FormEvent) => {
    event.preventDefault()
    const body = JSON.stringify({ email })
    const headers = { "content-type": "application/json" }
    const { ok } = await fetch("/dev/sign-in", { method: "POST", headers, body })
    if (ok) location.reload()
  }
  return (
    <form onSubmit={submit}>
      <input type="email" aria-label="Address" value={email} onChange={(event) => setEmail(event.target.value)} />
      <button>Sign in</button>
    </form>
  )
}

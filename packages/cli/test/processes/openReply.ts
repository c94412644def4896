import { join } from "node:path"
import { openDatabase } from "@parley/adapters-db"
import { Effect } from "effect"
import { Visitor } from "./RunningServer.ts"

/** A person's credits in the database of a stopped server. */
export const creditsOf = async (userId: string, folder: string) => {
  const { creditRecords, close } = await openDatabase({ dataDir: join(folder, ".parley", "database"), migrate: false })
  try {
    const look = Effect.all({
      account: creditRecords.account(userId),
      usage: creditRecords.history({ userId, type: "usage", limit: 10, offset: 0 })
    })
    const { account, usage } = await Effect.runPromise(look)
    return {
      held: account.heldAllowance + account.heldTopup,
      replies: usage.transactions.map(({ receipt }) => receipt?.ended)
    }
  } finally {
    await close()
  }
}

/** Starts a reply and returns its reader when the first words have arrived. */
export const openReply = async (url: string, user: string, message: string) => {
  const visitor = new Visitor(url)
  await visitor.signIn(user)
  const answer = await visitor.post("/api/chat", { messages: [{ role: "user", content: message }] })
  const reader = answer.body?.pipeThrough(new TextDecoderStream()).getReader()
  if (reader === undefined) throw new Error("The reply has no body.")
  const first = await reader.read()
  return { reader, first: first.value ?? "" }
}

/** The rest of a reply, to its end. */
export const restOf = async (reader: ReadableStreamDefaultReader<string>): Promise<string> => {
  let text = ""
  for (;;) {
    const { done, value } = await reader.read()
    if (done) return text
    text += value
  }
}

import { openDatabase } from "@parley/adapters-db"
import { openDocumentParser } from "@parley/adapters-documents"
import { chatModels } from "@parley/adapters-llm"
import { createParley } from "@parley/core"

const database = await openDatabase({ url: process.env["DATABASE_URL"] }) // unset: Postgres in this process
const { parser, close } = await openDocumentParser()
const parley = await createParley({ ...database, parser, models: chatModels() }) // no vendor: the offline model

const bytes = new TextEncoder().encode("Storks return to Alsace in March and nest on chimneys.")
const { id } = await parley.documents.upload({ userId: "ann", filename: "storks.txt", bytes })
while ((await parley.documents.get("ann", id)).status === "processing") await new Promise((go) => setTimeout(go, 50))

const question = { role: "user" as const, content: "When do storks return?" }
const reply = await parley.chat.send("ann", { messages: [question], documentIds: [id] })
for await (const text of reply.stream) process.stdout.write(text)
console.log("\n", reply.sources[0], await parley.credits.balance("ann"))

await parley.close()
await close()
await database.close()

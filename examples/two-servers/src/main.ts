import { fork } from "node:child_process"
import { once } from "node:events"

/** Starts a process of this folder, and returns its first message. */
const start = async (name: string): Promise<string> => {
  const child = fork(new URL(`${name}${import.meta.url.endsWith(".ts") ? ".ts" : ".js"}`, import.meta.url))
  const [said] = await once(child, "message")
  return said as string
}

const first = await start("serverProcess")
const [second] = await Promise.all([start("serverProcess"), start("workerProcess")])
const headers = { cookie: "session=anns" }

const form = new FormData()
form.set("file", new File(["Storks return to Alsace in March and nest on chimneys."], "storks.txt"))
const uploaded = await fetch(`${first}/api/upload`, { method: "POST", headers, body: form })
const { documentId } = (await uploaded.json()) as { documentId: string }
console.log("uploaded to the first server:", uploaded.status)

const document = async () =>
  (await (await fetch(`${second}/api/documents/${documentId}`, { headers })).json()) as { status: string }
while ((await document()).status === "processing") await new Promise((go) => setTimeout(go, 50))
console.log("read by the worker:", (await document()).status)

const body = JSON.stringify({
  messages: [{ role: "user", content: "When do storks return?" }],
  documentIds: [documentId]
})
const asked = { method: "POST", headers: { ...headers, "content-type": "application/json" }, body }
const reply = await fetch(`${second}/api/chat`, asked)
console.log("answered by the second server:", (await reply.text()).includes("March"))

const balance = async (url: string) =>
  ((await (await fetch(`${url}/api/billing/balance`, { headers })).json()) as { available: number }).available
console.log("the same balance at both:", (await balance(first)) === (await balance(second)))
process.exit()

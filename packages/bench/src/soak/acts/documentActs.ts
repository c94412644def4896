import { setTimeout as sleep } from "node:timers/promises"
import { askAbout } from "./chatActs.ts"
import { below, type Scene } from "./Scene.ts"

/** One of this many documents stays; the others are deleted. */
const KEPT_EVERY = 4
const READY_MS = 120_000
const POLL_MS = 1_000
const BOUNDARY = "soak-boundary"

/** Returns a report of a few passages, as text or as HTML. One passage contains the code. */
const reportOf = (code: string): { readonly filename: string; readonly text: string } => {
  const filler = Array.from(
    { length: 10 + below(30) },
    (_, index) => `Paragraph ${index + 1} of the minutes says that the meeting went on as planned.`
  )
  const fact = `The report contains the word ${code} beside the inventory of the warehouse.`
  const paragraphs = [...filler, fact, ...filler]
  return below(2) === 0
    ? { filename: `${code}.txt`, text: paragraphs.join("\n\n") }
    : { filename: `${code}.html`, text: `<h1>Report</h1>${paragraphs.map((each) => `<p>${each}</p>`).join("\n")}` }
}

const upload = (scene: Scene, user: string, { filename, text }: ReturnType<typeof reportOf>) =>
  scene.ask(user, "/api/upload", {
    headers: { "content-type": `multipart/form-data; boundary=${BOUNDARY}` },
    body: [
      `--${BOUNDARY}`,
      `Content-Disposition: form-data; name="file"; filename="${filename}"`,
      `Content-Type: ${filename.endsWith("html") ? "text/html" : "text/plain"}`,
      "",
      text,
      `--${BOUNDARY}--`,
      ""
    ].join("\r\n")
  })

/** Waits for a document; returns true if it becomes ready in time. */
const becomesReady = async (scene: Scene, user: string, id: string): Promise<boolean> => {
  const from = Date.now()
  while (Date.now() < from + READY_MS) {
    const answer = await scene.ask(user, `/api/documents/${id}`, { method: "GET" })
    const status = /"status":"(\w+)"/.exec(answer.text)?.[1]
    const isKnown = answer.status === 200 && status !== "failed"
    if (!scene.outcomes.count("GET a document", answer, isKnown) && answer.status === 200) return false
    if (status === "ready") return true
    await sleep(POLL_MS)
  }
  scene.outcomes.fail(`a document was not ready after ${READY_MS / 1_000} s`, from)
  return false
}

/** Uploads a document, asks a question about it when it is ready, and usually deletes it. */
export const uploadAndAsk = async (scene: Scene): Promise<void> => {
  const user = scene.steadyPerson()
  const code = `code-${scene.number()}`
  const report = reportOf(code)
  const uploaded = await upload(scene, user, report)
  const id = /"documentId":"([0-9a-f-]+)"/.exec(uploaded.text)?.[1]
  if (!scene.outcomes.count("upload", uploaded, uploaded.status === 200) || id === undefined) return
  if (!(await becomesReady(scene, user, id))) return
  await askAbout(scene, user, id, code)
  const kept = { kind: "document", id, bytes: Buffer.byteLength(report.text) } as const
  if (scene.number() % KEPT_EVERY === 0) return scene.spool.add({ ...kept, isDeleted: false })
  const deleted = await scene.ask(user, `/api/documents/${id}`, { method: "DELETE" })
  if (scene.outcomes.count("delete a document", deleted, deleted.status === 204)) {
    scene.spool.add({ ...kept, isDeleted: true })
  }
}

import { afterAll, beforeAll, describe, expect, it } from "vitest"
import { temporaryFolder } from "./processes/ParleyProcess.ts"
import { runHere } from "./processes/runHere.ts"
import { Visitor } from "./processes/RunningServer.ts"
import { serveHere, type ServerHere } from "./processes/serveHere.ts"

const ANN = "ann@example.com"

interface Row {
  readonly id: string
  readonly publicKey: string
  readonly [setting: string]: unknown
}

describe("bots beside a running server", () => {
  const folder = temporaryFolder()
  let server: ServerHere
  let ann: Visitor
  beforeAll(async () => {
    server = await serveHere(folder.path)
    ann = new Visitor(server.url)
    await ann.signIn(ANN)
  })
  afterAll(async () => {
    await server[Symbol.asyncDispose]()
    folder[Symbol.dispose]()
  })
  const parley = (...argv: ReadonlyArray<string>) => runHere(["bots", ...argv], folder.path)
  const json = async (...argv: ReadonlyArray<string>) => {
    const { exit, stdout } = await parley(...argv, "--json")
    expect(exit).toBe(0)
    return JSON.parse(stdout) as Row & { readonly bots: ReadonlyArray<Row> }
  }

  it("are created with the flags' settings, which the routes return to their owner", async () => {
    const uploaded = await ann.upload("storks.txt", new TextEncoder().encode("Storks nest on chimneys."))
    const { documentId } = (await uploaded.json()) as { documentId: string }
    const made = await json(
      ...["create", "--owner", ANN, "--name", "Ada", "--welcome", "Hi!", "--color", "#0A7D5A"],
      ...["--model", "model-a-mini", "--document", documentId, "--site", "https://example.com", "--site", "b.example"],
      ...["--question", "Why?", "--daily-cap", "50", "--decline", "Come back later.", "--hide-sources"]
    )
    const { dryRun, owner, publicKey, ...row } = made
    expect([dryRun, owner]).toEqual([false, ANN])
    expect(publicKey).toMatch(/^pk_[0-9a-z]{32}$/)
    expect(row).toMatchObject({
      displayName: "Ada",
      welcomeMessage: "Hi!",
      primaryColor: "#0a7d5a",
      modelId: "model-a-mini",
      documentIds: [documentId],
      allowedSites: ["https://example.com", "https://b.example"],
      suggestedQuestions: ["Why?"],
      dailyCap: 50,
      declineText: "Come back later.",
      showSources: false,
      active: true
    })
    expect(await ann.getJson(`/api/bots/${row.id}`)).toEqual(row)
    expect((await json("list", "--owner", ANN)).bots).toMatchObject([{ id: row.id, publicKey }])
  })

  it("print id and publicKey for people, too", async () => {
    const { exit, stdout } = await parley("create", "--owner", "bob@example.com", "--name", "Bob")
    expect(exit).toBe(0)
    expect(stdout).toMatch(/^id: [0-9a-f-]{36}\npublicKey: pk_[0-9a-z]{32}\n$/)
  })

  it("are changed in what is named, and their keys rotated", async () => {
    const owner = ["--owner", "cas@example.com"]
    const made = await json("create", ...owner, "--name", "Cas", "--welcome", "Hi!")
    const off = await json("update", made.id, ...owner, "--active=false", "--name", "Cassandra", "--new-key")
    expect(off).toMatchObject({ active: false, displayName: "Cassandra", welcomeMessage: "Hi!" })
    expect(off["keys"]).toHaveLength(2)
    expect(off.publicKey).not.toBe(made.publicKey)
    const rotated = await json("update", made.id, ...owner, "--retire-key", made.publicKey)
    expect(rotated["keys"]).toMatchObject([{ publicKey: off.publicKey }])
  })

  it("in a dry run are checked as otherwise, and neither made nor changed", async () => {
    const owner = ["--owner", "dry@example.com"]
    expect(await json("create", ...owner, "--name", "Dry", "--dry-run")).toMatchObject({
      dryRun: true,
      displayName: "Dry"
    })
    expect((await json("list", ...owner)).bots).toEqual([])
    const made = await json("create", ...owner, "--name", "Dry")
    expect(await json("update", made.id, ...owner, "--name", "Wet", "--dry-run")).toMatchObject({ displayName: "Wet" })
    expect((await json("list", ...owner)).bots).toMatchObject([{ displayName: "Dry" }])
    const { exit } = await parley("create", ...owner, "--name", "Dry", "--color", "red", "--dry-run")
    expect(exit).toBe(2)
  })

  it("end with 2 for settings that cannot be, 4 for what is not there, 5 for what a rule refuses", async () => {
    const owner = ["--owner", "eve@example.com"]
    const { id, publicKey } = await json("create", ...owner, "--name", "Eve")
    const nobodys = "00000000-0000-4000-8000-000000000000"
    const uploaded = await ann.upload("mine.txt", new TextEncoder().encode("Mine."))
    const { documentId } = (await uploaded.json()) as { documentId: string }
    const ends: ReadonlyArray<readonly [number, ReadonlyArray<string>]> = [
      [2, ["create", ...owner, "--name", "Eve", "--color", "red"]],
      [2, ["create", ...owner, "--name", "Eve", "--model", "model-x"]],
      [2, ["create", "--name", "Eve"]],
      [2, ["update", "nonsense", ...owner]],
      [4, ["create", ...owner, "--name", "Eve", "--document", nobodys]],
      [4, ["update", nobodys, ...owner, "--name", "Eve"]],
      [4, ["update", id, "--owner", ANN, "--name", "Eve"]],
      [4, ["update", id, ...owner, "--retire-key", `pk_${"0".repeat(32)}`]],
      [5, ["create", ...owner, "--name", "Eve", "--document", documentId]],
      [5, ["update", id, ...owner, "--retire-key", publicKey]]
    ]
    for (const [code, argv] of ends) {
      const { exit, stderr, stdout } = await parley(...argv)
      expect([exit, stdout], argv.join(" ")).toEqual([code, ""])
      expect(stderr).not.toBe("")
    }
  })
})

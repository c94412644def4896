import { expect, it } from "vitest"
import { temporaryFolder } from "./processes/ParleyProcess.ts"
import { runHere } from "./processes/runHere.ts"
import { Visitor } from "./processes/RunningServer.ts"
import { serveHere } from "./processes/serveHere.ts"

interface Entry {
  readonly by: string
  readonly action: string
  readonly user: string | null
  readonly details: string
  readonly reason: string | null
}

it("what operators do is entered with who, what and why, and not where it is refused; an erased person is not named", async () => {
  const folder = temporaryFolder()
  const server = await serveHere(folder.path, { CRON_SECRET: "for-schedules" })
  try {
    const ann = "ann@example.com"
    const visitor = new Visitor(server.url)
    await visitor.signIn(ann)
    const parley = (...argv: ReadonlyArray<string>) => runHere(argv, folder.path)
    const entries = async (...argv: ReadonlyArray<string>) => {
      const { stdout } = await parley("audit", "list", "--json", ...argv)
      return (JSON.parse(stdout) as { readonly entries: ReadonlyArray<Entry> }).entries
    }
    const by = ["--by", "olga"]
    await parley("credits", "grant", ann, "500", "--key", "order-1", "--reason", "a gift", ...by)
    await parley("credits", "grant", ann, "500", "--key", "order-2", "--dry-run", ...by)
    expect((await parley("credits", "adjust", ann, "20", "--key", "order-1", "--reason", "again", ...by)).exit).toBe(5)
    await parley("credits", "adjust", ann, "20", "--key", "outage", "--reason", "outage of 3 May", ...by)
    await parley("users", "tier", ann, "pro", "--reason", "pilot customer", ...by)
    await parley("credits", "reset", ...by)
    const told = (await entries()).map(({ action, by: who, reason, user }) => [who, action, user, reason])
    expect(told).toEqual([
      ["olga", "credits reset", null, null],
      ["olga", "users tier", ann, "pilot customer"],
      ["olga", "credits adjust", ann, "outage of 3 May"],
      ["olga", "credits grant", ann, "a gift"]
    ])
    expect((await entries("--user", ann)).map(({ details }) => details)).toEqual([
      "pro",
      "20 credits under the key outage",
      "500 credits under the key order-1"
    ])
    expect((await parley("audit", "list")).stdout).toContain("4 entries, newest first.")
    await parley("users", "delete", ann, "--reason", "asked for it", ...by)
    const after = await entries()
    expect(JSON.stringify(after)).not.toContain(ann)
    expect(after.map(({ action }) => action)).toEqual([
      "users delete",
      "credits reset",
      "users tier",
      "credits adjust",
      "credits grant"
    ])
    expect(new Set(after.filter(({ user }) => user !== null).map(({ user }) => user?.slice(0, 7)))).toEqual(
      new Set(["erased:"])
    )
  } finally {
    await server[Symbol.asyncDispose]()
    folder[Symbol.dispose]()
  }
})

import { existsSync, readdirSync, readFileSync, statSync } from "node:fs"
import { join } from "node:path"
import { expect, it } from "vitest"
import { temporaryFolder } from "./processes/ParleyProcess.ts"
import { runHere } from "./processes/runHere.ts"
import { Visitor } from "./processes/RunningServer.ts"
import { serveHere } from "./processes/serveHere.ts"

interface Line {
  readonly kind: string
  readonly data: Readonly<Record<string, unknown>>
}

const linesOf = (text: string): ReadonlyArray<Line> =>
  text
    .trimEnd()
    .split("\n")
    .map((line) => JSON.parse(line) as Line)

it("a person's data goes to stdout, or into files of the caller's folder that only their owner can read; for an unknown person nothing is written", async () => {
  using folder = temporaryFolder()
  const server = await serveHere(folder.path)
  try {
    const ann = "ann@example.com"
    const visitor = new Visitor(server.url)
    await visitor.signIn(ann)
    await visitor.upload("notes.txt", Buffer.from("Storks fly south."))
    const parley = (...argv: ReadonlyArray<string>) => runHere(["users", "export", ...argv], folder.path)

    const printed = await parley(ann, "--by", "olga")
    expect([printed.exit, printed.stderr]).toEqual([0, expect.stringContaining("event: exported")])
    const kinds = linesOf(printed.stdout).map(({ kind }) => kind)
    expect(kinds).toEqual(expect.arrayContaining(["export", "account", "transaction", "audit", "end"]))

    const written = await parley(ann, "--output", "ann.jsonl", "--files", "ann", "--json")
    const path = join(folder.path, "ann.jsonl")
    const told = JSON.parse(written.stdout) as { readonly lines: number }
    expect(told).toMatchObject({ user: ann, output: path, files: join(folder.path, "ann") })
    const lines = linesOf(readFileSync(path, "utf8"))
    expect(lines.at(-1)).toEqual({ kind: "end", data: { lines: told.lines - 1 } })
    const document = lines.find(({ kind }) => kind === "document")?.data
    expect(readFileSync(join(folder.path, "ann", String(document?.["file"])), "utf8")).toBe("Storks fly south.")
    expect([statSync(path).mode & 0o777, statSync(join(folder.path, "ann")).isDirectory()]).toEqual([0o600, true])

    expect((await parley("nobody", "--output", "nobody.jsonl")).exit).toBe(4)
    expect(existsSync(join(folder.path, "nobody.jsonl"))).toBe(false)
    const refused = await parley(ann, "--output", "no-folder/ann.jsonl")
    expect([refused.exit, refused.stderr]).toEqual([1, expect.stringContaining("ENOENT")])
    expect(readdirSync(folder.path).filter((name) => name.endsWith(".partial"))).toEqual([])
  } finally {
    await server[Symbol.asyncDispose]()
  }
})

import { afterAll, beforeAll, describe, expect, it } from "vitest"
import { ReindexRig } from "./documents/ReindexRig.ts"
import { eventually } from "./processes/ParleyProcess.ts"

const parse = (stdout: string) => JSON.parse(stdout) as Record<string, unknown>

describe("parley reindex", () => {
  let rig: ReindexRig
  let ids: ReadonlyArray<string>
  let before: Awaited<ReturnType<ReindexRig["passages"]>>
  beforeAll(async () => {
    rig = await ReindexRig.start()
    await rig.here(["migrate"], rig.environment())
    ids = await rig.upload(["one", "two", "three"], 30)
    await using worker = rig.process(["work"], rig.environment("first"))
    await eventually("the documents to be ready", async () =>
      (await rig.query("SELECT FROM $schema.documents WHERE status <> 'ready'")).length === 0 ? true : undefined
    )
    worker.child.kill("SIGTERM")
    await worker.ended
    before = await rig.passages()
  })
  afterAll(() => rig[Symbol.asyncDispose]())

  it("with --dry-run prints documents, passages, tokens, requests and the cost by the configured price, and neither writes nor sends anything", async () => {
    const { requests } = rig.provider
    const priced = rig.environment("second", { usdPerMillionTokens: 0.5 })
    const told = parse((await rig.here(["reindex", "--dry-run", "--json"], priced)).stdout)
    const tokens = Number(told["tokens"])
    expect(told).toEqual({
      dryRun: true,
      continued: false,
      alreadyDone: 0,
      documents: 3,
      passages: before.length,
      toEmbed: before.length,
      tokens: expect.any(Number),
      calls: expect.any(Number),
      toRead: 0,
      embedder: "openai/second/8",
      cost: { usd: tokens / 2_000_000, usdPerMillionTokens: 0.5 }
    })
    expect(tokens).toBeGreaterThan(before.length * 100)
    const people = await rig.here(["reindex", "--dry-run"], rig.environment("second"))
    expect([people.exit, people.stderr]).toEqual([0, ""])
    expect(people.stdout).toContain(`Would re-index 3 documents, with ${before.length} passages.`)
    expect(people.stdout).toContain("The cost is not known")
    // By the same embedder nothing would have to be paid.
    const same = parse((await rig.here(["reindex", "--dry-run", "--json"], rig.environment("first"))).stdout)
    expect(same).toMatchObject({ documents: 3, toEmbed: 0, tokens: 0, calls: 0, cost: null })
    expect(rig.provider.requests).toBe(requests)
    expect(await rig.query("SELECT 1 FROM $schema.reindex_runs")).toEqual([])
    expect(await rig.query("SELECT 1 FROM $schema.audit_log WHERE action = 'reindex'")).toEqual([])
    expect(await rig.unsound("first")).toEqual([])
    // As estimated, so it is done.
    const done = await rig.here(["reindex", "--json", "--by", "olga"], priced)
    expect([done.exit, done.stderr]).toEqual([0, ""])
    expect(parse(done.stdout)).toEqual({
      dryRun: false,
      continued: false,
      alreadyDone: 0,
      done: 3,
      passages: before.length,
      asked: before.length,
      reused: 0,
      left: 0,
      undone: [],
      stopped: null,
      mayBeContinued: false
    })
    expect(rig.provider.requests - requests).toBe(told["calls"])
    expect(rig.provider.mostAtOnce).toBeLessThanOrEqual(4)
    expect(await rig.passages()).toEqual(before)
    expect(await rig.unsound("second")).toEqual([])
    expect(await rig.query("SELECT operator AS by FROM $schema.audit_log WHERE action = 'reindex'")).toEqual([
      { by: "olga" }
    ])
    const doctor = async (model: string) => (await rig.here(["doctor"], rig.environment(model))).stdout
    expect(await doctor("second")).toContain("3 ready, indexed by what is configured")
    expect(await doctor("third")).toContain("3 documents were indexed with openai/second/8, not with openai/third/8")
    expect(await doctor("third")).toContain('Run "parley reindex"')
    const again = await rig.here(["reindex"], priced)
    expect([again.exit, again.stdout]).toEqual([
      0,
      `Re-indexed 3 documents, with ${before.length} passages: 0 embedded, ${before.length} had their embedding.\n`
    ])
  })

  it("ends with 1 and names what is left where the provider refuses; all stays searchable, and the next run goes on", async () => {
    const { requests } = rig.provider
    rig.provider.refuses = (request) => (request > requests + 3 ? { status: 401 } : undefined)
    const refused = await rig.here(["reindex", "--json"], rig.environment("third"))
    expect(refused.exit).toBe(1)
    const told = parse(refused.stdout)
    expect(told).toMatchObject({ left: 3 - Number(told["done"]), mayBeContinued: true, stopped: expect.any(String) })
    expect(told["undone"]).toContainEqual({
      userId: rig.userId,
      documentId: expect.toBeOneOf([...ids]),
      filename: expect.stringMatching(/^(one|two|three)\.txt$/),
      code: "embedding_failed",
      reason: expect.stringContaining("not available")
    })
    expect(refused.stdout + refused.stderr).not.toContain("vendor text")
    expect(await rig.passages()).toEqual(before)
    const paid = rig.provider.of("third").length
    expect(paid).toBe(3 * 8)
    rig.provider.refuses = () => undefined
    expect((await rig.here(["doctor"], rig.environment("third"))).stdout).toMatch(
      /\d documents? w\w+ not indexed anew to the end/
    )
    const goesOn = await rig.here(["reindex"], rig.environment("third"))
    expect(goesOn.exit).toBe(0)
    expect(goesOn.stdout).toContain("Went on with a run that had not ended")
    expect(goesOn.stdout).toContain(`${before.length - paid} embedded, ${paid} had their embedding`)
    expect(rig.provider.of("third")).toHaveLength(before.length)
    expect(await rig.unsound("third")).toEqual([])
  })

  it("waits where the provider asks to, says so on stderr alone, and does all", async () => {
    const { requests } = rig.provider
    rig.provider.refuses = (request) => (request === requests + 2 ? { status: 429, retryAfter: "1" } : undefined)
    const environment = { ...rig.environment("fourth"), LOG_LEVEL: "warn" }
    await using limited = rig.process(["reindex", "--json"], environment)
    const { exit, stderr, stdout } = await limited.ended
    expect([exit, parse(stdout)]).toMatchObject([0, { done: 3, left: 0, asked: before.length }])
    expect(stderr).toMatch(/rate-limited/)
    expect(rig.provider.of("fourth")).toHaveLength(before.length)
    rig.provider.refuses = () => undefined
  })

  it("one document can be named; one that is not there ends with 4, one in work with 5, a person unknown with 4", async () => {
    const one = await rig.here(["reindex", "--document", ids[0] ?? "", "--json"], rig.environment("fourth"))
    expect([one.exit, parse(one.stdout)]).toMatchObject([0, { done: 1, asked: 0 }])
    const nothing = "00000000-0000-4000-8000-000000000000"
    const [waiting] = await rig.upload(["waiting"], 1)
    for (const [scope, exit] of [
      [["--document", nothing], 4],
      [["--document", waiting ?? ""], 5],
      [["--user", "nobody"], 4]
    ] as const) {
      for (const dry of [[], ["--dry-run"]]) {
        const ended = await rig.here(["reindex", ...scope, ...dry, "--json"], rig.environment("third"))
        expect([ended.exit, ended.stdout]).toEqual([exit, ""])
      }
    }
    await rig.query("DELETE FROM $schema.documents WHERE id = $1", [waiting])
  })
})

import { afterEach, describe, expect, it } from "vitest"
import { DEFAULT_PARSER_LIMITS } from "../src/ParserLimits.ts"
import type { ParserKind } from "@parley/core/adapter"
import { parserFences } from "../src/process/fences.ts"
import { ParserPool } from "../src/process/ParserPool.ts"
import { WorkerProcess } from "../src/process/WorkerProcess.ts"

const fences = await parserFences()
const { maxMemoryBytes } = DEFAULT_PARSER_LIMITS
const pools: Array<ParserPool> = []
afterEach(() => pools.splice(0).forEach((pool) => pool.close()))

/** A pool with this number of places, and the processes started for it. */
const poolOf = (places: number, idleMilliseconds = 600_000) => {
  const pool = new ParserPool({ places, idleMilliseconds })
  pools.push(pool)
  const started: Array<WorkerProcess> = []
  const take = (kind: ParserKind) =>
    pool.take(kind, () => {
      const parser = new WorkerProcess({ kind, fences, maxMemoryBytes })
      started.push(parser)
      return parser
    })
  const use = (kind: ParserKind) => {
    const parser = take(kind)
    pool.giveBack(parser)
    return parser
  }
  const keepSpare = () =>
    pool.keepSpare(() => {
      const parser = new WorkerProcess({ kind: "pdf", fences, maxMemoryBytes })
      started.push(parser)
      return parser
    })
  return { keepSpare, pool, started, take, use }
}

describe("a pool of parser processes", () => {
  it("reads documents of two kinds in turn by the processes that it has for them", () => {
    const { started, use } = poolOf(2)
    const [pdf, docx] = [use("pdf"), use("docx")]
    expect([use("pdf"), use("docx"), use("pdf")]).toEqual([pdf, docx, pdf])
    expect(started.map(({ kind, usable }) => [kind, usable])).toEqual([
      ["pdf", true],
      ["docx", true]
    ])
  })

  it("ends the process that is idle for longest where another kind needs its place", () => {
    const { started, use } = poolOf(2)
    for (const kind of ["pdf", "docx", "pdf", "text"] as const) use(kind)
    const third = poolOf(1)
    const [pdf, docx] = [third.use("pdf"), third.use("docx")]
    expect(started.map(({ kind }) => kind)).toEqual(["pdf", "docx"])
    expect([pdf.usable, docx.usable]).toEqual([false, true])
  })

  it("counts those that are out: what is idle leaves when they and a new one fill the places", () => {
    const { take, pool } = poolOf(2)
    const [pdf, docx] = [take("pdf"), take("docx")]
    pool.giveBack(pdf)
    const second = take("docx")
    expect(second).not.toBe(docx)
    expect([pdf.usable, docx.usable, second.usable]).toEqual([false, true, true])
    pool.giveBack(docx)
    pool.giveBack(second)
  })

  it("has a new process stand ready for texts and PDFs while there is no other, and none after it closes", async () => {
    const { keepSpare, pool, started, take } = poolOf(2, 20)
    keepSpare()
    const [spare] = started
    expect(take("text")).toBe(spare)
    keepSpare()
    expect(started).toHaveLength(1)
    pool.giveBack(spare!)
    await expect.poll(() => spare?.usable, { timeout: 30_000 }).toBe(false)
    expect(take("pdf")).toBe(started[1])
    started[1]!.kill()
    pool.giveBack(started[1]!)
    expect(started.map(({ usable }) => usable)).toEqual([false, false, true])
    pool.close()
    expect(started.map(({ usable }) => usable)).toEqual([false, false, false])
  })

  it("gives the place of the spare process to other kinds of documents", () => {
    const { keepSpare, started, take } = poolOf(2)
    keepSpare()
    take("docx")
    take("html")
    expect(started.map(({ kind, usable }) => [kind, usable])).toEqual([
      ["pdf", false],
      ["docx", true],
      ["html", true]
    ])
  })

  it("hands out no process that has ended", () => {
    const { started, use } = poolOf(2)
    use("pdf").kill()
    expect(use("pdf").usable).toBe(true)
    expect(started).toHaveLength(2)
  })

  it("ends unused processes within the idle time, and all of them when it closes", async () => {
    const short = poolOf(2, 20)
    const idle = short.use("pdf")
    await expect.poll(() => idle.usable, { timeout: 30_000 }).toBe(false)
    const { pool, use } = poolOf(2)
    const kept = [use("pdf"), use("docx")]
    expect(kept.map(({ usable }) => usable)).toEqual([true, true])
    pool.close()
    expect(kept.map(({ usable }) => usable)).toEqual([false, false])
  })
})

import { type ChildProcess, spawn } from "node:child_process"
import { existsSync, mkdtempSync, rmSync, writeFileSync } from "node:fs"
import { tmpdir } from "node:os"
import { join } from "node:path"
import { createParley, openInMemory } from "@parley/core"
import { malwareTestText } from "@parley/core/adapter"
import { malwareScannerContract } from "@parley/core/testing"
import { Effect, Schedule } from "effect"
import { afterAll, beforeAll, describe, expect, it } from "vitest"
import { ClamAvScanner } from "../src/index.ts"

const CLAMD = "/usr/sbin/clamd"
/** A pipeline that installs clamd demands it. */
const isDemanded = process.env["PARLEY_TEST_CLAMD"] !== undefined
const START_MS = 60_000

const MAX_STREAM = 100_000

let folder = ""
let clamd: ChildProcess | undefined
const url = () => `unix:${join(folder, "clamd.sock")}`

const startClamd = async () => {
  folder = mkdtempSync(join(tmpdir(), "parley-clamd-"))
  // A signature of our own instead of those that are downloaded: name, target, offset, bytes.
  writeFileSync(join(folder, "test.ndb"), `Eicar-Test:0:*:${Buffer.from(malwareTestText()).toString("hex")}\n`)
  const lines = [
    `DatabaseDirectory ${folder}`,
    `LocalSocket ${join(folder, "clamd.sock")}`,
    `StreamMaxLength ${MAX_STREAM}`,
    "Foreground yes",
    "User root"
  ]
  writeFileSync(join(folder, "clamd.conf"), `${lines.join("\n")}\n`)
  clamd = spawn(CLAMD, ["--config-file", join(folder, "clamd.conf")], { stdio: "ignore" })
  const { ping } = ClamAvScanner({ url: url(), timeoutMs: 5_000 })
  const answers = Effect.retry(ping, { times: START_MS / 100, schedule: Schedule.spaced("100 millis") })
  await Effect.runPromise(answers)
}

describe.runIf(isDemanded || existsSync(CLAMD))("uploads with a real ClamAV", () => {
  beforeAll(startClamd, START_MS)
  afterAll(() => {
    clamd?.kill()
    rmSync(folder, { recursive: true, force: true })
  })

  malwareScannerContract("ClamAV", {
    scanner: () => ClamAvScanner({ url: url() }),
    maxBytes: MAX_STREAM,
    away: { "no socket": () => ClamAvScanner({ url: "unix:/nowhere/clamd.ctl" }) }
  })

  const upload = async (text: string, more: { readonly url?: string } = {}) => {
    const scanner = ClamAvScanner({ url: url(), ...more })
    const parley = await createParley({ ...(await openInMemory()), scanner, work: false })
    const bytes = new TextEncoder().encode(text)
    const outcome = await parley.documents.upload({ userId: "ann", filename: "notes.txt", bytes }).then(
      ({ status }) => status,
      (error: { code: string; problem?: string }) => [error.code, error.problem]
    )
    const stored = await parley.documents.list("ann")
    await parley.close()
    return [outcome, stored.length]
  }

  it("store a clean file, and nothing of one with malware", async () => {
    expect(await upload("Storks nest on roofs.")).toEqual(["processing", 1])
    expect(await upload(`Before it. ${malwareTestText()}`)).toEqual([["file_rejected", "malware"], 0])
  })

  it("store nothing without a verdict: of a file that the scanner finds too large, or if it is away", async () => {
    expect(await upload("a".repeat(2 * MAX_STREAM))).toEqual([["file_rejected", "too-large-to-scan"], 0])
    expect(await upload("Storks.", { url: "unix:/nowhere/clamd.ctl" })).toEqual([["scanner_unavailable", undefined], 0])
  })

  it("are scanned up to the length that the doctor asks about", async () => {
    const { refusesLength } = ClamAvScanner({ url: url() })
    expect(await Effect.runPromise(refusesLength(MAX_STREAM))).toBe(false)
    expect(await Effect.runPromise(refusesLength(MAX_STREAM + 1))).toBe(true)
  })
})

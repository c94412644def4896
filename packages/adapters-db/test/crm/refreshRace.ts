import { type ChildProcess, spawn } from "node:child_process"
import { once } from "node:events"
import { createServer } from "node:http"
import type { AddressInfo } from "node:net"
import { createInterface } from "node:readline"
import { fileURLToPath } from "node:url"
import { makeWebCryptoSecretBox, parseSecretKeys } from "@parley/core/effect"
import { BotStore, CrmConnectionStore } from "@parley/core/adapter"
import { newBot, newCrmConnection, newUserId } from "@parley/core/testing"
import { Effect, Layer, Redacted, Result } from "effect"
import { describe, expect, it } from "vitest"
import { PgBotStoreLayer } from "../../src/bots/PgBotStore.ts"
import { PgCrmConnectionStoreLayer } from "../../src/crm/PgCrmConnectionStore.ts"
import { PgDatabaseLayer } from "../../src/database/server/PgDatabase.ts"
import { migratedPostgres, hasPostgres } from "../databases.ts"
import type { AccessTask } from "../fixtures/askForAccess.ts"

const program = fileURLToPath(new URL("../fixtures/askForAccess.ts", import.meta.url))
const TIMES = 5

/** A provider whose first answer waits until it is released; counts its requests. */
const heldProvider = async () => {
  let calls = 0
  let letGo = (): void => undefined
  const free = new Promise<void>((resolve) => {
    letGo = resolve
  })
  const server = createServer((_, response) => {
    calls += 1
    // A second call must not happen: no caller needs to wait any more.
    if (calls > 1) letGo()
    const token = `access-${calls}`
    void free.then(() => response.end(token))
  })
  server.listen(0, "127.0.0.1")
  await once(server, "listening")
  const { port } = server.address() as AddressInfo
  const close = () => {
    letGo()
    server.closeAllConnections()
    server.close()
  }
  return { address: `http://127.0.0.1:${port}/`, calls: () => calls, letGo, close }
}

/** A process and its output. */
const started = (task: AccessTask, heard: (line: string) => void): ChildProcess => {
  const child = spawn(process.execPath, ["--conditions=@parley/source", program, JSON.stringify(task)], {
    stdio: ["pipe", "pipe", "inherit"]
  })
  if (child.stdout !== null) createInterface({ input: child.stdout }).on("line", heard)
  return child
}

/** A connection whose access token is over, in a database of its own. */
const staged = Effect.gen(function* () {
  const url = yield* migratedPostgres
  const key = Buffer.from(crypto.getRandomValues(new Uint8Array(32))).toString("hex")
  const bot = newBot(newUserId())
  const name = { owner: bot.owner, botId: bot.id, provider: "provider_one" as const }
  const box = yield* makeWebCryptoSecretBox(Result.getOrThrow(parseSecretKeys(key)))
  const content = JSON.stringify({ accessToken: "old", refreshToken: "refresh-0", tokenType: "bearer" })
  const context = ["crm-tokens", name.owner, name.botId, name.provider] as const
  const { keyId, text } = yield* box.seal(context, Redacted.make(content))
  const stores = Layer.merge(PgBotStoreLayer, PgCrmConnectionStoreLayer).pipe(
    Layer.provideMerge(PgDatabaseLayer({ url, maxConnections: 2 }))
  )
  yield* Effect.gen(function* () {
    yield* BotStore.use((bots) => bots.insert(bot, 10))
    const connection = newCrmConnection({ ...name, sealed: text, keyId, expiresAt: 0, refreshable: true })
    yield* CrmConnectionStore.use((store) => store.save(connection))
  }).pipe(Effect.provide(stores))
  return { url, key, name }
})

/** This number of processes on one database that request access to one connection at the same moment. */
export const refreshRace = (processes: number) =>
  describe.runIf(hasPostgres)(`access asked for by ${processes} processes at once`, () => {
    it("refreshes once: the others wait for it, and all get the new token", async () => {
      const children: Array<ChildProcess> = []
      const provider = await heldProvider()
      try {
        await Effect.runPromise(
          Effect.scoped(
            Effect.flatMap(staged, (task) =>
              Effect.promise(async () => {
                const said: Array<string> = []
                const busy = new Set<number>()
                let ready = 0
                const exits: Array<Promise<unknown>> = []
                await new Promise<void>((resolve) => {
                  for (let number = 0; number < processes; number++) {
                    const child = started({ ...task, provider: provider.address, times: TIMES }, (line) => {
                      said.push(line)
                      if (line === "Ready" && ++ready === processes) resolve()
                      if (line === "Busy") busy.add(number)
                      // All others have met the claim of the one who refreshes.
                      if (
                        busy.size >= processes - 1 &&
                        said.filter((each) => each === "Busy").length >= processes * TIMES - 1
                      )
                        provider.letGo()
                    })
                    children.push(child)
                    exits.push(once(child, "exit"))
                  }
                })
                for (const child of children) child.stdin?.write("go\n")
                const codes = await Promise.all(exits)
                expect(codes.map((exit) => (exit as ReadonlyArray<unknown>)[0])).toEqual(Array(processes).fill(0))
                const tokens = said
                  .filter((line) => line.startsWith("Tokens "))
                  .flatMap((line) => line.split(" ").slice(1))
                expect(provider.calls()).toBe(1)
                expect(tokens).toEqual(Array(processes * TIMES).fill("access-1"))
                expect(said.filter((line) => line === "Claimed")).toHaveLength(1)
              })
            )
          )
        )
      } finally {
        for (const child of children) child.kill("SIGKILL")
        provider.close()
      }
    })
  })

import type { Parley } from "@parley/core"
import { Clock, Effect } from "effect"
import { expect, test } from "vitest"
import { startServer } from "./support/startServer.ts"

test("a person who is erased between the code and the session gets no account and no session", async () => {
  let parley: Parley | undefined
  // The end of all sessions is the mark that an erasure leaves.
  const confirm = Effect.gen(function* () {
    const startedAt = yield* Clock.currentTimeMillis
    while ((yield* Clock.currentTimeMillis) === startedAt) yield* Effect.yieldNow
    yield* Effect.promise(async () => parley?.users.signOutEverywhere("ann"))
    return { userId: "ann", email: "ann@example.com" }
  })
  const emailSignIn = { ask: () => Effect.succeed("secret"), confirm: () => confirm, sweeps: Effect.never }
  const server = await startServer({ emailSignIn })
  parley = server.parley
  const response = await server.fetch("/sign-in/code", {
    method: "POST",
    redirect: "manual",
    headers: { "content-type": "application/x-www-form-urlencoded", cookie: "parley_sign_in=secret" },
    body: "code=ABCD2345"
  })
  expect([response.status, response.headers.getSetCookie()]).toEqual([401, []])
  expect((await server.parley.users.list({})).people.map(({ tier }) => tier)).toEqual([undefined])
  await server.close()
})

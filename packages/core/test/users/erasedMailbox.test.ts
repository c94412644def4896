import { createParley, openInMemory } from "@parley/core"
import { AccessList, runtimeOf, UserService } from "@parley/core/effect"
import { Effect, Exit } from "effect"
import { expect, it } from "vitest"
import { mailboxOf } from "../../src/signin/SignInStore.ts"

/** A person who signed in by e-mail, is blocked if so, and erased; returns whether the mailbox is refused then. */
const isRefusedAfterErasure = async (isBlocked: boolean) => {
  const stores = await openInMemory()
  const parley = await createParley({ ...stores, work: false })
  const email = "ann@example.org"
  const person = await Effect.runPromise(stores.signIns.enter({ email, newUserId: "ann" }))
  await parley.credits.balance("ann")
  if (isBlocked) await parley.users.block("ann")
  const runtime = runtimeOf(parley)
  await runtime.runPromise(UserService.use((users) => users.erase("ann")))
  const mailbox = await Effect.runPromise(mailboxOf(email))
  const checked = await runtime.runPromiseExit(AccessList.use((list) => list.checkPerson(mailbox)))
  await parley.close()
  return [person?.userId, Exit.isFailure(checked)]
}

it("the mailbox of a blocked person stays blocked after an erasure, that of another one does not", async () => {
  expect(await isRefusedAfterErasure(true)).toEqual(["ann", true])
  expect(await isRefusedAfterErasure(false)).toEqual(["ann", false])
})

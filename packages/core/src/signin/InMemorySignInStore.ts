import { Clock, Effect, Layer } from "effect"
import { InMemoryStorage } from "../storage/InMemoryStorage.ts"
import {
  type EmailPerson,
  type EnterInput,
  MOST_TRIES,
  type PendingSignIn,
  type RedeemInput,
  SignInStore
} from "./SignInStore.ts"

interface Pending extends PendingSignIn {
  readonly expiresAt: number
  readonly tries: number
  readonly isUsed: boolean
}

const make = Effect.gen(function* () {
  const storage = yield* InMemoryStorage
  const pending = yield* storage.table<string, Pending>()
  const people = yield* storage.table<string, EmailPerson>()
  const personOf = (userId: string) => [...people.values()].find((person) => person.userId === userId)

  yield* storage.addPersonalPart({
    people: () => [...people.values()].map(({ email, userId }) => ({ userId, email })),
    count: () => ({}),
    erase: (userId) => {
      const email = personOf(userId)?.email
      if (email === undefined) return
      people.delete(email)
      for (const [browser, each] of pending) if (each.email === email) pending.delete(browser)
    }
  })
  const redeem = ({ browser, code }: RedeemInput, now: number): string | undefined => {
    const tried = pending.get(browser)
    if (tried === undefined || tried.isUsed || tried.tries >= MOST_TRIES || tried.expiresAt <= now) return undefined
    const isUsed = tried.code === code
    pending.set(browser, { ...tried, tries: tried.tries + 1, isUsed })
    return isUsed ? tried.email : undefined
  }
  const enter = ({ email, newUserId }: EnterInput, now: number): EmailPerson => {
    const person = { userId: newUserId, email, createdAt: now, ...people.get(email), signedInAt: now }
    people.set(email, person)
    return person
  }
  return SignInStore.of({
    begin: (sent) =>
      storage.exclusive(
        Effect.map(Clock.currentTimeMillis, (now) => {
          pending.set(sent.browser, { ...sent, expiresAt: now + sent.lifetimeMs, tries: 0, isUsed: false })
        })
      ),
    redeem: (input) => storage.exclusive(Effect.map(Clock.currentTimeMillis, (now) => redeem(input, now))),
    enter: (input) => storage.exclusive(Effect.map(Clock.currentTimeMillis, (now) => enter(input, now))),
    sweep: ({ limit }) =>
      storage.exclusive(
        Effect.map(Clock.currentTimeMillis, (now) => {
          const expired = [...pending].filter(([, { expiresAt }]) => expiresAt <= now).slice(0, limit)
          for (const [browser] of expired) pending.delete(browser)
          return expired.length
        })
      ),
    find: (userId) => storage.exclusive(Effect.sync(() => personOf(userId)))
  })
})

/** Sign-ins by e-mail in the memory of one process. */
export const InMemorySignInStore = { layer: Layer.effect(SignInStore, make).pipe(Layer.provide(InMemoryStorage.layer)) }

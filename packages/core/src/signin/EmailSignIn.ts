import { Context, Effect, Layer, Semaphore } from "effect"
import { repeatWork } from "../background/repeatWork.ts"
import { Branding } from "../branding/Branding.ts"
import type { UserId } from "../identity/UserId.ts"
import { addressBucket } from "../limits/addressBucket.ts"
import { CallGate } from "../limits/CallGate.ts"
import type { CallLimit } from "../limits/CallLimiter.ts"
import { mailAddressOf } from "../mail/mailAddress.ts"
import { type Mail, Mailer } from "../mail/Mailer.ts"
import { sha256OfText } from "../secrets/sha256.ts"
import { SecurityEvents } from "../security/SecurityEvents.ts"
import { AccessList } from "../sessions/AccessList.ts"
import { AccessStore } from "../sessions/AccessStore.ts"
import { UserBlocked } from "../sessions/errors.ts"
import { IdGenerator } from "../storage/storedForms.ts"
import type { StorageFailed } from "../storage/StorageFailed.ts"
import { UnitOfWork } from "../storage/UnitOfWork.ts"
import { InvalidMailAddress, SignInLimited, SignInRefused } from "./errors.ts"
import { digestsOf, newBrowserSecret, newCode } from "./signInCode.ts"
import { type SignInLanguage, signInMail } from "./signInMail.ts"
import { mailboxOf, SignInStore } from "./SignInStore.ts"

/** Milliseconds for which a code is valid. */
export const CODE_LIFETIME_MS = 10 * 60_000

/**
 * The window of all limits; the numbers below limit the sign-ins in it: to one mailbox from one address, to one
 * mailbox, from one address, and in all. One address alone cannot prevent the owner of a mailbox from signing in.
 */
const WINDOW_MS = 10 * 60_000
const PER_MAILBOX_AND_ADDRESS = 5
const PER_MAILBOX = 20
const PER_ADDRESS = 20
const IN_ALL = 600
/** The maximum number of codes that one address may try in a window. The tries for each sign-in are limited as well. */
const CODES_PER_ADDRESS = 50

/**
 * The maximum number of mails that are being sent at the same time; `MOST_WAITING` is that of waiting mails, because a
 * slow mail server must not fill the memory.
 */
const SENDING = 4
const MOST_WAITING = 200

export interface AskInput {
  /** The address as the person typed it. */
  readonly email: string
  /** The network address of the request; undefined if it is unknown. */
  readonly address: string | undefined
  readonly language: SignInLanguage
  /** The absolute address of the sign-in page, from the server's configuration and never only from the request. */
  readonly page: string
}

export interface ConfirmInput {
  /** The browser's secret, from its cookie. */
  readonly browser: string
  /** The code as the person typed it, or as the link contains it. */
  readonly code: string
  readonly address: string | undefined
}

/** A person who has proved an e-mail address. */
export interface ProvenAddress {
  readonly userId: UserId
  readonly email: string
}

/**
 * Signs people in by a code that is mailed to them. The browser that requests the code gets a secret, and only the code
 * and the secret together begin a session: neither a person who reads the mail nor a person who requests it can sign in
 * alone. All addresses are treated alike until their code comes back, so that a request does not reveal which people
 * exist.
 */
export class EmailSignIn extends Context.Service<
  EmailSignIn,
  {
    /**
     * Begins a sign-in: queues the mail, which is sent after the response, and returns the secret for the browser's
     * cookie.
     */
    ask(input: AskInput): Effect.Effect<string, InvalidMailAddress | SignInLimited | StorageFailed>
    /** Uses up a code, and returns the person; the first sign-in with an address creates the person. */
    confirm(
      input: ConfirmInput
    ): Effect.Effect<ProvenAddress, SignInRefused | SignInLimited | UserBlocked | StorageFailed>
    /**
     * Deletes expired sign-ins with their addresses, every minute until interrupted. Any number of processes may do so
     * at once.
     */
    readonly sweeps: Effect.Effect<never>
  }
>()("@parley/core/signin/EmailSignIn") {
  static readonly layer = Layer.effect(
    EmailSignIn,
    Effect.suspend(() => make)
  ).pipe(Layer.provide(CallGate.layer))
}

/** Sends mails apart from requests, a few at a time, until the scope closes. */
const makePost = Effect.gen(function* () {
  const mailer = yield* Mailer
  const places = yield* Semaphore.make(SENDING)
  const scope = yield* Effect.scope
  let waiting = 0

  const unsent = (fields: Record<string, unknown>) =>
    Effect.annotateLogs(Effect.logError("A sign-in mail was not sent."), fields)

  const sent = (mail: Mail) =>
    mailer === undefined
      ? unsent({ reason: "not_configured" })
      : Effect.catchTag(mailer.send(mail), "MailFailed", ({ reason, replyCode }) => unsent({ reason, replyCode }))

  return {
    post: (mail: Mail) =>
      Effect.suspend(() => {
        if (waiting >= MOST_WAITING) return unsent({ reason: "too_many_waiting" })
        waiting += 1
        const end = Effect.sync(() => void (waiting -= 1))
        return Effect.asVoid(Effect.forkIn(Effect.ensuring(places.withPermits(1)(sent(mail)), end), scope))
      })
  }
})

/** The maximum number of expired sign-ins that one statement deletes. */
const PER_SWEEP = 1_000

/**
 * Returns the person of a proved address, unless the person or the mailbox is blocked. For a blocked mailbox nothing is
 * stored.
 */
const makeEnter = Effect.gen(function* () {
  const access = yield* AccessStore
  const accessList = yield* AccessList
  const ids = yield* IdGenerator
  const store = yield* SignInStore
  const unitOfWork = yield* UnitOfWork
  return Effect.fnUntraced(function* (email: string) {
    const mailbox = yield* mailboxOf(email)
    const entered = Effect.gen(function* () {
      // An erasure blocks the mailbox under the same lock.
      if ((yield* access.lock(mailbox))?.blockedAt !== undefined) return yield* new UserBlocked({ userId: mailbox })
      return yield* store.enter({ email, newUserId: yield* ids.next })
    })
    return yield* Effect.tap(unitOfWork.run(mailbox, entered), ({ userId }) => accessList.checkPerson(userId))
  })
})

const make = Effect.gen(function* () {
  const enterPerson = yield* makeEnter
  const gate = yield* CallGate
  const security = yield* SecurityEvents
  const store = yield* SignInStore
  const { post } = yield* makePost

  const refused = (outcome: string, userId?: UserId) =>
    security.refuse({ outcome, problem: undefined, userId, suspicious: true })

  const enter = (limits: ReadonlyArray<CallLimit>) =>
    Effect.scoped(gate.enter({ limits, windowMs: WINDOW_MS })).pipe(
      Effect.catchTag("CallRefused", ({ remainingMs: retryAfterMs = WINDOW_MS }) =>
        Effect.andThen(refused("sign_in_limited"), Effect.fail(new SignInLimited({ retryAfterMs })))
      )
    )

  const sweep = Effect.gen(function* () {
    while ((yield* store.sweep({ limit: PER_SWEEP })) >= PER_SWEEP);
  })
  const sweeps = repeatWork(sweep, {
    every: "1 minute",
    report: () => Effect.void,
    onFailure: Effect.logWarning("Expired sign-ins could not be deleted; trying again in a minute.")
  })

  return EmailSignIn.of({
    sweeps,
    ask: Effect.fn("EmailSignIn.ask")(function* ({ address, email, language, page }) {
      const to = mailAddressOf(email)
      if (to === undefined) return yield* new InvalidMailAddress()
      const bucket = addressBucket(address)
      const mailbox = yield* sha256OfText(to)
      yield* enter([
        { name: "sign-in-address", subject: bucket, calls: PER_ADDRESS },
        { name: "sign-in-pair", subject: `${mailbox} ${bucket}`, calls: PER_MAILBOX_AND_ADDRESS },
        { name: "sign-in-mailbox", subject: mailbox, calls: PER_MAILBOX },
        { name: "sign-in-all", subject: "all", calls: IN_ALL }
      ])
      const browser = yield* newBrowserSecret
      const code = yield* newCode
      const digests = yield* digestsOf(browser, code)
      if (digests === undefined) return yield* Effect.die(new Error("A new code is not one."))
      yield* store.begin({ ...digests, email: to, lifetimeMs: CODE_LIFETIME_MS })
      const { name: brand } = yield* Branding
      yield* post(signInMail({ to, code, page, language, brand }))
      return browser
    }),
    confirm: Effect.fn("EmailSignIn.confirm")(function* ({ address, browser, code }) {
      yield* enter([{ name: "sign-in-codes", subject: addressBucket(address), calls: CODES_PER_ADDRESS }])
      const digests = yield* digestsOf(browser, code)
      const email = digests && (yield* store.redeem(digests))
      if (email === undefined) {
        yield* refused("sign_in_refused")
        return yield* new SignInRefused()
      }
      const { userId } = yield* enterPerson(email).pipe(
        Effect.tapErrorTag("UserBlocked", (blocked) => refused("blocked", blocked.userId))
      )
      yield* security.record({ event: "signed_in", userId })
      return { userId, email }
    })
  })
})

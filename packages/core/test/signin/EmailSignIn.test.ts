import { Effect, Layer, Logger, type Scope } from "effect"
import { TestClock } from "effect/testing"
import { describe, expect, it } from "vitest"
import { Branding, EmailSignIn } from "@parley/core/effect"
import { type Mail, Mailer, MailFailed, type MailSender } from "@parley/core/adapter"
import { inMemoryStorageLayer } from "../../src/StoragePorts.ts"
import { SecurityEvents } from "../../src/security/SecurityEvents.ts"
import { AccessList } from "../../src/sessions/AccessList.ts"
import { mailboxOf } from "../../src/signin/SignInStore.ts"
import { PersonalData } from "../../src/users/PersonalData.ts"
import { AccessStore } from "../../src/sessions/AccessStore.ts"

const PAGE = "https://chat.example/sign-in"
const EMAIL = "alice@example.org"

/** A mail server that takes every mail, or fails each. */
const mailbox = (failure?: MailFailed) => {
  const mails: Array<Mail> = []
  const sender: MailSender = {
    send: (mail) => (failure === undefined ? Effect.sync(() => void mails.push(mail)) : Effect.fail(failure))
  }
  return { mails, sender }
}

const run = <A, E>(
  sender: MailSender,
  test: Effect.Effect<A, E, EmailSignIn | AccessStore | PersonalData | Scope.Scope>
): Promise<A> =>
  Effect.runPromise(
    Effect.scoped(test).pipe(
      Effect.provide(
        Layer.provide(EmailSignIn.layer, Layer.merge(AccessList.layer, SecurityEvents.layer)).pipe(
          Layer.provideMerge(inMemoryStorageLayer),
          Layer.provide(Layer.succeed(Mailer, sender)),
          Layer.provideMerge(TestClock.layer())
        )
      )
    )
  )

const ask = (email = EMAIL, address = "192.0.2.1") =>
  EmailSignIn.use((signIn) => signIn.ask({ email, address, language: "en", page: PAGE }))
const confirm = (browser: string, code: string, address = "192.0.2.1") =>
  EmailSignIn.use((signIn) => signIn.confirm({ browser, code, address }))

const codeIn = (mail: Mail | undefined): string => /[?]code=([0-9A-Z-]{9})/.exec(mail?.text ?? "")?.[1] ?? ""

/** Until the fibers that send have run. */
const settled = Effect.andThen(Effect.yieldNow, Effect.yieldNow)

const askAndRead = Effect.fnUntraced(function* (mails: ReadonlyArray<Mail>, email?: string, address?: string) {
  const browser = yield* ask(email, address)
  yield* settled
  return { browser, code: codeIn(mails.at(-1)) }
})

describe("a sign-in by e-mail", () => {
  it("returns the person of the address, in every spelling of the code and the address", async () => {
    const { mails, sender } = mailbox()
    await run(
      sender,
      Effect.gen(function* () {
        const first = yield* askAndRead(mails)
        expect(mails[0]).toMatchObject({ to: EMAIL })
        expect(mails[0]?.text).toContain(`${PAGE}?code=${first.code}`)
        const person = yield* confirm(first.browser, first.code)
        expect(person).toMatchObject({ email: EMAIL })
        expect(person.userId).not.toContain("alice")
        const second = yield* askAndRead(mails, " Alice@EXAMPLE.org ")
        const typed = second.code.toLowerCase().replace("-", " ").replaceAll("0", "o").replaceAll("1", "l")
        expect(yield* confirm(second.browser, typed)).toEqual(person)
        const tagged = yield* askAndRead(mails, "alice+2@example.org")
        expect((yield* confirm(tagged.browser, tagged.code)).userId).not.toBe(person.userId)
      })
    )
  })

  it("has a mail with the name of the product, and of the host without one", async () => {
    const { mails, sender } = mailbox()
    await run(
      sender,
      Effect.gen(function* () {
        yield* askAndRead(mails)
        const brand = { name: "Acme & Co", logo: undefined, accent: undefined, accentDark: undefined }
        yield* Effect.provideService(askAndRead(mails), Branding, brand)
      })
    )
    expect(mails.map(({ subject }) => subject.slice(10))).toEqual([
      "is your code for chat.example",
      "is your code for Acme & Co"
    ])
    // People compare the host of the page with that of the mail.
    expect(mails[1]?.text).toContain("Type the code on chat.example only")
  })

  it("counts once, for ten minutes, in its own browser", async () => {
    const { mails, sender } = mailbox()
    await run(
      sender,
      Effect.gen(function* () {
        const used = yield* askAndRead(mails)
        yield* confirm(used.browser, used.code)
        const other = yield* askAndRead(mails)
        for (const [browser, code] of [
          [used.browser, used.code],
          [used.browser, other.code],
          ["", other.code],
          [other.browser, used.code],
          [other.browser, ""],
          [other.browser, "x".repeat(100_000)]
        ] as const) {
          expect(yield* Effect.flip(confirm(browser, code))).toMatchObject({ _tag: "SignInRefused" })
        }
        yield* TestClock.adjust("599 seconds")
        const late = yield* askAndRead(mails, "late@example.org")
        yield* confirm(other.browser, other.code)
        yield* TestClock.adjust("600 seconds")
        expect(yield* Effect.flip(confirm(late.browser, late.code))).toMatchObject({ _tag: "SignInRefused" })
      })
    )
  })

  it("is bounded for each mailbox, each address and in all, alike for every person", async () => {
    const { mails, sender } = mailbox()
    await run(
      sender,
      Effect.gen(function* () {
        const known = yield* askAndRead(mails)
        yield* confirm(known.browser, known.code)
        for (let mail = 1; mail < 20; mail++) yield* ask("ALICE@example.org", `192.0.2.${mail}`)
        expect(yield* Effect.flip(ask(EMAIL, "192.0.2.200"))).toMatchObject({ _tag: "SignInLimited" })
        for (let mail = 0; mail < 20; mail++) yield* ask("unknown@example.org", `192.0.2.${mail}`)
        expect(yield* Effect.flip(ask("unknown@example.org"))).toMatchObject({ _tag: "SignInLimited" })
        for (let mail = 0; mail < 20; mail++) yield* ask(`person${mail}@example.org`, "198.51.100.1")
        expect(yield* Effect.flip(ask("one@example.org", "198.51.100.1"))).toMatchObject({
          _tag: "SignInLimited",
          retryAfterMs: 600_000
        })
        for (let mail = 0; mail < 540; mail++)
          yield* ask(`many${mail}@example.org`, `203.0.${mail % 256}.${mail % 200}`)
        expect(yield* Effect.flip(ask("last@example.org", "198.51.100.9"))).toMatchObject({ _tag: "SignInLimited" })
        yield* TestClock.adjust("10 minutes")
        yield* ask(EMAIL)
      })
    )
  })

  it("goes on for the owner of a mailbox to which another address has too many mails sent", async () => {
    const { mails, sender } = mailbox()
    await run(
      sender,
      Effect.gen(function* () {
        for (let mail = 0; mail < 5; mail++) yield* ask(EMAIL, "198.51.100.1")
        for (let mail = 0; mail < 5; mail++) {
          expect(yield* Effect.flip(ask(EMAIL, "198.51.100.1"))).toMatchObject({ _tag: "SignInLimited" })
        }
        const { browser, code } = yield* askAndRead(mails)
        expect(yield* confirm(browser, code)).toMatchObject({ email: EMAIL })
        yield* ask("another@example.org", "198.51.100.1")
      })
    )
  })

  it("ends with the bound on tried codes of an address", async () => {
    const { mails, sender } = mailbox()
    await run(
      sender,
      Effect.gen(function* () {
        const { browser, code } = yield* askAndRead(mails)
        for (let tried = 0; tried < 50; tried++) yield* Effect.flip(confirm("", "", "192.0.2.7"))
        expect(yield* Effect.flip(confirm(browser, code, "192.0.2.7"))).toMatchObject({ _tag: "SignInLimited" })
        yield* confirm(browser, code)
      })
    )
  })

  it("gives a blocked person the same mail as all others, and no session", async () => {
    const { mails, sender } = mailbox()
    await run(
      sender,
      Effect.gen(function* () {
        const first = yield* askAndRead(mails)
        const { userId } = yield* confirm(first.browser, first.code)
        yield* AccessStore.use((access) => access.change({ userId, change: "block" }))
        yield* TestClock.adjust("2 seconds")
        const second = yield* askAndRead(mails)
        expect(mails).toHaveLength(2)
        expect(yield* Effect.flip(confirm(second.browser, second.code))).toMatchObject({ _tag: "UserBlocked" })
      })
    )
  })

  it("gives no session to a mailbox whose blocked person was erased, and does not store its address again", async () => {
    const { mails, sender } = mailbox()
    await run(
      sender,
      Effect.gen(function* () {
        const userId = yield* mailboxOf(EMAIL)
        yield* AccessStore.use((access) => access.change({ userId, change: "block" }))
        const { browser, code } = yield* askAndRead(mails)
        expect(yield* Effect.flip(confirm(browser, code))).toMatchObject({ _tag: "UserBlocked" })
        expect(
          yield* PersonalData.use((data) => data.list({ search: EMAIL, blocked: false, after: undefined, limit: 1 }))
        ).toEqual({ rows: [], next: undefined })
        yield* AccessStore.use((access) => access.change({ userId, change: "unblock" }))
        yield* TestClock.adjust("2 seconds")
        const again = yield* askAndRead(mails)
        yield* confirm(again.browser, again.code)
      })
    )
  })

  it("answers alike if the mail server fails, and does not wait for a silent one", async () => {
    const { sender } = mailbox(new MailFailed({ reason: "refused", replyCode: 550 }))
    expect(await run(sender, ask())).toMatch(/^[\w-]{43}$/)
    expect(await run({ send: () => Effect.never }, ask())).toMatch(/^[\w-]{43}$/)
  })

  it("writes neither code, secret nor e-mail address into the log, whatever happens", async () => {
    const log: Array<string> = []
    const logger = Logger.layer([Logger.map(Logger.formatJson, (line) => void log.push(line))])
    const { mails, sender } = mailbox()
    const happens = Effect.gen(function* () {
      const { browser, code } = yield* askAndRead(mails)
      yield* Effect.flip(confirm(browser, "ZZZZ-ZZZZ"))
      yield* confirm(browser, code)
      return [browser, code, code.replace("-", ""), EMAIL]
    })
    const secrets = await run(sender, Effect.provide(happens, logger))
    await run(
      mailbox(new MailFailed({ reason: "login", replyCode: 535 })).sender,
      Effect.provide(Effect.andThen(ask(), settled), logger)
    )
    expect(log.join()).toMatch(/"outcome":"sign_in_refused".*"event":"signed_in".*"reason":"login"/s)
    for (const secret of secrets) expect(log.join()).not.toContain(secret)
  })

  it("sends no mail to a text that is no address", async () => {
    const { mails, sender } = mailbox()
    await run(
      sender,
      Effect.gen(function* () {
        const injected = "alice@example.org\r\nBcc: eve@example.org"
        expect(yield* Effect.flip(ask(injected))).toMatchObject({ _tag: "InvalidMailAddress" })
        yield* settled
        expect(mails).toEqual([])
      })
    )
  })
})

import { Effect } from "effect"
import { expect, onTestFinished, test } from "vitest"
import { headerOf, type SmtpMood, startSmtp, textOf } from "../../../../test/support/smtpStandIn.ts"
import { SmtpMailer } from "../../src/index.ts"

const FROM = "Parley <sign-in@parley.example>"
const mail = { to: "ann@example.org", subject: "Größe", text: "Grüße\nund ein Punkt:\n.\n", html: "<p>Grüße</p>" }

const smtp = async (mood?: SmtpMood) => {
  const server = await startSmtp(mood)
  onTestFinished(() => server.stop())
  return server
}

const failure = (url: string, limits = {}) =>
  Effect.runPromise(Effect.flip(SmtpMailer({ url, from: FROM, ...limits }).send(mail)))

test("a mail arrives as it was given, at one receiver", async () => {
  const server = await smtp()
  const sender = SmtpMailer({ url: server.url, from: FROM })
  await Effect.runPromise(sender.check)
  await Effect.runPromise(sender.send(mail))
  const received = await server.mailTo("ann@example.org", 1)
  expect(received).toMatchObject({ from: "sign-in@parley.example", to: ["ann@example.org"] })
  expect(headerOf(received, "from")).toBe(FROM)
  expect(headerOf(received, "auto-submitted")).toBe("auto-generated")
  expect(textOf(received).replaceAll("\r\n", "\n").trimEnd()).toBe(mail.text.trimEnd())
})

test("no text of a mail adds a receiver or a header", async () => {
  const server = await smtp()
  const sender = SmtpMailer({ url: server.url, from: FROM })
  const injected = "ann@example.org\r\nBcc: eve@example.org, eve@example.org"
  await Effect.runPromise(Effect.ignore(sender.send({ ...mail, to: injected })))
  await Effect.runPromise(sender.send({ ...mail, subject: "a\r\nBcc: eve@example.org\r\n\r\nbody" }))
  for (const received of server.mails) {
    expect(received.to).toHaveLength(1)
    expect(headerOf(received, "bcc")).toBeUndefined()
  }
})

test("a failure has a reason and a reply code, and no text of the mail server", async () => {
  const refusing = await smtp("refusing")
  const refused = await failure(refusing.url)
  expect(refused).toMatchObject({ reason: "refused", replyCode: 550 })
  expect(JSON.stringify(refused) + refused.message).not.toMatch(/secret-detail|ann@example/)
  const gone = await startSmtp()
  await gone.stop()
  expect(await failure(gone.url)).toMatchObject({ reason: "unreachable" })
})

test("a silent mail server is left after the time limit", async () => {
  const silent = await smtp("silent")
  expect(await failure(silent.url, { stepLimitMs: 50 })).toMatchObject({ reason: "timeout" })
  expect(await failure(silent.url, { timeLimitMs: 50 })).toMatchObject({ reason: "timeout" })
})

test("a mail server on another machine has to offer TLS", async () => {
  const server = await smtp()
  const elsewhere = `${server.url}?requireTLS=true`
  expect(await failure(elsewhere)).toMatchObject({ reason: "unreachable" })
  expect(server.mails).toEqual([])
})

import { createServer, type Socket } from "node:net"
import type { AddressInfo } from "node:net"

/** A mail as it arrived. */
export interface ReceivedMail {
  readonly from: string
  readonly to: ReadonlyArray<string>
  /** The head and the body, in the bytes that were sent. */
  readonly raw: string
}

export interface SmtpStandIn {
  readonly url: string
  readonly mails: ReadonlyArray<ReceivedMail>
  /** The newest mail to this address, once there are `count` of them. */
  readonly mailTo: (address: string, count: number) => Promise<ReceivedMail>
  readonly stop: () => Promise<void>
}

/** `silent` accepts connections and says nothing; `refusing` refuses every receiver. */
export type SmtpMood = "kind" | "silent" | "refusing"

/** The header's values in one line each. */
const unfolded = (raw: string): string => raw.slice(0, raw.indexOf("\r\n\r\n")).replaceAll(/\r\n[ \t]+/g, " ")

/** The value of a header of a mail, undecoded; undefined without one. */
export const headerOf = ({ raw }: ReceivedMail, name: string): string | undefined =>
  unfolded(raw)
    .split("\r\n")
    .find((line) => line.toLowerCase().startsWith(`${name.toLowerCase()}:`))
    ?.slice(name.length + 1)
    .trim()

/** The plain text of a mail with two forms (RFC 2046, 5.1.4), decoded. */
export const textOf = ({ raw }: ReceivedMail): string => {
  const part = raw.slice(raw.search(/Content-Type: text\/plain/i))
  const end = part.indexOf("\r\n--")
  const body = part.slice(part.indexOf("\r\n\r\n") + 4, end < 0 ? undefined : end)
  if (/^Content-Transfer-Encoding: base64/im.test(part)) return Buffer.from(body, "base64").toString("utf8")
  if (!/^Content-Transfer-Encoding: quoted-printable/im.test(part)) return body
  const bytes = body
    .replaceAll("=\r\n", "")
    .replaceAll(/=([\dA-F]{2})/g, (_, hex: string) => String.fromCharCode(Number.parseInt(hex, 16)))
  return Buffer.from(bytes, "latin1").toString("utf8")
}

/** The code in the link of a sign-in mail. */
export const codeOf = (mail: ReceivedMail): string => /[?]code=([0-9A-Z]{4}-[0-9A-Z]{4})/.exec(textOf(mail))?.[1] ?? ""

/** The link of a sign-in mail. */
export const linkOf = (mail: ReceivedMail): string => /https?:\S+[?]code=\S+/.exec(textOf(mail))?.[0] ?? ""

/** A mail server on this machine that speaks SMTP (RFC 5321) and keeps what it gets. */
export const startSmtp = async (mood: SmtpMood = "kind"): Promise<SmtpStandIn> => {
  const mails: Array<ReceivedMail> = []
  const waiting: Array<() => void> = []
  const sockets = new Set<Socket>()
  const received = (mail: ReceivedMail) => {
    mails.push(mail)
    for (const wake of waiting.splice(0)) wake()
  }
  const server = createServer((socket) => {
    sockets.add(socket)
    socket.on("close", () => sockets.delete(socket)).on("error", () => undefined)
    if (mood !== "silent") converse(socket, mood, received)
  })
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve))
  return {
    url: `smtp://127.0.0.1:${(server.address() as AddressInfo).port}`,
    mails,
    mailTo: async (address, count) => {
      for (;;) {
        const found = mails.filter(({ to }) => to.includes(address))
        if (found.length >= count) return found.at(-1) as ReceivedMail
        await new Promise<void>((resolve) => waiting.push(resolve))
      }
    },
    stop: () => {
      for (const socket of sockets) socket.destroy()
      return new Promise((resolve) => server.close(() => resolve()))
    }
  }
}

const addressIn = (line: string): string => /<(.*)>/.exec(line)?.[1] ?? ""

const converse = (socket: Socket, mood: SmtpMood, received: (mail: ReceivedMail) => void): void => {
  let buffered = ""
  let from = ""
  let to: Array<string> = []
  let inData = false
  const say = (line: string) => socket.write(`${line}\r\n`)
  const answer = (line: string) => {
    const word = line.slice(0, 4).toUpperCase()
    if (word === "EHLO") return say("250-stand-in\r\n250-8BITMIME\r\n250 SMTPUTF8")
    if (word === "MAIL") from = addressIn(line)
    if (word === "RCPT" && mood === "refusing") return say("550 5.1.1 no such mailbox secret-detail")
    if (word === "RCPT") to.push(addressIn(line))
    if (word === "STAR") return say("502 5.5.1 no TLS here")
    if (word === "QUIT") return socket.end("221 bye\r\n")
    inData = word === "DATA"
    say(inData ? "354 go on" : "250 ok")
  }
  socket.setEncoding("utf8")
  say("220 stand-in ESMTP")
  socket.on("data", (chunk: string) => {
    buffered += chunk
    for (;;) {
      const mark = inData ? "\r\n.\r\n" : "\r\n"
      const end = buffered.indexOf(mark)
      if (end < 0) return
      const piece = buffered.slice(0, end)
      buffered = buffered.slice(end + mark.length)
      if (!inData) {
        answer(piece)
        continue
      }
      inData = false
      received({ from, to, raw: piece.replaceAll("\r\n..", "\r\n.") })
      to = []
      say("250 kept")
    }
  })
}

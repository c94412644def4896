import pg from "pg"
import { CANCEL_MS } from "../limits.ts"

/** The fields of a client that identify its server process; the driver's types leave them out. */
interface CancelFacts {
  readonly processID: number | null
  readonly secretKey: number | null
}

/** The part of the driver's connection that opens a socket and sends a cancel request, which its types leave out. */
interface CancelConnection extends pg.Connection {
  connect(portOrPath: number | string, host?: string): void
  cancel(processId: number, secretKey: number): void
  requestSsl(): void
  end(): void
}

const open = pg.Connection as unknown as new (options: { readonly ssl: unknown }) => CancelConnection

/**
 * Asks the server, over a connection of its own, to end what `client` is running (PostgreSQL 17, 53.2.8); a pooler passes
 * it on. Ends once the request was taken, or after a second without an answer. Never rejects.
 */
export const cancelStatement = (client: pg.Client): Promise<void> => {
  const { processID, secretKey } = client as unknown as CancelFacts
  if (processID === null || secretKey === null) return Promise.resolve()
  return new Promise((resolve) => {
    const connection = new open({ ssl: client.ssl })
    const done = () => {
      clearTimeout(timer)
      connection.stream.destroy()
      resolve()
    }
    const timer = setTimeout(done, CANCEL_MS)
    const send = () => connection.cancel(processID, secretKey)
    connection.on("error", done)
    // The server closes the connection once it has passed the request on.
    connection.on("end", done)
    connection.once("connect", () => (client.ssl ? connection.requestSsl() : send()))
    connection.once("sslconnect", send)
    if (client.host.startsWith("/")) connection.connect(`${client.host}/.s.PGSQL.${client.port}`)
    else connection.connect(client.port, client.host)
  })
}

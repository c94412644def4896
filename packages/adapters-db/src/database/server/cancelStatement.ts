import pg from "pg"
import { CANCEL_MS } from "../limits.ts"

/** The fields of a driver's client that identify its server process; the types of the driver leave them out. */
interface CancelFacts {
  readonly processID: number | null
  readonly secretKey: number | null
}

/**
 * The part of the driver's connection that opens a socket and sends a cancel request; the types of the driver leave it
 * out.
 */
interface CancelConnection extends pg.Connection {
  connect(portOrPath: number | string, host?: string): void
  cancel(processId: number, secretKey: number): void
  requestSsl(): void
  end(): void
}

const open = pg.Connection as unknown as new (options: { readonly ssl: unknown }) => CancelConnection

/**
 * Asks the server, over a separate connection, to end the statement that `client` runs (PostgreSQL 17, 53.2.8); a
 * pooler forwards the request. Returns after the server has received the request, or after a second without an answer.
 * Never rejects.
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
    // The server closes the connection after it has forwarded the request to the process of the statement.
    connection.on("end", done)
    connection.once("connect", () => (client.ssl ? connection.requestSsl() : send()))
    connection.once("sslconnect", send)
    if (client.host.startsWith("/")) connection.connect(`${client.host}/.s.PGSQL.${client.port}`)
    else connection.connect(client.port, client.host)
  })
}

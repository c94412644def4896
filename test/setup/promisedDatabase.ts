import { once } from "node:events"
import { connect } from "node:net"

const answers = async (host: string, port: number): Promise<boolean> => {
  const socket = connect({ host, port, timeout: 5_000 })
  try {
    return (await Promise.race([
      once(socket, "connect").then(() => true),
      once(socket, "timeout").then(() => false)
    ])) as boolean
  } catch {
    return false
  } finally {
    socket.destroy()
  }
}

/**
 * Fails the whole run at once, with one sentence, when `TEST_DATABASE_URL` promises a Postgres that does not answer.
 * Without it every suite that needs the server would fail by itself, each after its own time limit.
 */
export const setup = async (): Promise<void> => {
  const promised = process.env.TEST_DATABASE_URL
  if (promised === undefined || promised === "") return
  const { hostname, port } = new URL(promised)
  if (!(await answers(hostname, Number(port || 5432)))) {
    throw new Error(
      `TEST_DATABASE_URL promises a Postgres at ${hostname}:${port || 5432}, but nothing answers there. ` +
        "Start it (bash .ci/postgres prints its URL), or unset TEST_DATABASE_URL to run without those suites."
    )
  }
}

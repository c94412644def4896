import {
  type CallersClient,
  type CallersClients,
  TransactionConflict,
  TransactionNotJoined
} from "../storage/CallersTransaction.ts"

/** The Postgres codes of a serialization failure and of a deadlock. */
const CONFLICTS: ReadonlySet<unknown> = new Set(["40001", "40P01"])

/** Converts a driver's report of a conflict into `TransactionConflict`; returns any other error unchanged. */
const named = (error: unknown): unknown =>
  error instanceof Error && "code" in error && CONFLICTS.has(error.code)
    ? new TransactionConflict({ cause: error })
    : error

type Call = (...given: ReadonlyArray<never>) => Promise<unknown>

/**
 * Runs the calls one after another, because they share one connection. `end` waits for calls that the work did not
 * await, rejects if one of them rejected, and refuses later calls, which would run outside the transaction.
 */
const oneByOne = <Calls extends object>(calls: Calls) => {
  let last: Promise<unknown> = Promise.resolve()
  let isEnded = false
  const open = new Set<Promise<unknown>>()
  const inTurn =
    (call: Call): Call =>
    (...given) => {
      if (isEnded) return Promise.reject(new TransactionNotJoined({ problem: "not-open" }))
      const own = last.then(() => call(...given))
      const done = () => void open.delete(own)
      open.add(own)
      last = own.then(done, done)
      return own
    }
  const entries = Object.entries(calls as Readonly<Record<string, Call>>).map(([name, call]) => [name, inTurn(call)])
  const end = async () => {
    isEnded = true
    const left = await Promise.allSettled([...open])
    const failed = left.find(({ status }) => status === "rejected")
    if (failed?.status === "rejected") throw failed.reason
  }
  return { ordered: Object.fromEntries(entries) as Calls, end }
}

/**
 * Commits the transaction. If a statement of it failed, Postgres rolls back on COMMIT without an error; only the
 * command tag shows that, so it is checked.
 */
const commit = async (client: CallersClient): Promise<void> => {
  const { command } = (await client.query("COMMIT", [])) as { readonly command?: unknown }
  if (command === "ROLLBACK") throw new TransactionNotJoined({ problem: "failed" })
}

const rollBack = (client: CallersClient): Promise<boolean> =>
  client.query("ROLLBACK", []).then(
    () => true,
    () => false
  )

/** Ignores the event of a lost connection, because the next statement on it rejects. */
const leaveToStatements = (): void => undefined

/**
 * Runs `work` in a transaction on a client of the pool: COMMIT if the work resolves, ROLLBACK if it rejects. The pool
 * closes a client whose ROLLBACK failed.
 */
export const runTransaction = async <Client extends CallersClient, Calls extends object, A>(
  clients: CallersClients<Client>,
  callsIn: (client: Client) => Calls,
  work: (client: Client, calls: Calls) => Promise<A>
): Promise<A> => {
  const client = await clients.connect()
  let isClean = false
  client.on?.("error", leaveToStatements)
  try {
    await client.query("BEGIN", [])
    const { ordered, end } = oneByOne(callsIn(client))
    try {
      const result = await work(client, ordered)
      await end()
      await commit(client)
      isClean = true
      return result
    } catch (error) {
      await end().catch(() => undefined)
      isClean = await rollBack(client)
      throw named(error)
    }
  } finally {
    client.off?.("error", leaveToStatements)
    client.release(!isClean)
  }
}

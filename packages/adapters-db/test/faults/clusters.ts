import { execFile } from "node:child_process"
import { fileURLToPath } from "node:url"
import { promisify } from "node:util"

const SCRIPT = fileURLToPath(new URL("../../../../.ci/postgres", import.meta.url))
const run = promisify(execFile)

const call = async (
  what: "start" | "stop" | "remove",
  cluster: string,
  settings: NodeJS.ProcessEnv = {}
): Promise<string> => {
  const { stdout } = await run("bash", [SCRIPT, what], {
    env: { ...process.env, PARLEY_CI_POSTGRES_CLUSTER: cluster, ...settings }
  })
  return stdout.trim()
}

export interface ClusterOptions {
  /** Options of the server, as `name=value`. */
  readonly options?: ReadonlyArray<string>
  /** The running cluster of which a new one is a replica. */
  readonly primary?: string
  /** The port, if it is free. */
  readonly port?: string
}

/** Starts a Postgres server with data of its own if it does not run; returns the url of its database. */
export const startCluster = (
  cluster: string,
  { options = [], port, primary = "" }: ClusterOptions = {}
): Promise<string> =>
  call("start", cluster, {
    PARLEY_CI_POSTGRES_OPTIONS: options.map((option) => `-c ${option}`).join(" "),
    PARLEY_CI_POSTGRES_PRIMARY: primary,
    ...(port === undefined ? {} : { PARLEY_CI_POSTGRES_PORT: port })
  })

/** Stops a server; its data stay. */
export const stopCluster = async (cluster: string): Promise<void> => {
  await call("stop", cluster)
}

/** Stops a server and removes its data. */
export const removeCluster = async (cluster: string): Promise<void> => {
  await call("remove", cluster)
}

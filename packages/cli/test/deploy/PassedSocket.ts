import { type ChildProcess, spawn } from "node:child_process"
import { once } from "node:events"
import { fileURLToPath } from "node:url"
import { eventually } from "../processes/ParleyProcess.ts"

const NODE = fileURLToPath(new URL("../../../../node_modules/.bin/node", import.meta.url))
const MAIN = fileURLToPath(new URL("../../bin/parley.js", import.meta.url))

/**
 * For each line on its standard input, starts a server that gets the open socket, and prints the process's number; it
 * prints the exit code of each server that ends. It keeps the socket open as systemd does.
 */
const MANAGER = `
while read -r line; do
  {
    sh -c 'echo "started $$" >&3; exec 3>&-; LISTEN_PID=$$ LISTEN_FDS=1 exec "$@" 3<&4 4<&-' sh "$@" 4<&3 3>&1 1>&2 &
    wait $!
    echo "ended $?"
  } &
done
`

/** A socket that systemd's own program opens and passes to the servers that start one after another. */
export class PassedSocket implements AsyncDisposable {
  readonly url: string
  readonly #child: ChildProcess
  #printed = ""
  #said = ""

  constructor(port: number, folder: string, environment: Readonly<Record<string, string>>) {
    this.url = `http://127.0.0.1:${port}`
    const variables = { PATH: process.env["PATH"] ?? "", ...environment }
    const settings = Object.entries(variables).flatMap(([name, value]) => ["-E", `${name}=${value}`])
    const command = ["sh", "-c", MANAGER, "sh", NODE, MAIN, "serve"]
    this.#child = spawn("systemd-socket-activate", ["-l", `127.0.0.1:${port}`, ...settings, ...command], {
      cwd: folder,
      env: variables,
      stdio: ["pipe", "pipe", "pipe"]
    })
    this.#child.stdout?.setEncoding("utf8").on("data", (text: string) => (this.#printed += text))
    this.#child.stderr?.setEncoding("utf8").on("data", (text: string) => (this.#said += text))
  }

  /** The logs of all servers. */
  get said(): string {
    return this.#said
  }

  /** The exit codes of the servers that have ended. */
  get exits(): ReadonlyArray<number> {
    return [...this.#printed.matchAll(/^ended (\d+)$/gm)].map(([, code]) => Number(code))
  }

  /** Waits until the socket is open: from then on connections wait in it. */
  async open(): Promise<void> {
    await eventually("the socket to be open", () => (this.#said.includes("Listening on") ? true : undefined))
  }

  /** Starts a server; returns a function that asks it to stop. */
  async startServer(): Promise<() => void> {
    const before = this.#started.length
    this.#child.stdin?.write("start\n")
    const pid = await eventually("a server to start", () => this.#started[before])
    return () => void process.kill(pid, "SIGTERM")
  }

  get #started(): ReadonlyArray<number> {
    return [...this.#printed.matchAll(/^started (\d+)$/gm)].map(([, pid]) => Number(pid))
  }

  async [Symbol.asyncDispose](): Promise<void> {
    const ended = this.#child.exitCode === null ? once(this.#child, "close") : undefined
    // With this signal the launcher of a server ends the server too.
    for (const pid of this.#started) if (isRunning(pid)) process.kill(pid, "SIGTERM")
    this.#child.stdin?.end()
    if (this.#started.length === 0) this.#child.kill("SIGTERM")
    await ended
  }
}

const isRunning = (pid: number): boolean => {
  try {
    return process.kill(pid, 0)
  } catch {
    return false
  }
}

/** Runs `parley serve` to its end with the file at `path` in place of a socket. */
export const serveOnDescriptor = async (
  path: string,
  folder: string,
  environment: Readonly<Record<string, string>>
): Promise<{ readonly exit: number | null; readonly stderr: string }> => {
  const script = `LISTEN_PID=$$ LISTEN_FDS=1 exec "$@" 3<"$0"`
  const child = spawn("sh", ["-c", script, path, NODE, MAIN, "serve", "--no-work"], {
    cwd: folder,
    env: { PATH: process.env["PATH"], ...environment },
    stdio: ["ignore", "ignore", "pipe"]
  })
  let stderr = ""
  child.stderr.setEncoding("utf8").on("data", (text: string) => (stderr += text))
  await once(child, "close")
  return { exit: child.exitCode, stderr }
}

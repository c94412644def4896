#!/usr/bin/env node
import { spawn } from "node:child_process"
import { constants } from "node:os"
import { pathToFileURL } from "node:url"
import { programOf } from "./program.js"

const [major = 0, minor = 0] = process.versions.node.split(".").map(Number)
if (major < 22 || (major === 22 && minor < 19)) {
  process.stderr.write(
    `Parley needs Node.js 22.19 or newer; this is ${process.versions.node}. ` +
      'A clone of the repository carries one, which "npm ci" puts in place.\n'
  )
  process.exit(1)
}

/**
 * Options that sources, and a bundle of them, need: the threads and processes that they start always run the sources.
 */
const options = ["--conditions=@parley/source", "--disable-warning=ExperimentalWarning"]

/** The descriptor of the first socket that systemd passes to a process (sd_listen_fds(3)). */
const PASSED_SOCKET = 3

/** Starts Node with these arguments; passes on a socket of systemd, which names the process that it is meant for. */
const start = (args) =>
  hasSocket
    ? spawn("/bin/sh", ["-c", 'LISTEN_PID=$$ exec "$0" "$@"', process.execPath, ...args], {
        stdio: ["inherit", "inherit", "inherit", PASSED_SOCKET]
      })
    : spawn(process.execPath, args, { stdio: "inherit" })

/** If a process cannot be replaced by another program, runs it as a child and passes its exit on. */
const runAsChild = (args) => {
  const child = start(args)
  const signals = ["SIGINT", "SIGTERM", "SIGHUP"]
  const ignore = () => undefined
  // A terminal sends its signals to the child as well.
  for (const signal of signals) process.on(signal, signal === "SIGTERM" ? () => child.kill(signal) : ignore)
  child.on("exit", (code, signal) => {
    process.exitCode = code ?? 128 + (signal === null ? 0 : constants.signals[signal])
  })
}

/** Node closes a passed socket when it replaces the process. */
const hasSocket = process.env.LISTEN_PID === String(process.pid)

const { entry, isCheckout } = programOf(new URL("../", import.meta.url))

if (!isCheckout || options.every((option) => process.execArgv.includes(option))) {
  await import(pathToFileURL(entry).href)
} else {
  const args = [...options, entry, ...process.argv.slice(2)]
  if (typeof process.execve === "function" && process.platform !== "win32" && !hasSocket) {
    process.removeAllListeners("warning")
    process.execve(process.execPath, [process.execPath, ...args], process.env)
  } else {
    runAsChild(args)
  }
}

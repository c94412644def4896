#!/usr/bin/env node
import { spawn } from "node:child_process"
import { existsSync } from "node:fs"
import { constants } from "node:os"
import { fileURLToPath } from "node:url"

const [major = 0, minor = 0] = process.versions.node.split(".").map(Number)
if (major < 22 || (major === 22 && minor < 19)) {
  process.stderr.write(
    `Parley needs Node.js 22.19 or newer; this is ${process.versions.node}. ` +
      'A clone of the repository carries one, which "npm ci" puts in place.\n'
  )
  process.exit(1)
}

/** There in a checkout; a published package has the compiled files alone. */
const source = fileURLToPath(new URL("../src/main.ts", import.meta.url))
const options = ["--conditions=@parley/source", "--disable-warning=ExperimentalWarning"]

/** Where a process cannot take another program's place, a child runs it and its end is passed on. */
const runAsChild = (args) => {
  const child = spawn(process.execPath, args, { stdio: "inherit" })
  const signals = ["SIGINT", "SIGTERM", "SIGHUP"]
  const ignore = () => undefined
  // A terminal sends its signals to the child as well.
  for (const signal of signals) process.on(signal, signal === "SIGTERM" ? () => child.kill(signal) : ignore)
  child.on("exit", (code, signal) => {
    process.exitCode = code ?? 128 + (signal === null ? 0 : constants.signals[signal])
  })
}

if (!existsSync(source)) {
  await import("../dist/main.js")
} else if (options.every((option) => process.execArgv.includes(option))) {
  await import(source)
} else {
  const args = [...options, source, ...process.argv.slice(2)]
  if (typeof process.execve === "function" && process.platform !== "win32") {
    process.removeAllListeners("warning")
    process.execve(process.execPath, [process.execPath, ...args], process.env)
  } else {
    runAsChild(args)
  }
}

import { isBuiltin, registerHooks } from "node:module"

/**
 * Global objects and functions that could reach outside the process: the permission model allows them, or they would
 * work until the fences are closed.
 */
const GLOBALS = ["fetch", "WebSocket", "EventSource", "Worker", "BroadcastChannel"]
const PROCESS = [
  "getBuiltinModule",
  "binding",
  "_linkedBinding",
  "dlopen",
  "kill",
  "_kill",
  "_debugProcess",
  "mainModule"
]

/**
 * Removes everything that no parser needs from this thread: Node modules that are not loaded yet (sockets, child
 * processes, threads, the inspector), the network, signals. The operating system's fences protect in addition.
 */
export const closeThread = (): void => {
  for (const name of GLOBALS) Reflect.deleteProperty(globalThis, name)
  for (const name of PROCESS) Reflect.deleteProperty(process, name)
  registerHooks({
    resolve: (specifier, context, next) => {
      if (isBuiltin(specifier)) throw new Error("A parser may load no module of Node.")
      return next(specifier, context)
    }
  })
}

import { isBuiltin, registerHooks } from "node:module"

/** Ways out of the process that the permission model leaves open, or leaves for the time before a fence is up. */
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
 * Removes from this thread everything that no parser needs: Node's own modules not loaded yet (sockets, child
 * processes, threads, the inspector), the network, signals. The fences of the operating system stand behind it.
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

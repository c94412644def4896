import { createServer } from "node:net"
import { Effect } from "effect"
import { PortTaken } from "../running/commandErrors.ts"
import type { ParleyConfig } from "../config/readConfig.ts"

/** Fails if the configured port is in use, before a server changes anything. */
export const tryPort = ({ host, port }: Pick<ParleyConfig, "host" | "port">): Effect.Effect<void, PortTaken> =>
  Effect.callback((resume) => {
    const server = createServer((socket) => socket.destroy())
    server.once("error", (error: NodeJS.ErrnoException) =>
      resume(Effect.fail(new PortTaken({ host, port, problem: error.code ?? "unknown error" })))
    )
    server.listen({ host, port }, () => server.close(() => resume(Effect.void)))
  })

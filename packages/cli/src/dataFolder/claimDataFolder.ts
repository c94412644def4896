import { Effect, type Scope } from "effect"
import { bindSocket } from "./bindSocket.ts"
import { CommandServer, type RunCommand } from "./CommandServer.ts"
import { DataFolderInUse, DataFolderUnusable } from "./dataFolderErrors.ts"
import { makeDataFolder } from "./makeDataFolder.ts"

/** A data folder that belongs to this process until the scope closes. */
export interface DataFolderClaim {
  /** Runs the commands of other processes, those already waiting included; interrupts them when the scope closes. */
  answerWith(run: RunCommand): Effect.Effect<void, never, Scope.Scope>
}

/** How long to wait for an owner that accepts no commands: it is a command itself and ends soon. */
const PATIENCE_MS = 20_000
const RETRY_MS = 50

/**
 * Makes `folder` this process's own, creating it if need be. Other processes are told so on the socket in it;
 * `takesCommands` invites them to send theirs.
 */
export const claimDataFolder = (
  folder: string,
  takesCommands: boolean
): Effect.Effect<DataFolderClaim, DataFolderInUse | DataFolderUnusable, Scope.Scope> =>
  Effect.map(
    Effect.acquireRelease(open(folder, takesCommands), (commands) => Effect.promise(() => commands.close())),
    (commands) => ({
      answerWith: (run) =>
        Effect.acquireRelease(
          Effect.sync(() => commands.open(run)),
          () => Effect.promise(() => commands.clear())
        )
    })
  )

const open = (
  folder: string,
  takesCommands: boolean
): Effect.Effect<CommandServer, DataFolderInUse | DataFolderUnusable> =>
  Effect.callback((resume) => {
    const commands = new CommandServer(folder, { pid: process.pid, takesCommands })
    const deadline = performance.now() + PATIENCE_MS
    const attempt = async (): Promise<void> => {
      makeDataFolder(folder)
      const bound = await bindSocket(commands.server, folder)
      if (bound._tag === "Bound") return resume(Effect.succeed(commands))
      // An owner that is just leaving closes the connection without a word.
      const waits = bound._tag === "Stale" || bound.owner?.takesCommands !== true
      if (waits && performance.now() < deadline) {
        setTimeout(() => void attempt().catch(failed), RETRY_MS)
        return
      }
      const pid = bound._tag === "Owned" ? bound.owner?.pid : undefined
      resume(Effect.fail(new DataFolderInUse({ folder, ...(pid === undefined ? {} : { pid }) })))
    }
    const failed = (error: NodeJS.ErrnoException) =>
      resume(
        error.code === undefined
          ? Effect.die(error)
          : Effect.fail(new DataFolderUnusable({ folder, problem: error.code }))
      )
    attempt().catch(failed)
  })

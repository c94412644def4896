import { lockFolder } from "@parley/adapters-db/embedded"
import { Effect, Schedule, type Scope } from "effect"
import { greetingOf } from "./commandClient.ts"
import { CommandServer, type RunCommand } from "./CommandServer.ts"
import { databaseFolder } from "./databaseFolder.ts"
import { DataFolderInUse, DataFolderUnusable } from "./dataFolderErrors.ts"
import { makeDataFolder } from "./makeDataFolder.ts"

/** A data folder that belongs to this process until the scope closes. */
export interface DataFolderClaim {
  /** Runs commands from now on, those that wait included; interrupts them when the scope closes. */
  answerWith(run: RunCommand): Effect.Effect<void, never, Scope.Scope>
}

/**
 * Longest wait for an owner that accepts no commands: another command, which ends soon, or a dead owner, which is
 * detected after half a minute of silence. There is no wait for a server.
 */
const PATIENCE = "40 seconds"
const RETRY = Schedule.max([Schedule.spaced("50 millis"), Schedule.during(PATIENCE)])

/**
 * Makes `folder` this process's own, creating it if need be: by the lock on the database in it. Its owner listens on the
 * socket in it; `takesCommands` invites other processes to send theirs.
 */
export const claimDataFolder = (
  folder: string,
  takesCommands: boolean
): Effect.Effect<DataFolderClaim, DataFolderInUse | DataFolderUnusable, Scope.Scope> =>
  Effect.gen(function* () {
    yield* Effect.sync(() => makeDataFolder(folder))
    yield* lock(folder)
    const server = yield* Effect.acquireRelease(
      Effect.promise(() => CommandServer.listen(folder, { pid: process.pid, takesCommands })),
      (server) => Effect.promise(() => server.close())
    )
    return {
      answerWith: (run: RunCommand) =>
        Effect.acquireRelease(
          Effect.sync(() => server.open(run)),
          () => Effect.promise(() => server.clear())
        )
    }
  }).pipe(
    Effect.catchDefect((defect) => {
      const problem = (defect as NodeJS.ErrnoException).code
      return problem === undefined ? Effect.die(defect) : Effect.fail(new DataFolderUnusable({ folder, problem }))
    })
  )

const lock = (folder: string): Effect.Effect<void, DataFolderInUse, Scope.Scope> =>
  lockFolder(databaseFolder(folder)).pipe(
    Effect.catchTag("FolderInUse", ({ holder }) =>
      Effect.flatMap(
        Effect.promise(() => greetingOf(folder)),
        (owner) =>
          Effect.fail({
            inUse: new DataFolderInUse({ folder, owner: holder }),
            isServer: owner?.takesCommands === true
          })
      )
    ),
    Effect.retry({ schedule: RETRY, while: ({ isServer }) => !isServer }),
    Effect.mapError(({ inUse }) => inUse)
  )

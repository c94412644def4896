import { lockFolder } from "@parley/adapters-db/embedded"
import { Effect, Schedule, type Scope } from "effect"
import { greetingOf } from "./commandClient.ts"
import { CommandServer, type RunCommand } from "./CommandServer.ts"
import { databaseFolder } from "./databaseFolder.ts"
import { DataFolderInUse, DataFolderUnusable } from "./dataFolderErrors.ts"
import { makeDataFolder } from "./makeDataFolder.ts"

/** A data folder that this process owns until the scope closes. */
export interface DataFolderClaim {
  /**
   * Runs the commands of other processes from now on, including waiting ones. Interrupts them when the scope closes.
   */
  answerWith(run: RunCommand): Effect.Effect<void, never, Scope.Scope>
}

/**
 * Longest wait for an owner that accepts no commands: another command, which ends soon, or a dead process, which is
 * detected after half a minute of silence. If the owner is a server, this process does not wait.
 */
const PATIENCE = "40 seconds"
const RETRY = Schedule.max([Schedule.spaced("50 millis"), Schedule.during(PATIENCE)])

/**
 * Makes this process the owner of `folder`, which is created if it is missing, by locking the database in it. The owner
 * listens on the socket in the folder; with `takesCommands` it invites other processes to send their commands.
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

import { Effect } from "effect"
import { Command, Flag } from "effect/cli"

/** `parley serve` */
export const serveCommand = Command.make(
  "serve",
  {
    work: Flag.Boolean("work").pipe(
      Flag.withDescription("--no-work leaves the background work to parley work"),
      Flag.withDefault(true)
    )
  },
  Effect.fnUntraced(function* ({ work }) {
    const { serve } = yield* Effect.promise(() => import("../server/serve.ts"))
    yield* serve({ work })
  })
).pipe(
  Command.withDescription("Bring the database up to date and serve the API and the dashboard until stopped"),
  Command.withExamples([
    { command: "parley serve", description: "On http://localhost:3000, with nothing set up" },
    { command: "PORT=0 parley serve", description: "On any free port, which it prints" },
    { command: "parley serve --no-work", description: "Requests only: parley work does the rest, in other processes" },
    {
      command: "DATABASE_URL=postgres://... PARLEY_SESSION_ISSUER=https://... parley serve",
      description: "On the real parts"
    }
  ])
)

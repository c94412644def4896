import { Effect } from "effect"
import { Command, Flag } from "effect/cli"

/** `parley serve` */
export const serveCommand = Command.make(
  "serve",
  {
    work: Flag.Boolean("work").pipe(
      Flag.withDescription("With --no-work the process does no background work; run parley work beside it"),
      Flag.withDefault(true)
    )
  },
  Effect.fnUntraced(function* ({ work }) {
    const { serve } = yield* Effect.promise(() => import("../server/serve.ts"))
    yield* serve({ work })
  })
).pipe(
  Command.withDescription("Migrate the database, and serve the API and the dashboard until stopped"),
  Command.withExamples([
    { command: "parley serve", description: "On http://localhost:3000, without configuration" },
    { command: "PORT=0 parley serve", description: "On any free port, which it prints" },
    { command: "parley serve --no-work", description: "Requests only; another process runs parley work" },
    {
      command: "DATABASE_URL=postgres://... PARLEY_SESSION_ISSUER=https://... parley serve",
      description: "With real database and sign-in"
    }
  ])
)

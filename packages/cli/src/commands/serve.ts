import { Effect } from "effect"
import { Command } from "effect/cli"

/** `parley serve` */
export const serveCommand = Command.make(
  "serve",
  {},
  Effect.fnUntraced(function* () {
    const { serve } = yield* Effect.promise(() => import("../server/serve.ts"))
    yield* serve
  })
).pipe(
  Command.withDescription("Bring the database up to date and serve the API and the dashboard until stopped"),
  Command.withExamples([
    { command: "parley serve", description: "On http://localhost:3000, with nothing set up" },
    { command: "PORT=0 parley serve", description: "On any free port, which it prints" },
    { command: "DATABASE_URL=postgres://... PARLEY_SESSION_SECRET=... parley serve", description: "On the real parts" }
  ])
)

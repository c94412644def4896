import { Command } from "effect/cli"
import { archiveCommand } from "./copies/archive.ts"
import { auditCommand } from "./audit.ts"
import { billingCommand } from "./billing/billing.ts"
import { botsCommand } from "./bots/bots.ts"
import { backupCommand } from "./copies/backup.ts"
import { moveCommand } from "./copies/move.ts"
import { restoreCommand } from "./copies/restore.ts"
import { cellsCommand } from "./cells/cells.ts"
import { creditsCommand } from "./credits/credits.ts"
import { doctorCommand } from "./doctor.ts"
import { eventsCommand } from "./events/events.ts"
import { jobsCommand } from "./jobs/jobs.ts"
import { keysCommand } from "./keys/keys.ts"
import { migrateCommand } from "./migrate.ts"
import { reindexCommand } from "./reindex.ts"
import { secretsCommand } from "./secrets.ts"
import { serveCommand } from "./serve.ts"
import { uninstallCommand } from "./uninstall.ts"
import { usageCommand } from "./usage/usage.ts"
import { usersCommand } from "./users/users.ts"
import { vectorsCommand } from "./vectors/vectors.ts"
import { workCommand } from "./work.ts"

/** The `parley` command. */
export const parley = Command.make("parley").pipe(
  Command.withDescription("The back end of a paid AI assistant: chat over documents, metered in credits"),
  Command.withExamples([
    { command: "parley serve", description: "Start the server on http://localhost:3000" },
    { command: "parley doctor", description: "Check the configuration, and list missing settings" }
  ]),
  Command.withSubcommands([
    serveCommand,
    workCommand,
    migrateCommand,
    doctorCommand,
    creditsCommand,
    billingCommand,
    auditCommand,
    botsCommand,
    jobsCommand,
    eventsCommand,
    reindexCommand,
    vectorsCommand,
    usageCommand,
    usersCommand,
    keysCommand,
    secretsCommand,
    cellsCommand,
    backupCommand,
    restoreCommand,
    moveCommand,
    archiveCommand,
    uninstallCommand
  ])
)

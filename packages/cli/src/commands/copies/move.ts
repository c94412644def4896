import { copyDatabase } from "@parley/adapters-db"
import { Effect, Redacted, Stream } from "effect"
import { Command, Flag } from "effect/cli"
import type { ParleyConfig } from "../../config/readConfig.ts"
import { CommandContext } from "../../running/CommandContext.ts"
import { UsageMistake } from "../../running/commandErrors.ts"
import { jsonFlag, printResult } from "../../running/output.ts"
import { findDevelopmentKey } from "../../secrets/developmentKey.ts"
import { loadAndVerify } from "./loadAndVerify.ts"

const isPostgres = (url: string): boolean => ["postgres:", "postgresql:"].includes(URL.parse(url)?.protocol ?? "")

/** The same configuration with the data on the server of `url`. */
const onServer = (config: ParleyConfig, url: string): ParleyConfig => ({
  ...config,
  database: {
    _tag: "Server",
    url: Redacted.make(url),
    directUrl: undefined,
    replicaUrl: undefined,
    cells: undefined,
    withoutTls: [],
    unverified: []
  }
})

/** The operator's next step: the folder's own key is not in the database. */
const nextSteps = ({ dataFolder, encryptionKeys }: ParleyConfig): ReadonlyArray<string> => [
  "Set DATABASE_URL to the address, and start the server. The folder is unchanged; delete it once all is well.",
  ...(encryptionKeys.length === 0 && findDevelopmentKey(dataFolder) !== undefined
    ? [`Set PARLEY_ENCRYPTION_KEY to the content of ${dataFolder}/encryption.key, which encrypts the CRM connections.`]
    : [])
]

/** `parley move` */
export const moveCommand = Command.make(
  "move",
  {
    to: Flag.String("to").pipe(Flag.withDescription("The address of an empty Postgres database: postgres://...")),
    json: jsonFlag
  },
  Effect.fnUntraced(function* ({ json, to }) {
    const { config } = yield* CommandContext.use(({ settings }) => settings)
    if (!isPostgres(to)) return yield* new UsageMistake({ problem: "--to: expected an address postgres://..." })
    if (config.database._tag === "Server") {
      return yield* new UsageMistake({
        problem:
          "DATABASE_URL is set, so the data is on a server already. Copy it with parley backup and parley restore."
      })
    }
    const work = Effect.gen(function* () {
      const { partsLayer } = yield* Effect.promise(() => import("../../compose.ts"))
      const source = yield* Effect.context<Stream.Services<typeof copyDatabase>>()
      const { accounts, rows } = yield* Effect.provide(
        loadAndVerify(Stream.provideContext(copyDatabase, source)),
        partsLayer(onServer(config, to), { isCommand: true, direct: true })
      )
      yield* printResult(json, { rows, accounts, folder: config.dataFolder }, [
        `${rows} rows were moved; each is as it was, and every balance of ${accounts} accounts follows from its rows.`,
        ...nextSteps(config)
      ])
    })
    yield* CommandContext.use((context) => context.run(work, { alone: true }))
  })
).pipe(
  Command.withDescription("Move the embedded database, with the server stopped, to an empty Postgres database"),
  Command.withExamples([
    {
      command: "parley move --to postgres://parley@db.example.com/parley",
      description: "The folder stays as it is; a database with data is refused with 5"
    }
  ])
)

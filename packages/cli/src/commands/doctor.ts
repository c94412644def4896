import { Clock, Effect, Layer } from "effect"
import { Command, Flag } from "effect/cli"
import type { Settings } from "../config/readConfig.ts"
import { folderProblems } from "../config/loadConfig.ts"
import { exitCodes } from "../exitCodes.ts"
import { type Check, checkLines, exitOf, failed, note, type PlacedCheck, placedChecks } from "../doctor/Check.ts"
import { configurationChecks, nodeCheck } from "../doctor/configurationChecks.ts"
import { portChecks } from "../doctor/portChecks.ts"
import { Unhealthy } from "../running/commandErrors.ts"
import { jsonFlag, printResult } from "../running/output.ts"
import { CommandContext } from "../running/CommandContext.ts"

/** The checks that run only if they are asked for. */
interface Extent {
  /** The vendors are asked. */
  readonly live: boolean
  /** The checklist of going to production must be fulfilled. */
  readonly production: boolean
}

/** The checks of the server that owns the data folder; empty if none runs. */
const serverChecks = Effect.fnUntraced(function* ({ live, production }: Extent) {
  const { askServer } = yield* CommandContext
  const flags = [...(live ? ["--live"] : []), ...(production ? ["--production"] : [])]
  const answer = yield* askServer(["doctor", "--json", ...flags])
  if (answer === undefined) return []
  try {
    return (JSON.parse(answer) as { readonly checks: ReadonlyArray<PlacedCheck> }).checks
  } catch {
    return [failed("server", exitCodes.failed, "it did not tell its state", "See its log.")]
  }
})

/** Checks which models are usable here, and with `live`, if they answer. */
const offeredChecks = Effect.fnUntraced(function* ({ config }: Settings, live: boolean) {
  const { offerLayer, paymentsLayer } = yield* Effect.promise(() => import("../compose.ts"))
  const { modelChecks } = yield* Effect.promise(() => import("../doctor/modelChecks.ts"))
  const { liveChecks } = yield* Effect.promise(() => import("../doctor/liveChecks.ts"))
  const { livePaymentChecks } = yield* Effect.promise(() => import("../doctor/payments/paymentChecks.ts"))
  const checks = Effect.gen(function* () {
    return [
      ...(yield* modelChecks),
      ...(live ? [...(yield* liveChecks(config)), ...(yield* livePaymentChecks(config))] : [])
    ]
  })
  return yield* Effect.provide(checks, Layer.merge(offerLayer(config), paymentsLayer(config, { isCommand: true })))
})

const inUseCheck = (message: string): Check =>
  failed("data folder", exitCodes.failed, message, "Try again once that process has ended.")

/** Checks that open the database here. */
const ownDatabaseChecks = Effect.fnUntraced(function* ({ config }: Settings) {
  const { databaseChecks } = yield* Effect.promise(() => import("../doctor/database/databaseChecks.ts"))
  const found: Array<Check> = []
  const { filesCheck } = yield* Effect.promise(() => import("../doctor/filesCheck.ts"))
  const look = Effect.map(
    Effect.all([databaseChecks(config), filesCheck(config)]),
    (checks) => void found.push(...checks.flat())
  )
  const none = note("database", `none yet in ${config.dataFolder}`, '"parley serve" makes it at its first start.')
  yield* CommandContext.use((context) => context.run(look)).pipe(
    Effect.catchTags({
      NoDatabaseYet: () => Effect.sync(() => void found.push(none)),
      DataFolderInUse: (inUse) => Effect.sync(() => void found.push(inUseCheck(inUse.message)))
    })
  )
  return found
})

/** The checks of this environment; `atServer` are those of the server that owns the data folder. */
const ownChecks = Effect.fnUntraced(function* (settings: Settings, live: boolean, atServer: ReadonlyArray<Check>) {
  const here: Array<Check> = [nodeCheck(), ...(yield* configurationChecks(settings))]
  if (settings.problems.length > 0) return here
  const { config } = settings
  const { parserChecks } = yield* Effect.promise(() => import("../doctor/parserCheck.ts"))
  const { scannerChecks } = yield* Effect.promise(() => import("../doctor/scannerChecks.ts"))
  const { sessionChecks } = yield* Effect.promise(() => import("../doctor/sessionChecks.ts"))
  const { mailChecks } = yield* Effect.promise(() => import("../signIn/mailChecks.ts"))
  here.push(
    ...(yield* sessionChecks(config)),
    ...(yield* mailChecks(config)),
    ...(yield* parserChecks(config)),
    ...(yield* scannerChecks(config))
  )
  const usable = folderProblems(config).length === 0
  // The embedded database is the server's while it runs, and so is its port.
  const ownsDatabase = config.database._tag === "Server" || atServer.length === 0
  if (usable && ownsDatabase) here.push(...(yield* ownDatabaseChecks(settings)))
  if (atServer.length === 0) here.push(...(yield* portChecks(config)))
  here.push(...(yield* offeredChecks(settings, live && atServer.length === 0)))
  return here
})

/** The checks, with the checklist of production before them; it cannot be judged by settings that cannot be used. */
const withChecklist = Effect.fnUntraced(function* ({ config, problems }: Settings, checks: ReadonlyArray<Check>) {
  if (problems.length > 0) return checks
  const { productionChecks, withProduction } = yield* Effect.promise(
    () => import("../doctor/production/productionChecks.ts")
  )
  return withProduction(checks, productionChecks(config, yield* Clock.currentTimeMillis))
})

/** `parley doctor` */
export const doctorCommand = Command.make(
  "doctor",
  {
    json: jsonFlag,
    production: Flag.Boolean("production").pipe(
      Flag.withDescription("Also fail if an item of the checklist of going to production is not fulfilled"),
      Flag.withDefault(false)
    ),
    live: Flag.Boolean("live").pipe(
      Flag.withDescription(
        "Request one token from each vendor whose key is set, and prices and portal settings from the payment provider"
      ),
      Flag.withDefault(false)
    )
  },
  Effect.fnUntraced(function* ({ json, live, production }) {
    const settings = yield* CommandContext.use((context) => context.settings)
    const atServer = yield* serverChecks({ live, production })
    const own = yield* ownChecks(settings, live, atServer)
    const here = production ? yield* withChecklist(settings, own) : own
    const checks = placedChecks(here, atServer)
    const exit = exitOf(checks)
    yield* printResult(json, { ok: exit === 0, checks }, checkLines(checks))
    if (exit !== 0) return yield* new Unhealthy({ exit })
  })
).pipe(
  Command.withDescription("Check everything that a server needs: configuration, database, models, sessions, limits"),
  Command.withExamples([
    { command: "parley doctor", description: "For people; a failed check sets the exit code" },
    {
      command: "parley doctor --live",
      description: "Also make one cheap call to each vendor and the payment provider"
    },
    { command: "parley doctor --production", description: "Before people use the server, and after each change" },
    { command: "parley doctor --json", description: "For programs" }
  ])
)

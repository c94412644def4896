import { Effect, Result } from "effect"
import { Command, Flag } from "effect/cli"
import { type Check, checkLines, exitOf, note } from "../doctor/Check.ts"
import { configurationChecks, invalidConfigChecks, nodeCheck } from "../doctor/configurationChecks.ts"
import { Unhealthy } from "./commandErrors.ts"
import { jsonFlag, printResult } from "./output.ts"
import { Workplace } from "./Workplace.ts"

/** `parley doctor` */
export const doctorCommand = Command.make(
  "doctor",
  {
    json: jsonFlag,
    live: Flag.Boolean("live").pipe(
      Flag.withDescription("Ask each vendor whose key is set for one token"),
      Flag.withDefault(false)
    )
  },
  Effect.fnUntraced(function* ({ json, live }) {
    const workplace = yield* Workplace
    const report = Effect.fnUntraced(function* (checks: ReadonlyArray<Check>) {
      const exit = exitOf(checks)
      yield* printResult(json, { ok: exit === 0, checks }, checkLines(checks))
      if (exit !== 0) return yield* new Unhealthy({ exit })
    })
    const read = yield* Effect.result(workplace.config)
    if (Result.isFailure(read)) return yield* report([nodeCheck(), ...invalidConfigChecks(read.failure)])
    const config = read.success
    const { databaseChecks } = yield* Effect.promise(() => import("../doctor/databaseChecks.ts"))
    const { modelChecks } = yield* Effect.promise(() => import("../doctor/modelChecks.ts"))
    const models = live
      ? Effect.gen(function* () {
          const { liveChecks } = yield* Effect.promise(() => import("../doctor/liveChecks.ts"))
          return [...(yield* modelChecks), ...(yield* liveChecks(config))]
        })
      : modelChecks
    const { parserCheck } = yield* Effect.promise(() => import("../doctor/parserCheck.ts"))
    const general = [nodeCheck(), ...(yield* configurationChecks(config)), yield* parserCheck]
    const whole = Effect.gen(function* () {
      yield* report([...general, ...(yield* databaseChecks(config)), ...(yield* models)])
    })
    const withoutDatabase = Effect.gen(function* () {
      const { offerLayer } = yield* Effect.promise(() => import("../compose.ts"))
      const offered = yield* models.pipe(Effect.provide(offerLayer(config)))
      const database = note(
        "database",
        `none yet in ${config.dataFolder}`,
        '"parley serve" makes it at its first start.'
      )
      yield* report([...general, database, ...offered])
    })
    yield* Effect.catchTag(workplace.run(whole), "NoDatabaseYet", () => withoutDatabase)
  })
).pipe(
  Command.withDescription("Check what Parley would run on: configuration, database, models, sessions, limits"),
  Command.withExamples([
    { command: "parley doctor", description: "For people; a failed check sets the exit code" },
    { command: "parley doctor --live", description: "Also make one cheap call to each vendor" },
    { command: "parley doctor --json", description: "For programs" }
  ])
)

import { Effect, Result } from "effect"
import { Command } from "effect/cli"
import { type Check, checkLines, exitOf, note } from "../doctor/Check.ts"
import { configurationChecks, invalidConfigChecks, nodeCheck } from "../doctor/configurationChecks.ts"
import { Unhealthy } from "./commandErrors.ts"
import { jsonFlag, printResult } from "./output.ts"
import { Workplace } from "./Workplace.ts"

/** `parley doctor` */
export const doctorCommand = Command.make(
  "doctor",
  { json: jsonFlag },
  Effect.fnUntraced(function* ({ json }) {
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
    const general = [nodeCheck(), ...(yield* configurationChecks(config))]
    const whole = Effect.gen(function* () {
      yield* report([...general, ...(yield* databaseChecks(config)), ...(yield* modelChecks)])
    })
    const withoutDatabase = Effect.gen(function* () {
      const { offerLayer } = yield* Effect.promise(() => import("../compose.ts"))
      const models = yield* modelChecks.pipe(Effect.provide(offerLayer(config)))
      const database = note(
        "database",
        `none yet in ${config.dataFolder}`,
        '"parley serve" makes it at its first start.'
      )
      yield* report([...general, database, ...models])
    })
    yield* Effect.catchTag(workplace.run(whole), "NoDatabaseYet", () => withoutDatabase)
  })
).pipe(
  Command.withDescription("Check what Parley would run on: configuration, database, models, sessions, limits"),
  Command.withExamples([
    { command: "parley doctor", description: "For people; a failed check sets the exit code" },
    { command: "parley doctor --json", description: "For programs" }
  ])
)

import { dirname, join } from "node:path"
import { pathToFileURL } from "node:url"
import { Effect, Exit, Scope } from "effect"
import { moduleName, withProject } from "../../../../tooling/docs/codeBlocks.ts"
import { readConfig } from "../../src/config/readConfig.ts"
import { serveRefusals } from "../../src/config/rules/serveRules.ts"
import { openHttp } from "../../src/server/openHttp.ts"
import { openParts } from "../../src/server/openParts.ts"
import { describeSignInGuides } from "./describeSignInGuides.ts"

const PRODUCTION = { NODE_ENV: "production", PARLEY_ALLOW_STAND_INS: "1", PORT: "0", LOG_LEVEL: "error" }

describeSignInGuides({
  serve: async (folder, environment) => {
    const scope = Effect.runSync(Scope.make())
    const opened = Effect.gen(function* () {
      const config = yield* readConfig({ ...environment, ...PRODUCTION }, folder, serveRefusals)
      return yield* openHttp(config, yield* openParts(config))
    })
    const { port } = await Effect.runPromise(Scope.provide(opened, scope))
    return {
      url: `http://127.0.0.1:${port}`,
      [Symbol.asyncDispose]: () => Effect.runPromise(Scope.close(scope, Exit.void))
    }
  },
  load: (program) =>
    withProject([program], (project) => import(pathToFileURL(join(dirname(project), moduleName(program))).href))
})

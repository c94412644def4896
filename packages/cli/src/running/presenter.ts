import { Console } from "effect"
import { CliConfig, CliOutput, GlobalFlag } from "effect/cli"
import { Layer } from "effect"
import { commandLineProblem } from "./commandLineProblem.ts"

const plain = CliOutput.defaultFormatter({ colors: false })
const colored = CliOutput.defaultFormatter({ colors: true })

/** Prints help and version on stdout; prints problems of a command line on stderr, with a hint to the help. */
export const presenterLayer = (colors: boolean): Layer.Layer<never> => {
  const formatter = colors ? colored : plain
  return Layer.mergeAll(
    CliConfig.layer({ builtIns: [GlobalFlag.Help, GlobalFlag.Version, GlobalFlag.Completions, GlobalFlag.LogLevel] }),
    CliOutput.layerPresenter({
      present: (event) => {
        switch (event._tag) {
          case "Help":
            return Console.log(formatter.formatHelpDoc(event.helpDoc))
          case "Version":
            return Console.log(formatter.formatVersion(event.name, event.version))
          case "InvalidInvocation": {
            const problems = [...new Set(event.errors.map(commandLineProblem))].join("\n")
            return Console.error(`${problems}\nSee "${event.commandPath.join(" ")} --help".`)
          }
        }
      }
    })
  )
}

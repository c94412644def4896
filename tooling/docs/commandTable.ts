import { Effect, Layer, Option } from "effect"
import { CliConfig, CliOutput, Command, GlobalFlag, type HelpDoc } from "effect/cli"
import { commandLineServices } from "../../packages/cli/src/running/commandLineServices.ts"
import { parley } from "../../packages/cli/src/commands/parley.ts"
import { cell, code, generatedPage, table } from "./markdown.ts"

const layer = (note: (help: HelpDoc.HelpDoc) => void) =>
  Layer.mergeAll(
    commandLineServices,
    CliConfig.layer({ builtIns: [GlobalFlag.Help] }),
    CliOutput.layerPresenter({
      present: (event) =>
        event._tag === "Help"
          ? Effect.sync(() => note(event.helpDoc))
          : Effect.die(new Error(`parley --help was not understood: ${event._tag}`))
    })
  )

/** The output of `parley <words> --help`. */
const helpOf = async (words: ReadonlyArray<string>): Promise<HelpDoc.HelpDoc> => {
  let help: HelpDoc.HelpDoc | undefined
  const run = Command.runWith(parley, { version: "" })([...words, "--help"])
  const said = run.pipe(Effect.provide(layer((doc) => (help = doc)))) as Effect.Effect<void, unknown>
  await Effect.runPromise(said)
  if (help === undefined) throw new Error(`parley ${words.join(" ")} has no help.`)
  return help
}

/** The help of one command; its words are those after `parley`. */
export interface CommandHelp {
  readonly words: ReadonlyArray<string>
  readonly help: HelpDoc.HelpDoc
}

/** All commands that run something, in the order of the help. */
export const commands = async (words: ReadonlyArray<string> = []): Promise<ReadonlyArray<CommandHelp>> => {
  const help = await helpOf(words)
  const names = (help.subcommands ?? []).flatMap((group) => group.commands.map(({ name }) => name))
  if (names.length === 0) return [{ words, help }]
  return (await Promise.all(names.map((name) => commands([...words, name])))).flat()
}

const shownArgument = ({ name, required, variadic }: HelpDoc.ArgDoc): string =>
  `${required ? `<${name}>` : `[${name}]`}${variadic ? "..." : ""}`

const described = (description: Option.Option<string>): string => cell(Option.getOrElse(description, () => ""))

const section = ({ help, words }: CommandHelp): string => {
  const line = ["parley", ...words, ...(help.args ?? []).map(shownArgument)].join(" ")
  const rows = [
    ...(help.args ?? []).map((each) => [code(shownArgument(each)), described(each.description)]),
    ...help.flags.map(({ aliases, description, name, type }) => [
      code([`--${name}`, ...aliases].join(", ") + (type === "boolean" ? "" : ` <${type}>`)),
      described(description)
    ])
  ]
  const examples = (help.examples ?? []).map(({ command, description }) =>
    description === undefined ? command : `# ${description}\n${command}`
  )
  return [
    `### parley ${words.join(" ")}`,
    `${help.description}.`,
    `\`\`\`text\n${line}${help.flags.length === 0 ? "" : " [options]"}\n\`\`\``,
    ...(rows.length === 0 ? [] : [table(["", ""], rows)]),
    ...(examples.length === 0 ? [] : [`\`\`\`sh\n${examples.join("\n\n")}\n\`\`\``])
  ].join("\n\n")
}

/** The page of all commands, made from their help. */
export const commandsPage = async (): Promise<string> => {
  const groups = Map.groupBy(await commands(), ({ words }) => (words.length === 1 ? "" : (words[0] ?? "")))
  return generatedPage("Commands", [
    "On this page you find the help of all commands, as `parley <command> --help` prints it. `--json` prints data on stdout; all other output goes to stderr. [The command line](../../packages/cli/README.md) describes exit codes, commands beside a running server, and the form of the data.",
    ...[...groups].flatMap(([group, members]) => [
      group === "" ? "## The server" : `## ${group}`,
      ...members.map(section)
    ])
  ])
}

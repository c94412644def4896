import type { CodeBlock } from "./codeBlocks.ts"
import type { CommandHelp } from "./commandTable.ts"

/** A call of `parley` in a block of shell commands. */
export interface CommandLine {
  readonly place: string
  readonly words: ReadonlyArray<string>
}

const SHELLS = ["sh", "bash", "shell"]

/**
 * Splits a command line into words. A quoted text is one word; comments and redirections are dropped with everything
 * after them.
 */
const wordsOf = (line: string): ReadonlyArray<string> =>
  (line.replace(/(^|\s)(?:#|\d?[<>](?=[\s&])|&(?:\s|$)).*$/, "").match(/"[^"]*"|'[^']*'|[^\s]+/g) ?? []).map((word) =>
    word.replaceAll(/^["']|["']$/g, "")
  )

/** Every call of `parley` in blocks of shell commands, also after variables, `npx` and `&&`. */
export const commandLines = (blocks: ReadonlyArray<CodeBlock>): ReadonlyArray<CommandLine> =>
  blocks
    .filter(({ language }) => SHELLS.includes(language))
    .flatMap(({ line, path, text }) =>
      text.split("\n").flatMap((each, index) =>
        each.split(/&&|\|\||;|\|/).flatMap((part) => {
          const words = wordsOf(part)
          const start = words.findIndex((word) => !/^[A-Z][A-Z0-9_]*=/.test(word) && word !== "npx")
          return words[start] === "parley" ? [{ place: `${path}:${line + index}`, words: words.slice(start + 1) }] : []
        })
      )
    )

/** The reason why the command line cannot be parsed; undefined if it can be parsed. */
export const problemOfLine = (
  words: ReadonlyArray<string>,
  commands: ReadonlyArray<CommandHelp>
): string | undefined => {
  if (words.every((word) => ["--help", "--version"].includes(word))) return undefined
  const command = commands
    .filter((each) => each.words.every((word, index) => words[index] === word))
    .toSorted((a, b) => b.words.length - a.words.length)[0]
  if (command === undefined) return `there is no command "parley ${words.join(" ")}"`
  const { args = [], flags } = command.help
  const name = `parley ${command.words.join(" ")}`
  let given = 0
  for (let index = command.words.length; index < words.length; index++) {
    const [word = "", value] = (words[index] ?? "").split("=", 2)
    if (!word.startsWith("-")) {
      given++
      continue
    }
    const flag = flags.find((each) => [`--${each.name}`, `--no-${each.name}`, ...each.aliases].includes(word))
    if (flag === undefined && word !== "--help") return `"${name}" has no option ${word}`
    if (flag !== undefined && flag.type !== "boolean" && value === undefined) index++
  }
  const least = args.filter(({ required }) => required).length
  const most = args.some(({ variadic }) => variadic) ? Infinity : args.length
  return given < least || given > most
    ? `"${name}" takes ${args.map((arg) => arg.name).join(" ") || "nothing"}`
    : undefined
}

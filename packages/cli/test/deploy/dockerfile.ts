import { readFileSync } from "node:fs"
import { fileURLToPath } from "node:url"

/** The root of the repository. */
export const repository = fileURLToPath(new URL("../../../..", import.meta.url))

/** A line of a Dockerfile. */
export interface Instruction {
  readonly word: string
  readonly rest: string
}

export interface Stage {
  readonly from: string
  readonly name: string | undefined
  readonly instructions: ReadonlyArray<Instruction>
}

const instructionsOf = (text: string): ReadonlyArray<Instruction> =>
  text
    .replaceAll(/^\s*#.*\n/gm, "")
    .replaceAll("\\\n", " ")
    .split("\n")
    .filter((line) => line.trim() !== "")
    .map((line) => {
      const [word = "", ...rest] = line.trim().split(/\s+/)
      return { word, rest: rest.join(" ") }
    })

/** The stages of the committed Dockerfile. */
export const readDockerfile = (): ReadonlyArray<Stage> => {
  const stages: Array<{ from: string; name: string | undefined; instructions: Array<Instruction> }> = []
  for (const instruction of instructionsOf(readFileSync(`${repository}/deploy/docker/Dockerfile`, "utf8"))) {
    const [from = "", , name] = instruction.rest.split(" ")
    if (instruction.word === "FROM") stages.push({ from, name, instructions: [] })
    else stages.at(-1)?.instructions.push(instruction)
  }
  return stages
}

/** The text after a word of a stage. */
export const restOf = (stage: Stage | undefined, word: string): ReadonlyArray<string> =>
  (stage?.instructions ?? []).filter((each) => each.word === word).map(({ rest }) => rest)

/** `NAME=value` of a stage. */
export const environmentOf = (stage: Stage | undefined): Record<string, string> =>
  Object.fromEntries(
    restOf(stage, "ENV")
      .flatMap((rest) => rest.split(" "))
      .map((each) => [each.slice(0, each.indexOf("=")), each.slice(each.indexOf("=") + 1)] as const)
  )

import { randomBytes } from "node:crypto"
import { basename, resolve } from "node:path"
import { askChoices, defaultChoices, type Terminal } from "./askChoices.ts"
import { projectFiles } from "./projectFiles.ts"
import { HELP, readArguments } from "./readArguments.ts"
import { nextCommands, settingsToMake } from "./readme.ts"
import { writeProject } from "./writeProject.ts"

const SECRET_BYTES = 32

/** Converts a folder's name to a valid package name. */
const packageName = (folder: string): string =>
  basename(folder)
    .toLowerCase()
    .replaceAll(/[^a-z0-9-]+/g, "-")
    .replaceAll(/^-+|-+$/g, "") || "parley-app"

/** The package manager that started this program, from `npm_config_user_agent`. */
const managerOf = (userAgent: string | undefined): string => /^(pnpm|yarn|bun)\//.exec(userAgent ?? "")?.[1] ?? "npm"

/** Runs the command line: asks the questions, writes the project, and prints the next commands. */
export const createProject = async (
  argv: ReadonlyArray<string>,
  terminal: Terminal,
  userAgent?: string
): Promise<void> => {
  const { answers, folder, help, yes } = readArguments(argv)
  if (help) return void terminal.output.write(HELP)
  const path = resolve(folder)
  const choices = yes ? defaultChoices(answers) : await askChoices(answers, terminal)
  writeProject(path, projectFiles(packageName(path), choices, randomBytes(SECRET_BYTES).toString("base64url")))
  const settings = settingsToMake(choices)
  const lines = [
    "",
    `The project is in ${folder}.`,
    ...(settings.length === 0 ? [] : ["Set in its file .env:", ...settings.map((setting) => `  ${setting}`)]),
    "",
    `  cd ${folder}`,
    ...nextCommands(choices, managerOf(userAgent)).map((command) => `  ${command}`),
    ""
  ]
  terminal.output.write(`${lines.join("\n")}\n`)
}

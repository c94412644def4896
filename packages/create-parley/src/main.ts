import { InputEnded } from "./askChoices.ts"
import { createProject } from "./createProject.ts"
import { HELP, UsageError } from "./readArguments.ts"
import { FolderNotEmpty } from "./writeProject.ts"

const EXIT_FAILED = 1
const EXIT_USAGE = 2

const run = async () => {
  const terminal = { input: process.stdin, output: process.stdout }
  try {
    await createProject(process.argv.slice(2), terminal, process.env["npm_config_user_agent"])
  } catch (error) {
    if (error instanceof UsageError) {
      process.stderr.write(`${error.message}\n\n${HELP}`)
      process.exitCode = EXIT_USAGE
    } else if (error instanceof InputEnded || error instanceof FolderNotEmpty) {
      process.stderr.write(`${error.message}\n`)
      process.exitCode = EXIT_FAILED
    } else throw error
  }
}

await run()

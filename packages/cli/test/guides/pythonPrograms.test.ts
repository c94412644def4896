import { runHere } from "../processes/runHere.ts"
import { serveHere } from "../processes/serveHere.ts"
import { describePythonPrograms } from "./describePythonPrograms.ts"

describePythonPrograms({
  serve: (folder, environment) => serveHere(folder, environment),
  run: async (folder, argv) => (await runHere(argv, folder)).stdout
})

/** Runs modules one after another in this process, and prints the output of each as JSON. */
import { pathToFileURL } from "node:url"

const write = process.stdout.write.bind(process.stdout)
const printed: Record<string, string> = {}
for (const file of process.argv.slice(2)) {
  let text = ""
  process.stdout.write = ((chunk: string | Uint8Array) => {
    text += typeof chunk === "string" ? chunk : new TextDecoder().decode(chunk)
    return true
  }) as typeof process.stdout.write
  try {
    await import(pathToFileURL(file).href)
  } catch (error) {
    text += `\n${error instanceof Error ? (error.stack ?? error.message) : String(error)}`
  }
  printed[file] = text
}
process.stdout.write = write
// The process exits now, because a failed program may have left resources open.
write(JSON.stringify(printed), () => process.exit(0))

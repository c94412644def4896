import { spawn } from "node:child_process"
import { fileURLToPath } from "node:url"

const program = fileURLToPath(new URL("../../../../examples/widget-site/src/main.ts", import.meta.url))

export interface WidgetSite extends AsyncDisposable {
  /** An address on another site than Parley's, for browsers. */
  readonly url: string
}

/** Runs the example of a foreign site, which embeds the bot of a public key and allows the origins of its service. */
export const startWidgetSite = async (
  parleyUrl: string,
  publicKey: string,
  origins = parleyUrl
): Promise<WidgetSite> => {
  const { PATH = "" } = process.env
  const site = spawn(process.execPath, [program, publicKey, parleyUrl, origins], {
    env: { PATH, PORT: "0" },
    stdio: ["ignore", "pipe", "inherit"]
  })
  const exited = new Promise<void>((resolve) => site.once("exit", () => resolve()))
  const port = await new Promise<string>((resolve, reject) => {
    let output = ""
    site.once("exit", (code) => reject(new Error(`The site ended with exit code ${code}.`)))
    site.stdout.on("data", (chunk: Buffer) => {
      output += chunk.toString()
      const found = /localhost:(\d+)/.exec(output)?.[1]
      if (found !== undefined) resolve(found)
    })
  })
  return {
    url: `http://shop.test:${port}`,
    [Symbol.asyncDispose]: async () => {
      site.kill()
      await exited
    }
  }
}

import { createHash } from "node:crypto"
import { execFile } from "node:child_process"
import { readFileSync } from "node:fs"
import { createServer } from "node:http"
import type { AddressInfo } from "node:net"
import { basename } from "node:path"
import { promisify } from "node:util"

const run = promisify(execFile)

interface Manifest {
  readonly name: string
  readonly version: string
}

/** A registry of packed packages, as npm, pnpm and yarn ask it for the packages of one scope. */
export interface PackageRegistry extends AsyncDisposable {
  readonly url: string
}

/** Old enough for package managers that wait some days before they install a new version. */
const PUBLISHED = "2026-01-01T00:00:00.000Z"

/** Serves the packages of these files, each in its only version. */
export const servePackages = async (files: Iterable<string>): Promise<PackageRegistry> => {
  const packages = new Map<string, { readonly manifest: Manifest; readonly file: string }>()
  for (const file of files) {
    const { stdout } = await run("tar", ["-xzOf", file, "package/package.json"])
    const manifest = JSON.parse(stdout) as Manifest
    packages.set(manifest.name, { manifest, file })
  }
  const byFile = new Map([...packages.values()].map(({ file }) => [`/${basename(file)}`, file]))
  const server = createServer((request, response) => {
    const path = decodeURIComponent(request.url ?? "/")
    const file = byFile.get(path)
    if (file !== undefined) return void response.end(readFileSync(file))
    const found = packages.get(path.slice(1))
    if (found === undefined) return void response.writeHead(404).end("{}")
    const { manifest } = found
    const integrity = `sha512-${createHash("sha512").update(readFileSync(found.file)).digest("base64")}`
    const dist = { tarball: `http://${request.headers.host}/${basename(found.file)}`, integrity }
    const { name, version } = manifest
    const body = {
      name,
      "dist-tags": { latest: version },
      versions: { [version]: { ...manifest, dist } },
      time: { created: PUBLISHED, modified: PUBLISHED, [version]: PUBLISHED }
    }
    response.writeHead(200, { "content-type": "application/json" }).end(JSON.stringify(body))
  })
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve))
  return {
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}/`,
    [Symbol.asyncDispose]: async () => {
      server.closeAllConnections()
      await new Promise((resolve) => server.close(resolve))
    }
  }
}

import { execFile } from "node:child_process"
import { chownSync, copyFileSync, chmodSync, existsSync, mkdirSync, rmSync, statSync } from "node:fs"
import { join } from "node:path"
import { fileURLToPath } from "node:url"
import { promisify } from "node:util"
import type { Certificate } from "./certificates.ts"

const SCRIPT = fileURLToPath(new URL("../../../../.ci/postgres", import.meta.url))
/** The folder in which the server runs as in one of its own. */
const ROOT = process.env["PARLEY_CI_POSTGRES_DIR"] ?? "/var/lib/parley-postgres"
const HOME = "/var/lib/postgresql"
const run = promisify(execFile)

/** A Postgres server of a test's own, which has a certificate. */
export class TlsPostgres implements AsyncDisposable {
  readonly #cluster = `parley_tls_${crypto.randomUUID().replaceAll("-", "").slice(0, 12)}`
  #port = ""

  /** True if the server of the tests is one that can be started again beside itself. */
  static get canStart(): boolean {
    const isOurs = process.getuid?.() === 0 && existsSync(join(ROOT, "usr/lib/postgresql/17/bin/postgres"))
    return (process.env["TEST_DATABASE_URL"] ?? "") !== "" && isOurs
  }

  static async start(certificate: Certificate): Promise<TlsPostgres> {
    const server = new TlsPostgres()
    try {
      server.#keep(certificate)
      server.#port = new URL((await server.#call("start")).trim()).port
    } catch (cause) {
      await server[Symbol.asyncDispose]()
      throw cause
    }
    return server
  }

  /** The address of its database, by a name of this machine and with parameters. */
  url(host: string, parameters: Readonly<Record<string, string>>): string {
    return `postgres://postgres@${host}:${this.#port}/parley_test?${String(new URLSearchParams(parameters))}`
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await this.#call("remove")
    rmSync(join(ROOT, this.#folder), { recursive: true, force: true })
  }

  /** As the server sees it. */
  get #folder(): string {
    return `${HOME}/${this.#cluster}-tls`
  }

  /** Copies the certificate to where the server reads it, with the rights that it demands of a key. */
  #keep({ cert, key }: Certificate): void {
    const { gid, uid } = statSync(join(ROOT, HOME))
    const folder = join(ROOT, this.#folder)
    mkdirSync(folder)
    const copied = [
      [cert, join(folder, "server.pem")],
      [key, join(folder, "server.key")]
    ] as const
    for (const [from, to] of copied) {
      copyFileSync(from, to)
      chmodSync(to, 0o600)
      chownSync(to, uid, gid)
    }
    chownSync(folder, uid, gid)
  }

  async #call(what: "start" | "remove"): Promise<string> {
    const options = {
      ssl: "on",
      ssl_cert_file: `${this.#folder}/server.pem`,
      ssl_key_file: `${this.#folder}/server.key`
    }
    const { stdout } = await run("bash", [SCRIPT, what], {
      env: {
        ...process.env,
        PARLEY_CI_POSTGRES_CLUSTER: this.#cluster,
        PARLEY_CI_POSTGRES_OPTIONS: Object.entries(options)
          .map(([name, value]) => `-c ${name}=${value}`)
          .join(" ")
      }
    })
    return stdout
  }
}

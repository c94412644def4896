import { type ChildProcess, spawn } from "node:child_process"
import { once } from "node:events"
import { mkdirSync, readFileSync, writeFileSync } from "node:fs"
import { connect } from "node:net"
import { join } from "node:path"
import { fileURLToPath } from "node:url"
import { type Certificate, issueCertificate, makeAuthority } from "../processes/certificates.ts"
import { eventually } from "../processes/ParleyProcess.ts"
import { openPort } from "./ports.ts"

const EXAMPLE = fileURLToPath(new URL("../../../../deploy/nginx/parley.conf", import.meta.url))
/** Debian installs it beside the programs of the administrator. */
const PATH = `${process.env["PATH"]}:/usr/sbin:/sbin`

/** What `nginx.conf` of the system contains around a site. */
const around = (folder: string, site: string): string => `
pid ${folder}/nginx.pid;
daemon off;
worker_processes 2;
events { worker_connections 4096; }
http {
  access_log off;
  client_body_temp_path ${folder}/body;
  proxy_temp_path ${folder}/proxy;
  fastcgi_temp_path ${folder}/fastcgi;
  uwsgi_temp_path ${folder}/uwsgi;
  scgi_temp_path ${folder}/scgi;
  include ${site};
}
`

/** The committed site with the addresses of this machine in place of its own. */
const siteOf = (servers: ReadonlyArray<number>, ports: { http: number; https: number }, made: Certificate): string =>
  readFileSync(EXAMPLE, "utf8")
    .replaceAll(/127\.0\.0\.1:300([123])\b/g, (_, number: string) => `127.0.0.1:${servers[Number(number) - 1]}`)
    .replaceAll(/listen \[::\]:.*\n/g, "\n")
    .replace("listen 80;", `listen 127.0.0.1:${ports.http};`)
    .replace("listen 443 ", `listen 127.0.0.1:${ports.https} `)
    .replaceAll("app.example.com;", "localhost;")
    .replace(/(ssl_certificate +)\S+;/, `$1${made.cert};`)
    .replace(/(ssl_certificate_key +)\S+;/, `$1${made.key};`)

interface NginxFiles {
  readonly folder: string
  /** The ports of the servers, in the order of the example. */
  readonly servers: ReadonlyArray<number>
  readonly ports: { readonly http: number; readonly https: number }
  readonly made: Certificate
}

/** Writes the site and the file around it; returns the path of the latter. */
export const nginxFiles = ({ folder, made, ports, servers }: NginxFiles): string => {
  const [site, main] = [join(folder, "site.conf"), join(folder, "nginx.conf")]
  writeFileSync(site, siteOf(servers, ports, made))
  writeFileSync(main, around(folder, site))
  return main
}

/** A real nginx with the example of `deploy/nginx` in front of servers on this machine. */
export class NginxProxy implements AsyncDisposable {
  readonly url: string
  /** The authority of its certificate. */
  readonly ca: Buffer
  readonly #child: ChildProcess
  #said = ""

  private constructor(main: string, https: number, authority: Certificate) {
    this.url = `https://localhost:${https}`
    this.ca = readFileSync(authority.cert)
    this.#child = spawn("nginx", ["-e", "stderr", "-c", main], {
      env: { PATH },
      stdio: ["ignore", "ignore", "pipe"]
    })
    this.#child.stderr?.setEncoding("utf8").on("data", (text: string) => (this.#said += text))
  }

  static async start({ folder: parent, servers }: Pick<NginxFiles, "folder" | "servers">): Promise<NginxProxy> {
    const folder = join(parent, "nginx")
    mkdirSync(folder)
    const authority = makeAuthority(folder, "authority")
    const made = issueCertificate(folder, authority, "DNS:localhost")
    const [http, https] = [await openPort(), await openPort()]
    const main = nginxFiles({ folder, servers, ports: { http, https }, made })
    const proxy = new NginxProxy(main, https, authority)
    await eventually("nginx to listen", () => proxy.#listens(https), 10_000)
    return proxy
  }

  /** Its log of errors. */
  get said(): string {
    return this.#said
  }

  async #listens(port: number): Promise<true | undefined> {
    if (this.#child.exitCode !== null) throw new Error(`nginx ended: ${this.#said}`)
    const socket = connect(port, "127.0.0.1")
    try {
      await once(socket, "connect")
      return true
    } catch {
      return undefined
    } finally {
      socket.destroy()
    }
  }

  async [Symbol.asyncDispose](): Promise<void> {
    if (this.#child.exitCode !== null) return
    const ended = once(this.#child, "close")
    this.#child.kill("SIGTERM")
    await ended
  }
}

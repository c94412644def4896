import { execFileSync, spawnSync } from "node:child_process"
import { copyFileSync, existsSync, readdirSync, readFileSync, statSync, writeFileSync } from "node:fs"
import { join } from "node:path"
import { describe, expect, it } from "vitest"
import { parse } from "yaml"
import { issueCertificate, makeAuthority } from "../processes/certificates.ts"
import { temporaryFolder } from "../processes/ParleyProcess.ts"
import { renderChart } from "./chart.ts"
import { environmentOf, readDockerfile, repository, restOf } from "./dockerfile.ts"
import { nginxFiles } from "./NginxProxy.ts"

const deploy = join(repository, "deploy")
const read = (path: string) => readFileSync(join(deploy, path), "utf8")
const files = readdirSync(deploy, { recursive: true, encoding: "utf8" }).filter((path) =>
  statSync(join(deploy, path)).isFile()
)
const reference = (page: string) => readFileSync(join(repository, "docs/reference", page), "utf8")

/** Programs of the administrator are not on everybody's path. */
const PATH = `${process.env["PATH"]}:/usr/sbin:/sbin`
const has = (program: string) => PATH.split(":").some((folder) => existsSync(join(folder, program)))
const run = (program: string, ...argv: ReadonlyArray<string>) =>
  execFileSync(program, argv, { env: { PATH, HOME: "/tmp" }, encoding: "utf8", stdio: "pipe" })

/** `NAME=value` of a file of settings. */
const settingsOf = (text: string): Record<string, string> =>
  Object.fromEntries([...text.matchAll(/^([A-Z][A-Z0-9_]*)=(.*)$/gm)].map(([, name = "", value = ""]) => [name, value]))

const example = settingsOf(read("parley.env.example"))
/** The seconds that a stopping server may take, and those after which it has stored and closed everything. */
const stopSeconds = (delay: unknown, drain: unknown) => Number(delay) + Number(drain) + 20

interface Compose {
  readonly services: Readonly<Record<string, Record<string, unknown>>>
}
const { services } = parse(read("compose.yaml"), { merge: true }) as Compose

interface Container extends Record<string, unknown> {
  readonly args: ReadonlyArray<string>
  readonly ports?: ReadonlyArray<{ readonly name: string; readonly containerPort: number }>
}
interface Pod {
  readonly terminationGracePeriodSeconds: number
  readonly containers: readonly [Container]
}
interface Manifest {
  readonly kind: string
  readonly metadata: { readonly name: string; readonly annotations?: Readonly<Record<string, string>> }
  readonly data: Readonly<Record<string, string>>
  readonly spec: {
    readonly template: { readonly spec: Pod; readonly metadata: { readonly labels: object } }
  } & Readonly<Record<string, unknown>>
}
const manifests = renderChart() as unknown as ReadonlyArray<Manifest>
const manifest = (kind: string, name: string) => {
  const found = manifests.find((each) => each.kind === kind && each.metadata.name === name)
  if (found === undefined) throw new Error(`The chart has no ${kind} ${name}.`)
  return found
}

describe("the examples of deploy/", () => {
  it("name only variables of the reference", () => {
    const known = new Set(reference("configuration.md").match(/(?<=`)[A-Z][A-Z0-9_]+(?=`)/g))
    const named = files.flatMap(
      (path) => read(path).match(/\b(?:PARLEY|STRIPE|OPENAI|ANTHROPIC|DATABASE)_[A-Z0-9_]+\b/g) ?? []
    )
    const set = [...Object.keys(example), ...Object.keys(manifest("ConfigMap", "parley").data)]
    expect(named.length).toBeGreaterThan(30)
    expect([...new Set([...named, ...set])].filter((name) => !known.has(name))).toEqual([])
  })

  it("ask only paths that the server has", () => {
    const routes = [...reference("http.md").matchAll(/^### GET (\S+)$/gm)].map(([, path]) => path)
    const paths = files.flatMap((path) => read(path).match(/\/(?:healthz|readyz|metrics|api\/[\w/-]+)/g) ?? [])
    expect([...new Set(paths)].toSorted()).toEqual(["/api/cron/reset-credits", "/healthz", "/readyz"])
    expect(paths.filter((path) => !routes.includes(path))).toEqual([])
  })

  it("wait longer than a server takes to stop before they kill it", () => {
    const needed = stopSeconds(example["PARLEY_SHUTDOWN_DELAY"], example["PARLEY_DRAIN_SECONDS"])
    expect(Number.parseInt(String(services["server"]?.["stop_grace_period"]), 10)).toBeGreaterThanOrEqual(needed)
    expect(Number(/^TimeoutStopSec=(\d+)$/m.exec(read("systemd/parley@.service"))?.[1])).toBeGreaterThanOrEqual(needed)
    const { data } = manifest("ConfigMap", "parley")
    expect(
      manifest("Deployment", "parley-server").spec.template.spec.terminationGracePeriodSeconds
    ).toBeGreaterThanOrEqual(stopSeconds(data["PARLEY_SHUTDOWN_DELAY"], data["PARLEY_DRAIN_SECONDS"]))
  })
})

describe("the image", () => {
  const [build, final] = readDockerfile()

  it("is built with Node 24 and consists of the gathered files alone, for a user without rights", () => {
    expect(build).toMatchObject({ from: "node:24-bookworm-slim", name: "build" })
    expect(final?.from).toBe("scratch")
    expect(restOf(final, "COPY")).toEqual(["--from=build /image /"])
    expect(restOf(final, "USER")).toEqual(["10001:10001"])
    expect(environmentOf(final)).toMatchObject({ NODE_ENV: "production", HOST: "0.0.0.0", PORT: "3000" })
    expect(restOf(final, "HEALTHCHECK").join()).toContain("/app/deploy/docker/health.mjs")
  })
})

describe("compose.yaml", () => {
  it("migrates after the database is healthy and before a server or worker starts", () => {
    const waits = (name: string) => services[name]?.["depends_on"]
    expect(waits("migrate")).toEqual({ postgres: { condition: "service_healthy" } })
    for (const name of ["server", "worker"]) {
      expect(waits(name)).toEqual({ migrate: { condition: "service_completed_successfully" } })
    }
    expect(["migrate", "server", "worker"].map((name) => services[name]?.["command"])).toEqual([
      ["migrate"],
      ["serve", "--no-work"],
      ["work"]
    ])
  })

  it("gives our containers a root that cannot be written, a tmpfs, and no capability", () => {
    for (const name of ["migrate", "server", "worker"]) {
      expect(services[name]).toMatchObject({
        read_only: true,
        tmpfs: ["/tmp"],
        cap_drop: ["ALL"],
        security_opt: ["no-new-privileges:true"]
      })
    }
    expect(services["caddy"]?.["profiles"]).toEqual(["caddy"])
  })
})

describe("the Helm chart", () => {
  const pods = ["server", "worker"].map((name) => manifest("Deployment", `parley-${name}`).spec.template.spec)

  it("has every part, and migrates before servers of a release start", () => {
    const kinds = manifests.map(({ kind }) => kind).toSorted()
    expect(kinds).toEqual(["ConfigMap", "Deployment", "Deployment", "Ingress", "Job", "PodDisruptionBudget", "Service"])
    expect(manifest("Job", "parley-migrate").metadata.annotations).toMatchObject({
      "helm.sh/hook": "pre-install,pre-upgrade"
    })
    expect(manifest("Job", "parley-migrate").spec.template.spec.containers[0].args).toEqual(["migrate"])
    expect(pods.map(({ containers }) => containers[0].args)).toEqual([["serve", "--no-work"], ["work"]])
  })

  it("takes secrets from a secret alone, and runs without rights on a root that cannot be written", () => {
    for (const {
      containers: [container]
    } of pods) {
      expect(container["envFrom"]).toEqual([{ configMapRef: { name: "parley" } }, { secretRef: { name: "parley" } }])
      expect(container["securityContext"]).toMatchObject({
        readOnlyRootFilesystem: true,
        allowPrivilegeEscalation: false
      })
    }
    expect(
      Object.keys(manifest("ConfigMap", "parley").data).filter((name) => /SECRET|KEY|DATABASE/.test(name))
    ).toEqual([])
  })

  it("probes readiness at /readyz and life at /healthz, and selects the servers' pods", () => {
    const [container] = pods[0]?.containers ?? []
    const get = (path: string) => ({ httpGet: { path, port: "http" } })
    expect(container).toMatchObject({
      readinessProbe: get("/readyz"),
      livenessProbe: get("/healthz"),
      startupProbe: get("/healthz")
    })
    expect(container?.ports).toEqual([
      { name: "http", containerPort: Number(environmentOf(readDockerfile()[1])["PORT"]) }
    ])
    const { labels } = manifest("Deployment", "parley-server").spec.template.metadata
    expect(labels).toMatchObject(manifest("Service", "parley").spec["selector"] as object)
    const budget = manifest("PodDisruptionBudget", "parley-server").spec["selector"] as { readonly matchLabels: object }
    expect(labels).toMatchObject(budget.matchLabels)
  })
})

describe("programs that check their own files", () => {
  it.runIf(has("nginx"))("nginx takes deploy/nginx/parley.conf", () => {
    using folder = temporaryFolder()
    const made = issueCertificate(folder.path, makeAuthority(folder.path, "authority"), "DNS:localhost")
    const main = nginxFiles({
      folder: folder.path,
      servers: [3001, 3002, 3003],
      ports: { http: 8080, https: 8443 },
      made
    })
    expect(() => run("nginx", "-t", "-q", "-e", "stderr", "-c", main)).not.toThrow()
  })

  it.runIf(has("caddy"))("caddy takes deploy/caddy/Caddyfile", () => {
    const file = join(deploy, "caddy/Caddyfile")
    expect(() => run("caddy", "adapt", "--config", file, "--adapter", "caddyfile", "--validate")).not.toThrow()
    expect(run("caddy", "adapt", "--config", file, "--adapter", "caddyfile")).toContain("/readyz")
  })

  it.runIf(has("systemd-analyze"))("systemd takes every unit, and finds the servers well confined", () => {
    using folder = temporaryFolder()
    for (const unit of readdirSync(join(deploy, "systemd"))) {
      const text = read(`systemd/${unit}`).replace("/opt/parley/node_modules/.bin/node ", "/bin/true ")
      writeFileSync(join(folder.path, unit.replace("@.", "@3001.")), text)
    }
    copyFileSync(join(deploy, "systemd/parley@.service"), join(folder.path, "parley@.service"))
    const units = readdirSync(folder.path)
      .filter((unit) => unit !== "parley@.service")
      .map((unit) => join(folder.path, unit))
    // An unknown setting is a warning, and the exit code 0.
    const { status, stderr } = spawnSync("systemd-analyze", ["verify", "--man=no", ...units], { encoding: "utf8" })
    expect([status, stderr]).toEqual([0, ""])
    const confined = ["security", "--offline=true", "--threshold=30"]
    expect(() => run("systemd-analyze", ...confined, join(folder.path, "parley@3001.service"))).not.toThrow()
  })
})

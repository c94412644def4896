import type { Choices, Framework } from "./Choices.ts"

/** The versions of packages other than Parley's own. */
const VERSIONS: Readonly<Record<string, string>> = {
  "@electric-sql/pglite": "0.5.14",
  "@electric-sql/pglite-pgvector": "0.0.15",
  "@hono/node-server": "^2.1.9",
  "@types/express": "^5.0.6",
  "@types/node": "^22.19.0",
  "@types/react": "^19.3.0",
  express: "^5.3.0",
  fastify: "^5.12.8",
  hono: "^4.13.19",
  jose: "^6.2.17",
  next: "^16.4.6",
  openai: "^7.55.0",
  react: "^19.3.1",
  "react-dom": "^19.3.1",
  stripe: "^23.1.0",
  typescript: "^5.9.3"
}

const LIBRARY = ["adapters-db", "adapters-documents", "adapters-http", "adapters-llm", "core"].map(
  (name) => `@parley/${name}`
)

/** The packages that a project needs for running and for its development, by framework. */
const FRAMEWORK_PACKAGES: Readonly<
  Record<Framework, { readonly runs: ReadonlyArray<string>; readonly develops: ReadonlyArray<string> }>
> = {
  server: { runs: ["@parley/cli"], develops: [] },
  express: { runs: [...LIBRARY, "@parley/dashboard", "express"], develops: ["@types/express"] },
  fastify: { runs: [...LIBRARY, "@parley/dashboard", "fastify"], develops: [] },
  hono: { runs: [...LIBRARY, "@parley/dashboard", "hono", "@hono/node-server"], develops: [] },
  next: {
    runs: [...LIBRARY, "@parley/client", "@parley/react", "next", "react", "react-dom"],
    develops: ["@types/react"]
  }
}

const DEVELOPMENT = ["@types/node", "typescript"]
const EMBEDDED = ["@electric-sql/pglite", "@electric-sql/pglite-pgvector"]

const NODE = "node --env-file=.env --disable-warning=ExperimentalWarning"

const scriptsOf = ({ framework, "sign-in": signIn }: Choices): Readonly<Record<string, string>> => {
  const token = signIn === "secret" ? { token: `${NODE} src/token.ts` } : {}
  if (framework === "server") return { start: "parley serve", doctor: "parley doctor", ...token }
  const check = { check: "tsc" }
  if (framework === "next") return { dev: "next dev", build: "next build", start: "next start", ...check, ...token }
  return { dev: `${NODE} --watch src/main.ts`, start: `${NODE} src/main.ts`, ...check, ...token }
}

const ranges = (names: ReadonlyArray<string>, version: string): Readonly<Record<string, string>> =>
  Object.fromEntries(
    names.toSorted().map((name) => [name, name.startsWith("@parley/") ? `^${version}` : (VERSIONS[name] ?? "*")])
  )

/** The `package.json` of a project, with Parley's packages in version `version`. */
export const manifestOf = (name: string, choices: Choices, version: string): string => {
  const { develops, runs } = FRAMEWORK_PACKAGES[choices.framework]
  const dependencies = [
    ...runs,
    "openai",
    ...(choices.database === "embedded" ? EMBEDDED : []),
    ...(choices["sign-in"] === "secret" ? ["jose"] : [])
  ]
  const isProgram = choices.framework !== "server" || choices["sign-in"] === "secret"
  const standIn = choices.framework === "server" ? ["stripe", "@parley/stripe-stand-in"] : []
  const devDependencies = [...develops, ...(isProgram ? DEVELOPMENT : []), ...standIn]
  const manifest = {
    name,
    version: "0.0.0",
    private: true,
    type: "module",
    scripts: scriptsOf(choices),
    dependencies: ranges(dependencies, version),
    devDependencies: ranges(devDependencies, version),
    engines: { node: ">=22.19" }
  }
  return `${JSON.stringify(manifest, undefined, 2)}\n`
}

/** The rules of the repository as data; `violations.ts` applies them, ARCHITECTURE.md explains them. */

/**
 * The packages of this repository that a package may import. A name ending in `*` matches every name with that
 * beginning. The first row that matches the importing package counts; a package without a row is a violation itself.
 */
export const arrows: ReadonlyArray<{ readonly from: string; readonly to: ReadonlyArray<string> }> = [
  { from: "@parley/core", to: [] },
  { from: "@parley/widget", to: [] },
  { from: "@parley/client", to: [] },
  { from: "@parley/react", to: ["@parley/client"] },
  { from: "@parley/stripe-stand-in", to: [] },
  { from: "@parley/dashboard", to: ["@parley/core", "@parley/client", "@parley/react"] },
  { from: "@parley/adapters-http", to: ["@parley/core", "@parley/widget"] },
  { from: "@parley/adapters-stripe", to: ["@parley/core", "@parley/stripe-stand-in"] },
  { from: "@parley/adapters-*", to: ["@parley/core"] },
  { from: "create-parley", to: [] },
  { from: "@parley/cli", to: ["@parley/*"] },
  { from: "@parley/bench", to: ["@parley/*"] },
  { from: "@parley/example-*", to: ["@parley/*"] }
]

/**
 * The domains of the core, lowest first: a folder imports only those before it, types included. Files outside the
 * folders of domains (the entry points) are above all of them.
 */
export const coreDomains: ReadonlyArray<string> = [
  "telemetry",
  "validation",
  "identity",
  "storage",
  "branding",
  "outages",
  "secrets",
  "sessions",
  "audit",
  "limits",
  "mail",
  "fairness",
  "background",
  "tokens",
  "models",
  "tiers",
  "preferences",
  "events",
  "security",
  "keys",
  "signin",
  "credits",
  "jobs",
  "documents",
  "chat",
  "bots",
  "widget",
  "billing",
  "crm",
  "users",
  "retention",
  "promise",
  "testing"
]

/** The folder of the domains. */
export const coreSources = "packages/core/src/"

/** Folders outside the domains that the façade and the suites may import. */
export const aboveDomains: ReadonlyArray<string> = ["promise", "testing"]

/** The package that knows no vendor, no environment, no clock and no chance. */
export const corePackage = "@parley/core"

/** The packages that the core may import. */
export const coreDependencies: ReadonlyArray<string> = ["effect"]

/** The packages that the contract suites, which the core exports for test runners, may import. */
export const coreTestingDependencies: ReadonlyArray<string> = ["effect", "vitest", "@effect/vitest", "fast-check"]

/** The folder of the contract suites. */
export const coreTestingFolder = "packages/core/src/testing/"

/** Globals the core must not reach: each hides an input that a caller could neither see nor set. */
export const ambientGlobals: ReadonlyArray<string> = [
  "globalThis",
  "process",
  "performance",
  "crypto",
  "fetch",
  "console",
  "setTimeout",
  "setInterval",
  "setImmediate",
  "queueMicrotask",
  "require",
  "Buffer"
]

/** Members of those globals that are deterministic, and therefore allowed. */
export const harmlessMembers: ReadonlyArray<string> = ["crypto.subtle"]

/** The files of the core that may use these globals: behind a port, or in an entry that runs without Effect. */
export const ambientHomes: Readonly<Record<string, ReadonlyArray<string>>> = {
  "packages/core/src/storage/storedForms.ts": ["crypto", "globalThis"],
  "packages/core/src/events/verifyWebhook.ts": ["new Date()"]
}

/** Files that import a module by a computed name: one of their own package, or one that the user of a bench names. */
export const computedImportHomes: ReadonlyArray<string> = [
  "packages/adapters-documents/src/process/parserThread.ts",
  "packages/adapters-documents/src/TesseractOcr.ts",
  "packages/bench/src/retrieval/weighEmbedder.ts"
]

/** Members of otherwise harmless globals that read the clock or chance. */
export const ambientMembers: ReadonlyArray<string> = ["Date.now", "Math.random", "import.meta"]

/** Lines after which a source file must be divided. */
export const sourceLinesMax = 400

/** Names that do not describe the contents of a file or folder. */
export const emptyNames: ReadonlyArray<string> = ["utils", "util", "common", "misc", "helpers", "helper"]

/** The name of each rule in a report, and its remedy. */
export const remedies = {
  arrows:
    "core <- adapters-* <- cli, examples; widget <- adapters-http; client <- react <- examples; client <- dashboard; stripe-stand-in <- adapters-stripe (tests); core (core/reading) <- dashboard <- cli; adapters never import each other",
  "core-dependencies": "the core imports effect and its own files alone; put the vendor behind a port",
  "deep-import": "import what the package's exports map offers, or export it there",
  "import-cycle": "files must not need each other, types included; move what both need into a file below them",
  "domain-order": "a domain imports those below it (identity < ... < chat); move what it needs down, or the rule up",
  ambient:
    "take it as a port or a parameter: Clock for time, IdGenerator for chance, configuration for the environment",
  undeclared: "declare the package in this package's dependencies, or do not import it",
  "default-export": "export by name",
  "file-length": `divide the file: one concept a file, ${sourceLinesMax} lines at most`,
  "empty-name": "name the file or folder after the concept it holds",
  unreadable: "the file does not parse"
} as const

/** The name of a rule. */
export type Rule = keyof typeof remedies

import { readdirSync, readFileSync } from "node:fs"
import { join, sep } from "node:path"
import { fileURLToPath } from "node:url"
import type { Choices } from "./Choices.ts"
import { environmentOf } from "./environment.ts"
import { manifestOf } from "./manifest.ts"
import { readmeOf } from "./readme.ts"

const own = (path: string) => fileURLToPath(new URL(`../${path}`, import.meta.url))

/** The version of this package, which all of Parley's packages share. */
export const ownVersion = (): string =>
  (JSON.parse(readFileSync(own("package.json"), "utf8")) as { readonly version: string }).version

/** The folders of `templates` whose files form the project. */
const templatesOf = ({ database, framework, "sign-in": signIn }: Choices): ReadonlyArray<string> => {
  if (framework === "server") return []
  const page = signIn === "development" ? "next-development" : "next-elsewhere"
  return ["library", database, signIn, framework, ...(framework === "next" ? [page] : [])]
}

const filesBelow = (folder: string): ReadonlyArray<readonly [path: string, text: string]> =>
  readdirSync(folder, { recursive: true, withFileTypes: true })
    .filter((entry) => entry.isFile())
    .map((entry) => {
      const path = join(entry.parentPath, entry.name)
      return [
        path
          .slice(folder.length + 1)
          .split(sep)
          .join("/"),
        readFileSync(path, "utf8")
      ] as const
    })

/** The further file of a project with the plain server: the program that prints tokens. */
const tokenProgram = ({ framework, "sign-in": signIn }: Choices): ReadonlyArray<readonly [string, string]> =>
  framework === "server" && signIn === "secret"
    ? ["src/token.ts", "tsconfig.json"].map((path) => {
        const folder = path === "tsconfig.json" ? "library" : "secret"
        return [path, readFileSync(own(`templates/${folder}/${path}`), "utf8")] as const
      })
    : []

const IGNORED = ["node_modules", ".env", ".parley", ".next", "next-env.d.ts", "*.tsbuildinfo", ""].join("\n")

/** The files of a project, by their paths in the project. `secret` signs tokens if the application issues them. */
export const projectFiles = (name: string, choices: Choices, secret: string): ReadonlyMap<string, string> => {
  const sources = new Map([
    ...templatesOf(choices).flatMap((folder) => filesBelow(own(`templates/${folder}`))),
    ...tokenProgram(choices)
  ])
  return new Map([
    ...sources,
    ["package.json", manifestOf(name, choices, ownVersion())],
    [".env", environmentOf(choices, secret)],
    [".gitignore", IGNORED],
    ["README.md", readmeOf(name, choices, [...sources.keys()])]
  ])
}

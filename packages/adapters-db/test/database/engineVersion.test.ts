import { readFileSync } from "node:fs"
import { describe, expect, it } from "vitest"
import { ENGINE_VERSIONS, requirePglite } from "../../src/database/embedded/PgliteMissing.ts"

const peersOf = (name: string) => {
  const manifest = readFileSync(new URL(`../../../${name}/package.json`, import.meta.url), "utf8")
  return (JSON.parse(manifest) as { readonly peerDependencies: Readonly<Record<string, string>> }).peerDependencies
}

describe("the engine of an embedded database", () => {
  it("is wanted in the versions that the packages declare, to the letter", () => {
    for (const name of ["adapters-db", "cli"]) expect(peersOf(name)).toMatchObject(ENGINE_VERSIONS)
  })

  it("is accepted as it is installed here", () => {
    expect(() => requirePglite()).not.toThrow()
  })

  it("is refused where it is absent, in part or whole, with the command that installs it", () => {
    const command = "npm install @electric-sql/pglite@0.5.14 @electric-sql/pglite-pgvector@0.0.15"
    expect(() => requirePglite(() => undefined)).toThrow(command)
    const noVectors = (name: string) => (name === "@electric-sql/pglite" ? "0.5.14" : undefined)
    expect(() => requirePglite(noVectors)).toThrow(command)
  })

  it("is refused in another version, newer or older, and both are named", () => {
    for (const version of ["0.5.16", "0.5.13", "0.5.14-beta.1"]) {
      const found = (name: string) => (name === "@electric-sql/pglite" ? version : "0.0.15")
      expect(() => requirePglite(found)).toThrow(
        `needs @electric-sql/pglite 0.5.14, and @electric-sql/pglite ${version} is installed`
      )
    }
  })
})

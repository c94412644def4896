import * as adaptersDb from "@parley/adapters-db"
import * as core from "@parley/core"
import { expect, it } from "vitest"

const { errorStatuses } = core

const isErrorClass = (exported: unknown): exported is { readonly prototype: Error } =>
  typeof exported === "function" && exported.prototype instanceof Error

/** The code that a class gives its errors, as its text says; a class that computes it is held to its codes by its type. */
const codesOf = (errorClass: { readonly prototype: Error }): ReadonlyArray<string> => {
  const text = String(errorClass)
  if (/\bget code\(\)/.test(text)) return ["model_failed"]
  return [...text.matchAll(/^\s*code = "(\w+)"/gm)].map(([, code = ""]) => code)
}

it("every error that the library and its database name has one code, which has a status", () => {
  const classes = Object.entries({ ...core, ...adaptersDb }).flatMap(([name, exported]) =>
    isErrorClass(exported) ? [{ name, codes: codesOf(exported) }] : []
  )
  expect(classes.length).toBeGreaterThan(80)
  for (const { codes, name } of classes) {
    expect([name, codes.length, codes.every((code) => Object.hasOwn(errorStatuses, code))]).toEqual([name, 1, true])
  }
})

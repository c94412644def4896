import * as adaptersDb from "@parley/adapters-db"
import { errorStatuses } from "@parley/core"
import * as adapter from "@parley/core/adapter"
import * as effect from "@parley/core/effect"
import * as webhook from "@parley/core/webhook"
import { expect, it } from "vitest"

const isErrorClass = (exported: unknown): exported is { readonly prototype: Error } =>
  typeof exported === "function" && exported.prototype instanceof Error

/** The codes of a class's errors, from its source text; if a class computes its code, its type lists them. */
const codesOf = (errorClass: { readonly prototype: Error }): ReadonlyArray<string> => {
  const text = String(errorClass)
  if (/\bget code\(\)/.test(text)) return ["model_failed"]
  return [...text.matchAll(/^\s*code = "(\w+)"/gm)].map(([, code = ""]) => code)
}

/** Errors of ports that a service handles itself, so that none of them reaches an application. */
const HANDLED_INSIDE = [
  "DocumentUnreadable",
  "EmbeddingFailed",
  "GenerationGone",
  "MailFailed",
  "OcrFailed",
  "PaymentObjectNotFound",
  "PaymentObjectUnreadable",
  "RerankFailed",
  "WebhookUnanswered"
]

it("every error that the library and its database name has one code, which has a status", () => {
  const classes = Object.entries({ ...effect, ...adapter, ...webhook, ...adaptersDb }).flatMap(([name, exported]) =>
    isErrorClass(exported) ? [{ name, codes: codesOf(exported) }] : []
  )
  expect(classes.length).toBeGreaterThan(80)
  expect(classes.filter(({ codes }) => codes.length !== 1)).toEqual([])
  const withoutStatus = classes.filter(({ codes }) => codes.some((code) => !Object.hasOwn(errorStatuses, code)))
  expect(withoutStatus.map(({ name }) => name).toSorted()).toEqual(HANDLED_INSIDE)
})

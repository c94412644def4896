import { loadPackage } from "@parley/core/adapter"
import { Redacted } from "effect"
import type OpenAI from "openai"
import { vendorFetch } from "../vendor/vendorFetch.ts"

/** Azure takes its key in a header of its own; what stands in `Authorization` it takes for a token of Entra. */
const AZURE = /(?:^|\.)(?:openai\.azure\.(?:com|us)|cognitiveservices\.azure\.(?:com|us)|services\.ai\.azure\.com)$/

export interface OpenAiEndpoint {
  readonly apiKey: Redacted.Redacted<string>
  /** May have a query, such as Azure's `api-version`, which then goes with every request. */
  readonly baseUrl: string
  /** In milliseconds; a net beneath the limits of the caller. */
  readonly timeoutMs: number
}

/**
 * The SDK for an endpoint, loaded when it is first needed. Retries are ours, and it is to log nothing. Rejects with
 * `PackageMissing` where it is not installed.
 */
export const openAiClient = async ({ apiKey, baseUrl, timeoutMs }: OpenAiEndpoint): Promise<OpenAI> => {
  const { OpenAI: Client } = await loadPackage("openai", () => import("openai"))
  const url = new URL(baseUrl)
  const defaultQuery = Object.fromEntries(url.searchParams)
  url.search = ""
  const key = Redacted.value(apiKey)
  return new Client({
    apiKey: key,
    baseURL: url.href.replace(/\/+$/, ""),
    defaultQuery,
    defaultHeaders: AZURE.test(url.hostname) ? { "api-key": key, authorization: null } : {},
    fetch: vendorFetch,
    maxRetries: 0,
    timeout: timeoutMs,
    logLevel: "off"
  })
}

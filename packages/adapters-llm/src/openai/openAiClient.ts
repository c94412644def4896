import type OpenAI from "openai"
import { loadPackage } from "@parley/core/adapter"
import { type ApiKey, textOf } from "../vendor/ApiKey.ts"
import { vendorFetch } from "../vendor/vendorFetch.ts"

export const OPENAI_URL = "https://api.openai.com/v1"

/**
 * Matches Azure's hosts, which expect the key in a header of its own: in `Authorization` they expect a token of Entra.
 */
const AZURE = /(?:^|\.)(?:openai\.azure\.(?:com|us)|cognitiveservices\.azure\.(?:com|us)|services\.ai\.azure\.com)$/

export interface OpenAiEndpoint {
  readonly apiKey: ApiKey
  /** The address, which may have a query that is sent with every request, for example Azure's `api-version`. */
  readonly baseUrl: string
  /** The SDK's own time limit in milliseconds, as a safety net: the limits of the caller are shorter. */
  readonly timeoutMs: number
}

/**
 * Loads the SDK at the first use, and makes a client of an endpoint. Retries are Parley's own; the SDK logs nothing.
 * Rejects with `PackageMissing` if the SDK is not installed.
 */
export const openAiClient = async ({ apiKey, baseUrl, timeoutMs }: OpenAiEndpoint): Promise<OpenAI> => {
  const { OpenAI: Client } = await loadPackage("openai", () => import("openai"))
  const url = new URL(baseUrl)
  const defaultQuery = Object.fromEntries(url.searchParams)
  url.search = ""
  const key = textOf(apiKey)
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

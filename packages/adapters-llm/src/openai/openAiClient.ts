import type OpenAI from "openai"
import { loadPackage } from "@parley/core/adapter"
import { type ApiKey, textOf } from "../vendor/ApiKey.ts"
import { vendorFetch } from "../vendor/vendorFetch.ts"

export const OPENAI_URL = "https://api.openai.com/v1"

/** Azure expects its key in a header of its own; it reads `Authorization` as a token of Entra. */
const AZURE = /(?:^|\.)(?:openai\.azure\.(?:com|us)|cognitiveservices\.azure\.(?:com|us)|services\.ai\.azure\.com)$/

export interface OpenAiEndpoint {
  readonly apiKey: ApiKey
  /** May have a query, for example Azure's `api-version`, which is sent with every request. */
  readonly baseUrl: string
  /** In milliseconds; a net beneath the limits of the caller. */
  readonly timeoutMs: number
}

/**
 * Loads the SDK for an endpoint on first use. Parley has its own retries; the SDK logs nothing. Rejects with
 * `PackageMissing` if the SDK is not installed.
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

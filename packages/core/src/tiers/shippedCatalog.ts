import type { Model } from "../models/Model.ts"
import type { CatalogData } from "./CatalogData.ts"

const MIB = 1024 * 1024

const ABANDONED_TRIES_PER_MINUTE = 20

/**
 * The maximum number of tokens that both vendors count for an image: Anthropic 4,784 tokens at its high resolution
 * ("Vision"), OpenAI at most 1,536 patches by a factor of 2.46 ("Images and vision", calculating costs).
 */
const IMAGE_TOKENS = 4_800

/**
 * The prices follow the public prices of the vendors of November 2026, at 8,000 credits for a dollar. The context
 * windows are smaller than the vendors': people who pay by the token benefit from a prompt that is limited to the
 * relevant parts. OpenAI's models answer without reasoning, because hidden reasoning could not be charged if the reader
 * abandons the reply.
 */
const openai = (
  id: string,
  displayName: string,
  vendorModel: string,
  input: number,
  cachedInput: number,
  output: number
): Model => ({
  id,
  displayName,
  vendor: "openai",
  vendorModel,
  creditsPer1kInput: input,
  creditsPer1kCachedInput: cachedInput,
  creditsPer1kCacheWrite: input,
  creditsPer1kOutput: output,
  minimumCredits: 1,
  maxOutputTokens: 4096,
  contextTokens: 128_000,
  effort: "none",
  imageTokens: IMAGE_TOKENS
})

/** Anthropic charges a quarter more for input that it writes to its cache than for fresh input. */
const ANTHROPIC_CACHE_WRITE = 1.25

/**
 * Anthropic publishes no tokenizer. According to published measurements its present one counts up to 1.47 times the
 * tokens of its predecessor. With this factor, Parley's upper bound covers these measurements
 * (`recordedCounts.test.ts`).
 */
const ANTHROPIC_TOKEN_FACTOR = 1.35

const anthropic = (...of: Parameters<typeof openai>): Model => {
  const model = openai(...of)
  return {
    ...model,
    vendor: "anthropic",
    creditsPer1kCacheWrite: ANTHROPIC_CACHE_WRITE * model.creditsPer1kInput,
    contextTokens: 200_000,
    effort: "low",
    inputTokenFactor: ANTHROPIC_TOKEN_FACTOR
  }
}

/** The defaults of a model that a configuration adds; the configuration must contain the other fields. */
export const NEW_MODEL = {
  minimumCredits: 1,
  maxOutputTokens: 4096,
  contextTokens: 128_000
}

/** The default quotas of a tier that a configuration adds: those of the lowest shipped tier. */
export const NEW_TIER = {
  maxDocuments: 20,
  maxDocumentBytes: 100 * MIB,
  maxChatBytes: 50 * MIB,
  abandonedTriesPerMinute: ABANDONED_TRIES_PER_MINUTE
}

/** The shipped catalog; a configuration overrides parts of it, or replaces it. */
export const defaultCatalog: CatalogData = {
  models: [
    openai("model-a-mini", "GPT-6 Luna", "gpt-6-luna", 1, 0.1, 4),
    openai("model-a", "GPT-6.1 Terra", "gpt-6.1-terra", 8, 0.4, 40),
    openai("model-a-turbo", "GPT-6.1 Sol", "gpt-6.1-sol", 16, 0.8, 80),
    anthropic("model-b-sonnet-20241022", "Claude Sonnet 5.5", "claude-sonnet-5-5", 16, 0.8, 80),
    anthropic("model-b-opus-20240229", "Claude Opus 5.5", "claude-opus-5-5", 32, 1.6, 160)
  ],
  tiers: [
    {
      ...NEW_TIER,
      name: "free",
      displayName: "Free",
      monthlyCredits: 100,
      models: ["model-a-mini"]
    },
    {
      name: "pro",
      displayName: "Pro",
      monthlyCredits: 5_000,
      models: ["model-a-mini", "model-a", "model-a-turbo", "model-b-sonnet-20241022"],
      maxDocuments: 500,
      maxDocumentBytes: 2_048 * MIB,
      maxChatBytes: 1_024 * MIB,
      abandonedTriesPerMinute: ABANDONED_TRIES_PER_MINUTE
    },
    {
      name: "business",
      displayName: "Business",
      monthlyCredits: 25_000,
      models: ["model-a-mini", "model-a", "model-a-turbo", "model-b-sonnet-20241022", "model-b-opus-20240229"],
      maxDocuments: 5_000,
      maxDocumentBytes: 20_480 * MIB,
      maxChatBytes: 10_240 * MIB,
      abandonedTriesPerMinute: ABANDONED_TRIES_PER_MINUTE
    }
  ],
  prices: {},
  widget: {
    perIpPerMinute: 20,
    perConversationPerMinute: 10,
    perBotPerMinute: 300,
    readsPerIpPerMinute: 120,
    streamsPerIp: 5,
    streamsPerBot: 100,
    maxMessageCharacters: 4_000,
    ownerDailyCredits: 2_000,
    botDailyPercent: 50,
    addressDailyPercent: 10,
    maxReplyTokens: 1_024,
    messagesBeforeChallenge: 10
  }
}

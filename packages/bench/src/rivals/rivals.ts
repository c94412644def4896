import { createRequire } from "node:module"
import { join } from "node:path"
import type { Contender, OpenContender } from "./Contender.ts"
import { vectorOf } from "./corpus.ts"

/** The commands that create the folder with the other libraries, on which this repository does not depend. */
export const HOW_TO_INSTALL =
  "mkdir rivals && cd rivals && npm init -y && npm install --legacy-peer-deps @langchain/community @langchain/core @mastra/pg @mastra/core pg"

const load = <A>(folder: string, name: string): A => {
  try {
    return createRequire(join(folder, "package.json"))(name) as A
  } catch (cause) {
    throw new Error(`${name} is not in ${folder}. Install it: ${HOW_TO_INSTALL}`, { cause })
  }
}

interface LangChainDocument {
  readonly pageContent: string
  readonly metadata: Readonly<Record<string, unknown>>
}

interface LangChain {
  readonly PGVectorStore: {
    initialize(
      embeddings: unknown,
      options: Readonly<Record<string, unknown>>
    ): Promise<{
      addVectors(
        vectors: ReadonlyArray<ReadonlyArray<number>>,
        documents: ReadonlyArray<LangChainDocument>
      ): Promise<unknown>
      similaritySearchVectorWithScore(
        query: ReadonlyArray<number>,
        limit: number,
        filter: unknown
      ): Promise<ReadonlyArray<readonly [LangChainDocument, number]>>
      end(): Promise<void>
    }>
  }
}

/**
 * LangChain.js' PGVectorStore with its default settings: vectors of the table's dimension, and documents selected by
 * its metadata filter.
 */
export const openLangChain = async ({ dimensions, rivals, url }: OpenContender): Promise<Contender> => {
  const { PGVectorStore } = load<LangChain>(rivals, "@langchain/community/vectorstores/pgvector")
  const embeddings = {
    embedDocuments: async (texts: ReadonlyArray<string>) => texts.map((text) => vectorOf(text, dimensions)),
    embedQuery: async (text: string) => vectorOf(text, dimensions)
  }
  const store = await PGVectorStore.initialize(embeddings, {
    postgresConnectionOptions: { connectionString: url },
    tableName: "passages",
    dimensions,
    distanceStrategy: "cosine"
  })
  return {
    name: "LangChain.js PGVectorStore",
    ingest: async ({ id, texts }) => {
      await store.addVectors(
        texts.map((text) => vectorOf(text, dimensions)),
        texts.map((pageContent) => ({ pageContent, metadata: { documentId: id } }))
      )
    },
    search: async ({ documentIds, limit, query }) => {
      const filter = { documentId: { in: documentIds } }
      const found = await store.similaritySearchVectorWithScore(vectorOf(query, dimensions), limit, filter)
      return found.map(([{ pageContent }]) => pageContent)
    },
    close: () => store.end()
  }
}

interface Mastra {
  readonly PgVector: new (options: { readonly id: string; readonly connectionString: string }) => {
    createIndex(input: { readonly indexName: string; readonly dimension: number }): Promise<void>
    upsert(input: Readonly<Record<string, unknown>>): Promise<unknown>
    query(
      input: Readonly<Record<string, unknown>>
    ): Promise<ReadonlyArray<{ readonly metadata?: { readonly text: string } }>>
    disconnect(): Promise<void>
  }
}

/** Mastra's PgVector with its default index, and documents selected by its metadata filter. */
export const openMastra = async ({ dimensions, rivals, url }: OpenContender): Promise<Contender> => {
  const { PgVector } = load<Mastra>(rivals, "@mastra/pg")
  const store = new PgVector({ id: "bench", connectionString: url })
  const indexName = "passages"
  await store.createIndex({ indexName, dimension: dimensions })
  return {
    name: "Mastra PgVector",
    ingest: async ({ id, texts }) => {
      await store.upsert({
        indexName,
        vectors: texts.map((text) => vectorOf(text, dimensions)),
        metadata: texts.map((text) => ({ documentId: id, text }))
      })
    },
    search: async ({ documentIds, limit, query }) => {
      const filter = documentIds.length === 1 ? { documentId: documentIds[0] } : { documentId: { $in: documentIds } }
      const queryVector = vectorOf(query, dimensions)
      const found = await store.query({ indexName, queryVector, topK: limit, filter })
      return found.map(({ metadata }) => metadata?.text ?? "")
    },
    close: () => store.disconnect()
  }
}

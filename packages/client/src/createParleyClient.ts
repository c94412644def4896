import type { Me, ModelList, Operations, SignedOut, UsageReport } from "./api.ts"
import { billingCalls, type BillingCalls } from "./billing.ts"
import { botCalls, type BotCalls } from "./bots.ts"
import { chatCalls, type ChatCalls } from "./chat.ts"
import { type CallOptions, Connection, type ParleyClientOptions } from "./Connection.ts"
import { documentCalls, type DocumentCalls } from "./documents.ts"
import { imageCalls, type ImageCalls } from "./images.ts"

/** The HTTP interface of a Parley server for one person. A call that fails rejects with a `ParleyError`. */
export interface ParleyClient {
  readonly chat: ChatCalls
  readonly documents: DocumentCalls
  /** Calls for the images of messages. */
  readonly images: ImageCalls
  readonly billing: BillingCalls
  readonly bots: BotCalls
  /** Returns the spent credits by day, source and model. */
  usage(query?: Operations["getUsage"]["query"], options?: CallOptions): Promise<UsageReport>
  /** Returns the models with their prices, the default model first. */
  models(options?: CallOptions): Promise<ModelList>
  /** Returns the signed-in person; rejects with `unauthorized` if no person is signed in. */
  me(options?: CallOptions): Promise<Me>
  /** Returns the signed-in person, or null if no person is signed in. */
  session(options?: CallOptions): Promise<Me | null>
  signOut(options?: CallOptions): Promise<SignedOut>
  /**
   * Calls any operation by its id, also operations without a function here, such as exports and the reports for
   * operators.
   */
  readonly call: Connection["call"]
}

/**
 * Creates a client for the server at `baseUrl`. The client sends cookies, and retries requests that are safe to send
 * again.
 */
export const createParleyClient = (options: ParleyClientOptions): ParleyClient => {
  const connection = new Connection(options)
  return {
    chat: chatCalls(connection),
    documents: documentCalls(connection),
    images: imageCalls(connection),
    billing: billingCalls(connection),
    bots: botCalls(connection),
    usage: (query = {}, call) => connection.call("getUsage", { query }, call),
    models: (call) => connection.call("listModels", {}, call),
    me: (call) => connection.call("getMe", {}, call),
    session: async (call) => (await connection.call("getSession", {}, call)).me,
    signOut: async (call) => (await connection.call("signOut", {}, call)) as SignedOut,
    call: (id, input, call) => connection.call(id, input, call)
  }
}

/**
 * What the page asks of the server: one function a route. Every refusal and every failure rejects with an `ApiProblem`,
 * whose message is a sentence for people.
 */

/**
 * @typedef {"processing" | "ready" | "failed"} DocumentStatus
 * @typedef {{ id: string, filename: string, status: DocumentStatus, progress: number, reason: string | null,
 *   pages: number | null }} StoredDocument
 * @typedef {{ number: number, documentId: string, filename: string, page: number | null, text: string }} Source
 * @typedef {"complete" | "streaming" | "stopped" | "failed"} MessageState
 * @typedef {{ id: string, role: "user" | "assistant" | "system", content: string, state: MessageState,
 *   sources: Source[] }} StoredMessage
 * @typedef {{ id: string, title: string, createdAt: string, updatedAt: string }} ChatSummary
 * @typedef {ChatSummary & { messages: StoredMessage[], nextBefore: string | null }} StoredChat
 * @typedef {{ id: string, allowed: boolean, allowedTiers: string[], available: boolean,
 *   answeredBy: string | null }} OfferedModel
 * @typedef {{ allowance: number, topup: number, held: number, debt: number, available: number,
 *   nextResetAt: string }} Balance
 * @typedef {{ id: string, transaction_type: string, amount: number, balance_after: number, model: string | null,
 *   reference: string, created_at: string, receipt: { estimated: boolean } | null }} Transaction
 */

/** An answer that is not what was asked for, as a person should read it. */
export class ApiProblem extends Error {
  /**
   * @param {number} status 0 where no answer came
   * @param {string} detail a sentence for people
   * @param {Record<string, unknown>} members the members of the problem+json body
   */
  constructor(status, detail, members = {}) {
    super(detail)
    this.name = "ApiProblem"
    this.status = status
    this.members = members
  }
}

/** What a request rejects with when no answer came at all. */
export const unreachable = () =>
  new ApiProblem(0, "The server cannot be reached. Check your connection and that the server runs, then try again.")

/**
 * The problem that an answer's body tells (RFC 9457), or a plain sentence where it tells none.
 * @param {number} status
 * @param {string} body
 */
export const problemOf = (status, body) => {
  /** @type {Record<string, unknown>} */
  let members = {}
  try {
    const parsed = JSON.parse(body)
    if (typeof parsed === "object" && parsed !== null) members = parsed
  } catch {
    // Not JSON: something between the page and the server answered.
  }
  const sentence = members["detail"] ?? members["error"] ?? members["title"]
  return new ApiProblem(status, typeof sentence === "string" ? sentence : `The server answered ${status}.`, members)
}

/**
 * Sends a request; gives the answer if it is a good one.
 * @param {string} path
 * @param {RequestInit} [init]
 * @returns {Promise<Response>}
 */
export const send = async (path, init = {}) => {
  let response
  try {
    response = await fetch(path, { credentials: "same-origin", ...init })
  } catch (error) {
    if (init.signal?.aborted === true) throw error
    throw unreachable()
  }
  if (!response.ok) throw problemOf(response.status, await response.text().catch(() => ""))
  return response
}

/**
 * @param {string} method
 * @param {unknown} [body]
 * @returns {RequestInit}
 */
export const json = (method, body) => ({
  method,
  headers: { "content-type": "application/json" },
  ...(body === undefined ? {} : { body: JSON.stringify(body) })
})

/** @param {string} path */
const read = async (path) => (await send(path)).json()

/** @param {string} id */
const segment = (id) => encodeURIComponent(id)

/** @param {string} email */
export const signIn = (email) => send("/dev/sign-in", json("POST", { email }))

export const signOut = () => send("/dev/sign-out", json("POST"))

/** @returns {Promise<Balance>} */
export const readBalance = () => read("/api/billing/balance")

/**
 * @param {{ limit: number, offset: number, type: string }} page
 * @returns {Promise<{ transactions: Transaction[], total: number }>}
 */
export const readCreditHistory = ({ limit, offset, type }) =>
  read(`/api/billing/credit-history?limit=${limit}&offset=${offset}${type === "" ? "" : `&type=${segment(type)}`}`)

/** @returns {Promise<{ tier: string, models: OfferedModel[] }>} */
export const readModels = () => read("/api/models")

/** @returns {Promise<StoredDocument[]>} */
export const readDocuments = async () => (await read("/api/documents")).documents

/** Tries a failed document again. @param {string} documentId */
export const retryDocument = (documentId) => send("/api/rag", json("POST", { documentId }))

/** @param {string} documentId */
export const deleteDocument = (documentId) => send(`/api/documents/${segment(documentId)}`, { method: "DELETE" })

/**
 * @param {{ limit: number, offset: number }} page
 * @returns {Promise<{ chats: ChatSummary[], total: number }>}
 */
export const readChats = ({ limit, offset }) => read(`/api/chats?limit=${limit}&offset=${offset}`)

/**
 * A chat with its newest messages, or with those before one of them.
 * @param {string} chatId
 * @param {{ before?: string, limit?: number }} [page]
 * @returns {Promise<StoredChat>}
 */
export const readChat = (chatId, { before, limit } = {}) => {
  const query = new URLSearchParams({
    ...(before === undefined ? {} : { before }),
    ...(limit === undefined ? {} : { limit: String(limit) })
  })
  return read(`/api/chats/${segment(chatId)}${query.size === 0 ? "" : `?${query}`}`)
}

/** @param {string} chatId */
export const deleteChat = (chatId) => send(`/api/chats/${segment(chatId)}`, { method: "DELETE" })

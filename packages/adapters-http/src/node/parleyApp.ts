import type { RequestListener } from "node:http"
import { answerNotFound, type ListenerOptions, parleyListener } from "./parleyListener.ts"
import { answerError, type Middleware } from "./parleyRouter.ts"

export interface ParleyAppOptions extends Omit<ListenerOptions, "otherwise"> {
  /** Pages and other routes after the API: middleware, or a whole application of Express. */
  readonly pages?: Middleware | undefined
}

/** A whole server: the routes, pages, security headers, and problem details for all other requests. */
export const parleyApp = ({ pages, ...options }: ParleyAppOptions): RequestListener =>
  parleyListener(pages === undefined ? options : { ...options, otherwise: pageListener(pages) })

/**
 * Middleware in the form of `otherwise` of `parleyListener`: a request that it passes on gets 404, and its errors become
 * problem details.
 */
export const pageListener =
  (pages: Middleware): RequestListener =>
  (request, response) => {
    const next = (error?: unknown) =>
      error === undefined || error === null
        ? answerNotFound(request, response)
        : answerError(error, request, response, next)
    // The middleware may be asynchronous; Express 4 and 5 differ in that, and a rejection must not end the process.
    new Promise<void>((resolve) => resolve(pages(request, response, next))).catch((error: unknown) =>
      next(error ?? new Error("The pages failed without an error."))
    )
  }

import type { RequestListener } from "node:http"
import { answerNotFound, type ListenerOptions, parleyListener } from "./parleyListener.ts"
import { answerError, type Middleware } from "./parleyRouter.ts"

export interface ParleyAppOptions extends Omit<ListenerOptions, "otherwise"> {
  /** Serves the paths that are no routes: middleware, or a whole Express application. */
  readonly pages?: Middleware | undefined
}

/** A whole server: the routes, pages, security headers, and problem details for all other requests. */
export const parleyApp = ({ pages, ...options }: ParleyAppOptions): RequestListener =>
  parleyListener(pages === undefined ? options : { ...options, otherwise: pageListener(pages) })

/**
 * Converts middleware to the form of `otherwise` of `parleyListener`: a request that the middleware passes on is
 * answered with 404, and an error with problem details.
 */
export const pageListener =
  (pages: Middleware): RequestListener =>
  (request, response) => {
    const next = (error?: unknown) =>
      error === undefined || error === null
        ? answerNotFound(request, response)
        : answerError(error, request, response, next)
    // The middleware may be asynchronous. Express 5 handles its rejection and Express 4 does not; a rejection must not
    // end the process.
    new Promise<void>((resolve) => resolve(pages(request, response, next))).catch((error: unknown) =>
      next(error ?? new Error("The pages failed without an error."))
    )
  }

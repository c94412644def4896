import { html, type Html } from "./html.ts"

/** A page of the stand-in. */
export interface Page {
  readonly title: string
  readonly body: Html
  /** The address of the stand-in's first page. */
  readonly base: string
  /** The reason why the person's request was not carried out, which the page shows. */
  readonly problem?: string | undefined
  readonly status?: number
  /** Other origins to which the forms of the page may redirect. */
  readonly leadsTo?: ReadonlyArray<string | undefined>
}

export const STYLE: string = `
:root { color-scheme: light dark; font: 1rem/1.5 system-ui, sans-serif }
body { margin: 0 auto; max-width: 52rem; padding: 0 1rem 3rem }
.note { border: 2px dashed #b45309; padding: .5rem 1rem; margin: 1rem 0 }
.problem { border: 2px solid #b91c1c; padding: .5rem 1rem; margin: 1rem 0 }
section { border: 1px solid #8888; border-radius: .5rem; padding: 0 1rem 1rem; margin: 1rem 0 }
form { display: inline-block; margin: .25rem .5rem .25rem 0 }
form.page { display: block }
fieldset { border: 1px solid #8888; border-radius: .5rem; margin: 1rem 0 }
label { display: block; padding: .25rem 0 }
button, select, input[type=number] { font: inherit; min-height: 2.5rem; padding: .25rem .75rem }
button.main { background: #1d4ed8; border: 0; border-radius: .5rem; color: #fff; padding: .5rem 1.5rem }
:focus-visible { outline: 3px solid #f59e0b; outline-offset: 2px }
.amount { font-size: 1.5rem; font-weight: 600 }
.wide { overflow-x: auto }
table { border-collapse: collapse; width: 100% }
th, td { border-bottom: 1px solid #8888; padding: .25rem .75rem .25rem 0; text-align: left; vertical-align: top }
code { overflow-wrap: anywhere }
`

const originOf = (url: string | undefined): string | undefined =>
  url !== undefined && URL.canParse(url) ? new URL(url).origin : undefined

/** Returns the response with a whole page. The page loads nothing except its own style sheet, and runs no scripts. */
export const pageResponse = ({ base, body, leadsTo = [], problem, status = 200, title }: Page): Response => {
  const targets = leadsTo.map(originOf).filter((origin) => origin !== undefined)
  const page = html`<!doctype html>
    <html lang="en">
      <head>
        <meta charset="utf-8" />
        <meta name="viewport" content="width=device-width, initial-scale=1" />
        <meta name="robots" content="noindex" />
        <title>${title} · Stand-in payments</title>
        <link rel="stylesheet" href="${base}/style.css" />
      </head>
      <body>
        <p class="note" role="note">
          <strong>Stand-in for the payment provider.</strong> No real money moves here, and no card is asked for.
          <a href="${base}/">Its clock and its events</a>
        </p>
        <main>
          <h1>${title}</h1>
          ${problem === undefined ? "" : html`<p class="problem" role="alert">${problem}</p>`} ${body}
        </main>
      </body>
    </html>`
  return new Response(page.markup, {
    status,
    headers: {
      "content-type": "text/html; charset=utf-8",
      "cache-control": "no-store",
      "referrer-policy": "no-referrer",
      "x-content-type-options": "nosniff",
      "content-security-policy": [
        "default-src 'none'",
        "style-src 'self'",
        "base-uri 'none'",
        "frame-ancestors 'none'",
        `form-action ${["'self'", ...new Set(targets)].join(" ")}`
      ].join("; ")
    }
  })
}

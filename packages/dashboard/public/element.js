/**
 * Builds an element. Text goes in as text nodes, never as markup.
 * @template {keyof HTMLElementTagNameMap} Tag
 * @param {Tag} tag
 * @param {Record<string, string | boolean | ((event: Event) => void)>} [attributes] a function listens to the event of
 *   that name; `true` sets an empty attribute and `false` none
 * @param {...(Node | string)} children
 * @returns {HTMLElementTagNameMap[Tag]}
 */
export const element = (tag, attributes = {}, ...children) => {
  const created = document.createElement(tag)
  for (const [name, value] of Object.entries(attributes)) {
    if (typeof value === "function") created.addEventListener(name, value)
    else if (value !== false) created.setAttribute(name, value === true ? "" : value)
  }
  created.append(...children)
  return created
}

/**
 * The element of the page with this id, which must be of the given kind.
 * @template {HTMLElement} Kind
 * @param {string} id
 * @param {{ new (): Kind }} kind
 * @returns {Kind}
 */
export const find = (id, kind) => {
  const found = document.getElementById(id)
  if (!(found instanceof kind)) throw new Error(`The page has no ${kind.name} #${id}.`)
  return found
}

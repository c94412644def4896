/**
 * The attributes of an element by name, including `class` and `text`, and the listeners by the names of their events.
 */
type Attributes = Readonly<Record<string, string | boolean | number | undefined | ((event: never) => void)>>

type Child = Node | string | undefined | false

/**
 * Creates an element. A function is a listener of the event with that name. `true` makes an attribute without a value;
 * false and undefined make none. No value is ever parsed as HTML.
 */
export const element = <Name extends keyof HTMLElementTagNameMap>(
  name: Name,
  attributes: Attributes = {},
  ...children: ReadonlyArray<Child>
): HTMLElementTagNameMap[Name] => {
  const made = document.createElement(name)
  for (const [key, value] of Object.entries(attributes)) {
    if (value === undefined || value === false) continue
    if (typeof value === "function") made.addEventListener(key, value as (event: Event) => void)
    else made.setAttribute(key, value === true ? "" : String(value))
  }
  made.append(...children.filter((child): child is Node | string => child !== undefined && child !== false))
  return made
}

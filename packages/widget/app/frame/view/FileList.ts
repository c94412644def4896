import type { AttachedFile } from "../api/files.ts"
import { element } from "../element.ts"
import type { Catalogue } from "../languages/Catalogue.ts"
import type { Announcer } from "./Announcer.ts"

/** The files of the conversation, each with a sentence about its state. */
export class FileList {
  readonly element: HTMLElement
  readonly #texts: Catalogue
  readonly #announcer: Announcer
  #shown: ReadonlyArray<AttachedFile> = []

  constructor(texts: Catalogue, announcer: Announcer) {
    this.#texts = texts
    this.#announcer = announcer
    this.element = element("ul", { class: "files", "aria-label": texts.say("files"), hidden: true })
  }

  show(files: ReadonlyArray<AttachedFile>): void {
    if (files === this.#shown) return
    const before = new Set(this.#shown.map((file) => this.#line(file)))
    this.#shown = files
    this.element.hidden = files.length === 0
    this.element.replaceChildren(...files.map((file) => this.#row(file)))
    const changed = files.map((file) => this.#line(file)).filter((line) => !before.has(line))
    if (changed.length > 0) this.#announcer.say(changed.join(" "))
  }

  #words({ waitSeconds = 0, words }: AttachedFile): string {
    return this.#texts.say(words, { time: this.#texts.duration(waitSeconds) })
  }

  #line(file: AttachedFile): string {
    return `${file.name}: ${this.#words(file)}`
  }

  #row(file: AttachedFile): HTMLElement {
    return element(
      "li",
      { "data-state": file.state },
      element("strong", {}, element("bdi", {}, file.name)),
      " ",
      element("span", {}, this.#words(file))
    )
  }
}

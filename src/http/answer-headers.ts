/**
 * The headers of an answer, collected until it is written. They are a flat list of names and values, because
 * `writeHead` validates such a list once, but headers set on the response one by one twice. Names are case-sensitive
 * here and sent as they are.
 */
export class AnswerHeaders {
  readonly list: string[]

  constructor(common: readonly string[] = []) {
    this.list = common.slice()
  }

  /** Sets a header, replacing an earlier value. */
  set(name: string, value: string): void {
    const at = this.#find(name)
    if (at === -1) this.list.push(name, value)
    else this.list[at + 1] = value
  }

  get(name: string): string | undefined {
    const at = this.#find(name)
    return at === -1 ? undefined : this.list[at + 1]
  }

  delete(name: string): void {
    const at = this.#find(name)
    if (at !== -1) this.list.splice(at, 2)
  }

  #find(name: string): number {
    for (let at = 0; at < this.list.length; at += 2) if (this.list[at] === name) return at
    return -1
  }
}
